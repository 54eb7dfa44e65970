package vet

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
)

// poly is an integer of a function as a polynomial. It has the coefficient of each product of
// unknowns, by their names in order with a * between, and of the constant, by "". Equal polynomials
// are equal numbers, however they were written: 4*i+j and (i<<2)+j, or the counters of two loops
// that begin and step alike. A counter's polynomial stands for all its values.
type poly map[string]int64

// unknown marks the name of what a polynomial cannot tell apart from something else: two different
// ones may yet be equal.
const unknown = "?"

// maxTerms bounds the work on one polynomial.
const maxTerms = 64

func (p poly) String() string {
	var terms []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if p[name] != 0 {
			terms = append(terms, fmt.Sprintf("%d*%s", p[name], name))
		}
	}
	return "(" + strings.Join(terms, "+") + ")"
}

func (p poly) plus(q poly, times int64) poly {
	sum := maps.Clone(p)
	for name, n := range q {
		sum[name] += times * n
	}
	return sum
}

func (p poly) times(q poly) poly {
	product := poly{}
	for a, n := range p {
		for b, m := range q {
			factors := strings.FieldsFunc(a+"*"+b, func(r rune) bool { return r == '*' })
			slices.Sort(factors)
			product[strings.Join(factors, "*")] += n * m
		}
	}
	return product
}

// polys makes polynomials of a function's values.
type polys struct {
	known map[ssa.Value]poly // nil while one is made
}

// atom is something that is not looked into. Its name has no *, which joins names.
func atom(format string, args ...any) poly {
	return poly{strings.ReplaceAll(fmt.Sprintf(format, args...), "*", "×"): 1}
}

func (ps *polys) of(v ssa.Value) poly {
	if p, ok := ps.known[v]; ok {
		if p == nil { // it depends on itself
			return atom("%s%s", unknown, v.Name())
		}
		return p
	}
	ps.known[v] = nil
	p := ps.make(v)
	if len(p) > maxTerms {
		p = atom("%s%s", unknown, v.Name())
	}
	ps.known[v] = p
	return p
}

func (ps *polys) make(v ssa.Value) poly {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return atom("nil")
		}
		if n, exact := constant.Int64Val(constant.ToInt(v.Value)); exact {
			return poly{"": n}
		}
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return atom("%s", v.Name())
	case *ssa.Convert:
		if isInteger(v.Type()) && isInteger(v.X.Type()) {
			return ps.of(v.X)
		}
	case *ssa.ChangeType:
		return ps.of(v.X)
	case *ssa.BinOp:
		return ps.binary(v)
	case *ssa.Phi:
		return ps.counter(v)
	case *ssa.UnOp:
		if name, field := register(v.X); name != "" && v.Op == token.MUL {
			return atom("%s.%s", name, field)
		}
		return atom("%v%v", v.Op, ps.of(v.X))
	case *ssa.FieldAddr:
		return atom("%v.%d", ps.of(v.X), v.Field)
	case *ssa.IndexAddr:
		return atom("%v[%v]", ps.of(v.X), ps.of(v.Index))
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return atom("len%v", ps.of(v.Call.Args[0]))
		}
		if in := gpuFunc(&v.Call); in != nil && in.Group == abi.Position {
			return atom("%s", in.Name)
		}
	}
	return atom("%s%s", unknown, v.Name())
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func (ps *polys) binary(v *ssa.BinOp) poly {
	x, y := ps.of(v.X), ps.of(v.Y)
	switch v.Op {
	case token.ADD:
		return x.plus(y, 1)
	case token.SUB:
		return x.plus(y, -1)
	case token.MUL:
		return x.times(y)
	case token.SHL:
		if n, known := constInt(v.Y); known && n >= 0 && n < 32 {
			return x.times(poly{"": 1 << n})
		}
	}
	return atom("(%v%v%v)", x, v.Op, y)
}

// counter is the first value of a loop's counter, and whatever its steps add to it.
func (ps *polys) counter(phi *ssa.Phi) poly {
	from, step := counter(phi)
	if from == nil {
		return atom("%s%s", unknown, phi.Name())
	}
	return ps.of(from).plus(atom("steps%v", ps.of(step)), 1)
}

// Names of what differs between the blocks of a launch, and between its threads.
var (
	blockNames  = []string{"BlockIdx."}
	threadNames = []string{"BlockIdx.", "ThreadIdx.", "LaneID", "WarpID"}
)

// mention reports whether one of the polynomials has one of the names in it.
func mention(list []string, names ...string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(p, name) })
	})
}

// constant is the value of a polynomial without unknowns.
func (p poly) constant() (n int64, ok bool) {
	for name, times := range p {
		if name != "" && times != 0 {
			return 0, false
		}
	}
	return p[""], true
}
