package ir

import (
	"errors"
	"fmt"
	"slices"
)

// Verify reports everything about f that is not as this package says: edges that do not agree,
// types, operands, a use that its definition does not dominate. Passes are tested with it after
// each step. It returns nil or a joined error.
func Verify(f *Func) error {
	c := &verifier{f: f, at: make(map[*Value]int), ids: make(map[int]*Value)}
	c.names()
	for _, b := range f.Blocks {
		c.edges(b)
		c.order(b)
		for i, v := range b.Instrs {
			if c.at[v] != 0 {
				c.errorf(v, "is in two places")
			}
			c.at[v] = i + 1
			if old := c.ids[v.ID]; old != nil && old != v {
				c.errorf(v, "has the ID of another value")
			}
			c.ids[v.ID] = v
			if v.ID < 0 || v.ID >= f.nextID {
				c.errorf(v, "has an ID out of range")
			}
		}
	}
	if len(c.errs) > 0 {
		return errors.Join(c.errs...) // what follows relies on sound edges
	}
	d := f.Dominators()
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			c.types(v)
			c.operands(v)
			c.dominance(d, v)
		}
	}
	return errors.Join(c.errs...)
}

type verifier struct {
	f    *Func
	at   map[*Value]int // position in its block, plus 1
	ids  map[int]*Value
	errs []error
}

func (c *verifier) errorf(v *Value, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: b%d: %q %s", c.f.Name, blockID(v.Block), c.f.instrText(v, v.Block),
		fmt.Sprintf(format, args...)))
}

func blockID(b *Block) int {
	if b == nil {
		return -1
	}
	return b.ID
}

func (c *verifier) blockErrorf(b *Block, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: b%d: %s", c.f.Name, b.ID, fmt.Sprintf(format, args...)))
}

// names checks that no two parameters and no two variables share a name: the text form refers to
// them by name.
func (c *verifier) names() {
	seen := map[string]bool{}
	for _, p := range c.f.Params {
		if seen[p.Name] {
			c.errs = append(c.errs, fmt.Errorf("%s: two parameters are called %s", c.f.Name, p.Name))
		}
		seen[p.Name] = true
	}
	clear(seen)
	for _, v := range c.f.Vars {
		if seen[v.Name] {
			c.errs = append(c.errs, fmt.Errorf("%s: two variables are called %s", c.f.Name, v.Name))
		}
		seen[v.Name] = true
	}
}

func (c *verifier) edges(b *Block) {
	if b == c.f.Entry() && len(b.Preds) > 0 {
		c.blockErrorf(b, "the entry has predecessors")
	}
	for _, s := range b.Succs {
		if count(b.Succs, s) != count(s.Preds, b) {
			c.blockErrorf(b, "edges to b%d do not agree", s.ID)
		}
		if !slices.Contains(c.f.Blocks, s) {
			c.blockErrorf(b, "successor b%d is not in the function", s.ID)
		}
	}
	for _, p := range b.Preds {
		if count(b.Preds, p) != count(p.Succs, b) {
			c.blockErrorf(b, "edges from b%d do not agree", p.ID)
		}
		if !slices.Contains(c.f.Blocks, p) {
			c.blockErrorf(b, "predecessor b%d is not in the function", p.ID)
		}
	}
}

func count(list []*Block, b *Block) int {
	n := 0
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

// order checks that phis come first and the one terminator last, and the number of successors.
func (c *verifier) order(b *Block) {
	term := b.Term()
	if term == nil {
		c.blockErrorf(b, "has no terminator")
		return
	}
	want := map[Op]int{Jump: 1, Branch: 2}[term.Op]
	if len(b.Succs) != want {
		c.errorf(term, "has %d successors, not %d", len(b.Succs), want)
	}
	phis := len(b.Phis())
	for i, v := range b.Instrs {
		if v.Block != b {
			c.errorf(v, "thinks it is in b%d, is in b%d", blockID(v.Block), b.ID)
			v.Block = b
		}
		if v.Op.Terminator() && v != term {
			c.errorf(v, "is a terminator inside the block")
		}
		if v.Op == Phi && i >= phis {
			c.errorf(v, "is a phi after other instructions")
		}
		if v.Op == Alloca && b != c.f.Entry() {
			c.errorf(v, "is an Alloca outside the entry block")
		}
		if v.Op == Phi && len(v.Args) != len(b.Preds) {
			c.errorf(v, "has %d arguments for %d predecessors", len(v.Args), len(b.Preds))
		}
		for _, a := range v.Args {
			if a == nil {
				c.errorf(v, "has a missing argument")
			}
		}
	}
}

// types checks v against the type rule of its operation.
func (c *verifier) types(v *Value) {
	if v.Op == OpInvalid || v.Op >= NumOps {
		c.errorf(v, "has no operation")
		return
	}
	n, more := minArgs(v.Op, v.Sub)
	if len(v.Args) < n || len(v.Args) > n && !more {
		c.errorf(v, "has %d arguments, wants %d", len(v.Args), n)
		return
	}
	bound := map[byte]Type{}
	if result, _ := rule(v.Op, v.Sub); !fits(result, v.Type, bound) {
		c.errorf(v, "has a wrong result type")
	}
	for i, a := range v.Args {
		if !fits(argLetter(v.Op, v.Sub, i), a.Type, bound) {
			c.errorf(v, "has argument %d of type %s", i, a.Type)
		}
	}
}

// fits reports whether type t is allowed by a letter of opInfo. Capitals are bound to the first
// type they meet.
func fits(letter byte, t Type, bound map[byte]Type) bool {
	ok := false
	switch letter {
	case '-':
		return t == Void
	case 'b':
		return t == Bool
	case 'i':
		return t == I32
	case 'l':
		return t == I64
	case 'p':
		return t == Ptr
	case 's':
		return t == F32
	case 'n', 'N':
		ok = t.IsInt()
	case 'M':
		ok = t.IsInt() || t == Bool
	case 'f', 'F':
		ok = t.IsFloat()
	case 'a', 'A':
		ok = t != Void
	}
	if !ok || letter >= 'a' {
		return ok
	}
	if was, seen := bound[letter]; seen {
		return was == t
	}
	bound[letter] = t
	return true
}

// togetherTypes are the results of what threads find out together.
var togetherTypes = map[Sub]Type{
	VoteBallot: I32, VoteAll: Bool, VoteAny: Bool, MatchAny: I32, MatchAll: Bool,
	BarCount: I32, BarAnd: Bool, BarOr: Bool,
}

// operands checks what the type rule does not say.
func (c *verifier) operands(v *Value) {
	if r, ok := subRange[v.Op]; ok && (v.Sub < r[0] || v.Sub > r[1]) {
		c.errorf(v, "has the wrong refinement %d", v.Sub)
	}
	if v.Unsigned && (v.Op != Check && v.Op != Panic || checkArgs[v.Sub] != "ll") {
		c.errorf(v, "has no index that could be unsigned")
	}
	if v.Fast && !v.Op.MayBeFast(v.Args...) {
		c.errorf(v, "cannot be fast")
	}
	switch v.Op {
	case Const:
		if v.Type == Ptr || v.Int != normalBits(v.Type, v.Int) {
			c.errorf(v, "is not a constant of its type")
		}
	case ParamVal:
		if int(v.Int) >= len(c.f.Params) || !c.f.Params[v.Int].Mem.Holds(v.Type) {
			c.errorf(v, "reads no parameter of its type")
		}
	case VarAddr:
		if !slices.Contains(c.f.Vars, v.Var) {
			c.errorf(v, "has no variable of the function")
		}
	case Load:
		c.access(v, v.Type, 1)
	case Store:
		c.access(v, v.Args[1].Type, len(v.Args)-1)
	case Extract:
		if a := v.Args[0]; !a.Op.Several() || int(v.Int) >= a.Lanes {
			c.errorf(v, "takes no lane of a vector load")
		}
	case Atomic:
		c.atomic(v)
	case AtomicLoad, AtomicStore:
		c.strong(v)
	case Bitcast:
		if v.Type.Bits() != v.Args[0].Type.Bits() || v.Type == Bool {
			c.errorf(v, "changes the width")
		}
	case FToF:
		if v.Type == v.Args[0].Type {
			c.errorf(v, "changes nothing")
		}
	case Vote, Match, BarrierRed:
		if v.Type != togetherTypes[v.Sub] {
			c.errorf(v, "has a wrong result type")
		}
	case MMA:
		c.product(v)
	case Shfl:
		if v.Type == Bool || v.Type == Ptr {
			c.errorf(v, "shuffles a %s", v.Type)
		}
	case Cmp:
		c.compare(v)
	}
	for _, a := range v.Args {
		if a.Op.Several() && a.Lanes > 0 && v.Op != Extract {
			c.errorf(v, "uses a vector load as a value")
		}
	}
}

func (c *verifier) access(v *Value, t Type, lanes int) {
	if !v.Mem.Holds(t) {
		c.errorf(v, "moves a %s as %s", t, v.Mem)
	}
	if v.Lanes != 0 && v.Lanes != 2 && v.Lanes != 4 || v.Op == Store && max(v.Lanes, 1) != lanes {
		c.errorf(v, "has a wrong number of lanes")
	}
	if v.Lanes*v.Mem.Size() > 16 {
		c.errorf(v, "is wider than 16 bytes")
	}
}

// ordered checks what all atomics have, of a value of type t in memory.
func (c *verifier) ordered(v *Value, t Type) {
	if !v.Mem.Holds(t) || t == Bool || t == Ptr {
		c.errorf(v, "moves a %s as %s", t, v.Mem)
	}
	if v.Scope == ScopeNone {
		c.errorf(v, "has no scope")
	}
}

// strong checks an AtomicLoad or an AtomicStore.
func (c *verifier) strong(v *Value) {
	if v.Op == AtomicLoad {
		c.ordered(v, v.Type)
		if v.Order.Releases() {
			c.errorf(v, "is a load that releases")
		}
		return
	}
	c.ordered(v, v.Args[1].Type)
	if v.Order.Acquires() {
		c.errorf(v, "is a store that acquires")
	}
}

func (c *verifier) atomic(v *Value) {
	c.ordered(v, v.Type)
	operands, halves := 1, v.Sub == AtomAddF16 || v.Sub == AtomAddBF16
	if v.Sub == AtomCAS {
		operands = 2
	}
	switch {
	case v.Mem.Size() < 4 && v.Sub != AtomCAS && !(halves && v.Mem == U16), halves && v.Mem != U16 && v.Mem != B32:
		c.errorf(v, "is of %d bits", 8*v.Mem.Size())
	case v.Lanes != 0 && (v.Lanes != 2 || v.Mem != B64 || v.Sub != AtomCAS && v.Sub != AtomExch):
		c.errorf(v, "is of no 128 bits")
	}
	if want := 1 + operands*max(v.Lanes, 1); len(v.Args) != want {
		c.errorf(v, "has %d arguments, wants %d", len(v.Args), want)
	}
}

func (c *verifier) product(v *Value) {
	p := ProductOf(v.Sub)
	a, b, sums := p.Registers()
	factor, sum := p.Types()
	if v.Type != sum || v.Lanes != sums || len(v.Args) != a+b+sums {
		c.errorf(v, "has not %d registers of factors and %d of sums", a+b, sums)
		return
	}
	for i, x := range v.Args {
		if want := [2]Type{factor, sum}[min(i/(a+b), 1)]; x.Type != want {
			c.errorf(v, "has a %s as argument %d, wants %s", x.Type, i, want)
		}
	}
}

func (c *verifier) compare(v *Value) {
	t := v.Args[0].Type
	unsigned := v.Sub >= LtU
	ok := v.Sub == Eq || v.Sub == Ne || t.IsInt() || t.IsFloat() && !unsigned || t == Ptr && unsigned
	if !ok {
		c.errorf(v, "cannot compare %s", t)
	}
}

// dominance checks that every argument is defined before its use. A phi uses it at the end of the
// predecessor.
func (c *verifier) dominance(d *Dom, v *Value) {
	for i, a := range v.Args {
		if c.at[a] == 0 {
			c.errorf(v, "uses v%d, which is in no block", a.ID)
			continue
		}
		use := v.Block
		if v.Op == Phi {
			use = v.Block.Preds[i]
		}
		if !d.Reachable(use) {
			continue
		}
		if use == a.Block && v.Op != Phi {
			if c.at[a] >= c.at[v] {
				c.errorf(v, "uses v%d before it is defined", a.ID)
			}
		} else if !d.Dominates(a.Block, use) {
			c.errorf(v, "uses v%d, which does not dominate it", a.ID)
		}
	}
}
