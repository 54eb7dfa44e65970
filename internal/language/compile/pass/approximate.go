package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Approximate puts a GPU's approximations in the place of fast divisions and roots of float32: x/y
// is x times an approximate 1/y, as nvcc's -prec-div=false has it, and with a constant y a product
// with the rounded 1/y. The reciprocal is its own instruction: Hoist moves it before a loop that
// does not change y. What a kernel calls by the name of an approximation flushes subnormal numbers
// then.
func Approximate(f *ir.Func) {
	if !hasFast(f) {
		return
	}
	r := newRewriter(f)
	n := newTally(f, loopApproximated)
	r.run(f.Dominators().Order, func(v *ir.Value) *ir.Value {
		w := r.approximate(v)
		if w != v {
			n.add(v)
		}
		return w
	})
	n.report()
}

// hasFast reports whether a function has an instruction that may be inexact.
func hasFast(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if v.Fast {
				return true
			}
		}
	}
	return false
}

// nearOps are the operations that take the place of fast ones.
var nearOps = map[ir.Op]ir.Op{
	ir.FSqrt: ir.NearSqrt, ir.ApproxExp2: ir.NearExp2, ir.ApproxLog2: ir.NearLog2, ir.ApproxSin: ir.NearSin,
	ir.ApproxCos: ir.NearCos, ir.ApproxRsqrt: ir.NearRsqrt, ir.ApproxRcp: ir.NearRcp,
}

// approximate returns what stands for v.
func (r *rewriter) approximate(v *ir.Value) *ir.Value {
	if !v.Fast || v.Type != ir.F32 {
		return v
	}
	if v.Op == ir.FDiv {
		return r.nearQuotient(v)
	}
	if op, ok := nearOps[v.Op]; ok {
		return r.emit(op, ir.F32, v.Args[0])
	}
	return v
}

// nearQuotient is a fast division.
func (r *rewriter) nearQuotient(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	var inverse *ir.Value
	switch {
	case y.Op == ir.Const:
		c := math.Float32frombits(uint32(y.Int))
		if !isNormal(c) || !isNormal(1/c) {
			return v
		}
		inverse = r.constant(ir.F32, uint64(math.Float32bits(1/c)))
	case y.Op == ir.NearSqrt:
		inverse = r.emit(ir.NearRsqrt, ir.F32, y.Args[0])
	default:
		inverse = r.emit(ir.NearRcp, ir.F32, y)
	}
	if isFloat(x, 1) {
		return inverse
	}
	return r.emit(ir.FMul, ir.F32, x, inverse)
}

// isNormal reports whether x is neither 0 nor subnormal, infinite or NaN.
func isNormal(x float32) bool {
	exponent := math.Float32bits(x) >> 23 & 0xff
	return exponent != 0 && exponent != 0xff
}

// tally counts what a pass does in each loop of the source, for remarks. A nil tally does nothing.
type tally struct {
	m     *remarker
	s     subject
	loops []*ir.Loop // the first that is from each loop of the source
	n     map[*ir.SourceLoop]int
}

func newTally(f *ir.Func, s subject) *tally {
	m := newRemarker(f, nil)
	if m == nil {
		return nil
	}
	return &tally{m: m, s: s, n: map[*ir.SourceLoop]int{}}
}

// add counts v, where its loop is.
func (t *tally) add(v *ir.Value) {
	if t == nil {
		return
	}
	l := t.m.loops.Of(v.Block)
	from := t.m.source(l)
	if from == nil {
		return
	}
	if t.n[from] == 0 {
		t.loops = append(t.loops, l)
	}
	t.n[from]++
}

func (t *tally) report() {
	if t == nil {
		return
	}
	for _, l := range t.loops {
		t.m.did(l, t.s, nil, countDetail, t.n[t.m.source(l)])
	}
}
