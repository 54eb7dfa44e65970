package lanes

import (
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim/code"

	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Arithmetic on f16 and bf16: each operation is done in double precision, rounded to odd where that
// is not exact, and rounded once to the short format. A pair type does so in both halves.

// shortFormats are the formats of the 16-bit types and of pairs of them.
var shortFormats = map[ptx.Type]*softfloat.Format{
	ptx.F16: softfloat.Half, ptx.F16x2: softfloat.Half, ptx.BF16: softfloat.BFloat, ptx.BF16x2: softfloat.BFloat,
}

func isPair(t ptx.Type) bool { return t == ptx.F16x2 || t == ptx.BF16x2 }

// short1 to short3 make execs of functions in double precision whose result has been rounded to
// odd.

func short1(d *code.Inst, fm *softfloat.Format, f func(a float64) float64) Op {
	in, out := shortIn(d, fm), shortOut(d, fm)
	op := func(a uint32) uint32 { return out(f(in(a))) }
	if isPair(d.Type) {
		return of1(func(a uint32) uint32 { return op(a&0xffff) | op(a>>16)<<16 })
	}
	return of1(op)
}

func short2(d *code.Inst, fm *softfloat.Format, f func(a, b float64) float64) Op {
	in, out := shortIn(d, fm), shortOut(d, fm)
	op := func(a, b uint32) uint32 { return out(f(in(a), in(b))) }
	if isPair(d.Type) {
		return of2(func(a, b uint32) uint32 { return op(a&0xffff, b&0xffff) | op(a>>16, b>>16)<<16 })
	}
	return of2(op)
}

func short3(d *code.Inst, fm *softfloat.Format, f func(a, b, c float64) float64) Op {
	in, out := shortIn(d, fm), shortOut(d, fm)
	op := func(a, b, c uint32) uint32 { return out(f(in(a), in(b), in(c))) }
	if isPair(d.Type) {
		return of3(func(a, b, c uint32) uint32 {
			return op(a&0xffff, b&0xffff, c&0xffff) | op(a>>16, b>>16, c>>16)<<16
		})
	}
	return of3(op)
}

// shortIn decodes an operand, flushing denormals for .ftz.
func shortIn(d *code.Inst, fm *softfloat.Format) func(uint32) float64 {
	if !d.Has(code.FTZ) {
		return fm.Value
	}
	return func(x uint32) float64 { return fm.Value(fm.Flush(x)) }
}

// shortOut rounds a result, for .ftz, .sat and .relu too.
func shortOut(d *code.Inst, fm *softfloat.Format) func(float64) uint32 {
	ftz, sat, relu := d.Has(code.FTZ), d.Has(code.Saturate), d.Has(code.ReLU)
	return func(x float64) uint32 {
		if sat {
			x = softfloat.Saturate(x)
		}
		if relu && (x < 0 || x == 0) {
			x = 0
		}
		r := fm.Round(x, softfloat.Nearest)
		if ftz {
			r = fm.Flush(r)
		}
		return r
	}
}

// mulAddOdd is a*b+c rounded to odd for operands of a short format, whose product is exact.
func mulAddOdd(a, b, c float64) float64 { return softfloat.AddOdd(a*b, c) }

// shortSign is abs and neg, which only touch the sign. NaN becomes the canonical one only when
// flushing.
func shortSign(d *code.Inst, fm *softfloat.Format, clear, flip uint32) Op {
	ftz := d.Has(code.FTZ)
	op := func(a uint32) uint32 {
		if ftz {
			a = fm.Flush(a)
		}
		return a&^clear ^ flip
	}
	if isPair(d.Type) {
		return of1(func(a uint32) uint32 { return op(a&0xffff) | op(a>>16)<<16 })
	}
	return of1(op)
}

// shortExtreme is min and max.
func shortExtreme(d *code.Inst, fm *softfloat.Format, f func(a, b float64) float64) Op {
	nan, xorsign := d.Has(code.PropagateNaN), d.Has(code.XorSign)
	return short2(d, fm, func(a, b float64) float64 {
		if nan && (a != a || b != b) {
			return math.NaN()
		}
		if !xorsign {
			return f(a, b)
		}
		r := f(math.Abs(a), math.Abs(b))
		if math.Signbit(a) != math.Signbit(b) {
			r = -r
		}
		return r
	})
}
