// Package gen writes random kernels: Go source whose meaning the language defines in full, so that
// two implementations of it must agree on every bit.
//
// A program is one file of package kernels with the kernel Kø, its types and its functions. Every
// package-level name ends in the letter ø, so that many programs can share a package once ø is
// replaced by a number. A comment of the file says how the kernel is launched (see package
// difftest).
//
// What Go leaves open is avoided, and so never a difference:
//   - the conversion of a float outside the integer's range (the helper fit);
//   - which NaN an operation returns (bits32, bits64, number);
//   - whether a variable is read before or after a call in the same expression that changes it:
//     calls with side effects stand alone in their statement and only define new variables;
//   - which of two failing operations of one statement fails first: such lines are marked with the
//     comment //?;
//   - x*y + z contracted into one rounding: that depends on the machine, and the oracle must run
//     where Go never does it (amd64).
package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Limits of one program: statements a thread executes, and statements with every call inlined.
const (
	maxCost = 6000
	maxSize = 260
	// maxWalks is the greatest depth of indices in others. Below that scalars are read from
	// variables alone: an element has an index, which may be read from an element.
	maxWalks = 4
)

type gen struct {
	r       *rand.Rand
	lines   []string
	indent  int
	fails   int    // operations of the statement being written that can fail
	noFail  bool   // no operation of the statement may fail
	meet    bool   // the threads of the kernel meet, in barriers and warp operations: none may fail or leave early
	grid    bool   // the threads of the grid meet, too
	target  string // that the kernel asks for, or ""
	cluster int    // blocks of a cluster, 0 where the kernel has none
	threads int    // of a block
	names   int
	walks   int // indices that are being written, each in the one before
	helpers map[string]bool

	scalars    []*typ // of this program: the predeclared and named ones
	composites []*typ
	shorts     []*typ // numbers of 16 bits, pairs and eights among them; nil where the program has none
	view       *typ   // a struct that holds addresses, or nil
	globals    []*variable
	funcs      []*function
	cur        *body
}

// function is a function, method or closure that can be called.
type function struct {
	name    string
	params  []*variable // the receiver first
	results []*typ
	method  bool
	generic []*typ // the types T stands for, nil if not generic
	named   bool   // its results have names
	pure    bool   // no effect but its results
	maker   bool   // returns a function: called by makeStmt only
	fails   bool
	cost    int
	size    int
	instrs  int // of what makes a program large: see size.go
}

// body is the state of the function being written. A closure has its own.
type body struct {
	fn        *function
	scopes    [][]*variable
	funcs     []*function // closures in scope, a stack
	frozen    int         // scopes outside a closure
	pure      bool
	tparam    *typ
	targets   []*target
	budget    int // statements still to write
	depth     int
	trips     int // product of the trip counts of the loops round here
	cost      int
	kernel    bool
	atomics   *variable // a parameter that all threads update, by operations that commute
	pairs     *variable // another, of 16 bytes each
	loop      bool      // the kernel's body is a loop: leave it by continue
	literal   bool      // a function literal among arguments: it calls no function that takes one, or that looks like recursion
	uniform   bool      // all threads of the block come by here
	whole     bool      // and all of the grid
	clustered bool      // or all of the cluster
	hand      *variable // a parameter with an element for each thread, by which the threads of a grid exchange values
}

// Program returns the program of that seed, the same for every call.
func Program(seed uint64) string {
	g := &gen{r: rand.New(rand.NewPCG(seed, 0x6772696473747269)), helpers: map[string]bool{}}
	return g.program(seed)
}

// emit writes one line. A line with two operations that can fail says so, since Go leaves open
// which one does.
func (g *gen) emit(format string, args ...any) {
	line := strings.Repeat("\t", g.indent) + fmt.Sprintf(format, args...)
	if g.fails > 1 {
		line += " //?"
	}
	if g.fails > 0 && g.cur != nil {
		g.cur.fn.fails = true
	}
	g.fails = 0
	g.lines = append(g.lines, line)
}

func (g *gen) open(format string, args ...any) {
	g.emit(format, args...)
	g.indent++
}

func (g *gen) close(format string, args ...any) {
	g.indent--
	g.emit(format, args...)
}

func (g *gen) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// scalarType is a random scalar type, including the type parameter if there is one.
func (g *gen) scalarType() *typ {
	if g.cur.tparam != nil && g.chance(35) {
		return g.cur.tparam
	}
	return pick(g, g.scalars...)
}

func (g *gen) ofKind(ok func(*typ) bool) *typ {
	for {
		if t := g.scalarType(); ok(t) {
			return t
		}
	}
}

func (g *gen) integer() *typ      { return g.ofKind((*typ).integer) }
func (g *gen) floatType() *typ    { return g.ofKind((*typ).float) }
func (g *gen) plainInteger() *typ { return pick(g, integers...) }

// anyType is a type for a variable.
func (g *gen) anyType() *typ {
	if len(g.composites) > 0 && g.chance(25) {
		return pick(g, g.composites...)
	}
	return g.scalarType()
}

// comparable is an array or struct type, nil if the program has none.
func (g *gen) comparable() *typ {
	if len(g.composites) == 0 {
		return nil
	}
	return pick(g, g.composites...)
}

// callable lists the functions that can be called here. A function calls only those written before
// it.
func (g *gen) callable() []*function {
	return append(g.funcs[:len(g.funcs):len(g.funcs)], g.cur.funcs...)
}
