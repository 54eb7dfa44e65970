package lanes

import (
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/math/mufu"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The loops below replace a NaN by the canonical one, as the GPU does in single precision. Go's
// would be the host's.

func addF32(w *Warp, in *Inst) {
	d, a, b := regs2[float32](w, in)
	for i := range d {
		s := a[i] + b[i]
		if s != s {
			s = softfloat.Canonical32
		}
		d[i] = s
	}
}

func subF32(w *Warp, in *Inst) {
	d, a, b := regs2[float32](w, in)
	for i := range d {
		s := a[i] - b[i]
		if s != s {
			s = softfloat.Canonical32
		}
		d[i] = s
	}
}

func mulF32(w *Warp, in *Inst) {
	d, a, b := regs2[float32](w, in)
	for i := range d {
		s := a[i] * b[i]
		if s != s {
			s = softfloat.Canonical32
		}
		d[i] = s
	}
}

func fmaF32(w *Warp, in *Inst) {
	d, a, b, c := regs3[float32](w, in)
	for i := range d {
		p := float64(a[i]) * float64(b[i])
		s := p + float64(c[i])
		r := float32(s)
		if softfloat.Delicate(s) {
			r = softfloat.FMA32(a[i], b[i], c[i])
		}
		if r != r {
			r = softfloat.Canonical32
		}
		d[i] = r
	}
}

func addF64(w *Warp, in *Inst) {
	d, a, b := regs2[float64](w, in)
	for i := range d {
		s := a[i] + b[i]
		if s != s {
			s = softfloat.NaNOf(a[i], b[i])
		}
		d[i] = s
	}
}

func subF64(w *Warp, in *Inst) {
	d, a, b := regs2[float64](w, in)
	for i := range d {
		s := a[i] - b[i]
		if s != s {
			s = softfloat.NaNOf(a[i], b[i])
		}
		d[i] = s
	}
}

func mulF64(w *Warp, in *Inst) {
	d, a, b := regs2[float64](w, in)
	for i := range d {
		s := a[i] * b[i]
		if s != s {
			s = softfloat.NaNOf(a[i], b[i])
		}
		d[i] = s
	}
}

func fmaF64(w *Warp, in *Inst) {
	d, a, b, c := regs3[float64](w, in)
	for i := range d {
		s := math.FMA(a[i], b[i], c[i])
		if s != s {
			s = softfloat.NaNOf(a[i], c[i], b[i])
		}
		d[i] = s
	}
}

// single1 to single3 wrap a function in what .ftz and .sat ask for: denormal inputs and results
// become zero, results are clamped to [0, 1]. A NaN becomes the canonical one.

func single1(d *code.Inst, f func(a float32) float32) Op {
	fin := finish32(d)
	if d.Has(code.FTZ) {
		return of1(func(a float32) float32 { return fin(f(softfloat.Flush32(a))) })
	}
	return of1(func(a float32) float32 { return fin(f(a)) })
}

func single2(d *code.Inst, f func(a, b float32) float32) Op {
	fin := finish32(d)
	if d.Has(code.FTZ) {
		return of2(func(a, b float32) float32 { return fin(f(softfloat.Flush32(a), softfloat.Flush32(b))) })
	}
	return of2(func(a, b float32) float32 { return fin(f(a, b)) })
}

func single3(d *code.Inst, f func(a, b, c float32) float32) Op {
	fin := finish32(d)
	if d.Has(code.FTZ) {
		return of3(func(a, b, c float32) float32 {
			return fin(f(softfloat.Flush32(a), softfloat.Flush32(b), softfloat.Flush32(c)))
		})
	}
	return of3(func(a, b, c float32) float32 { return fin(f(a, b, c)) })
}

// finish32 returns the last step of a single-precision result: it makes a NaN canonical, and applies
// .ftz and .sat.
func finish32(d *code.Inst) func(float32) float32 {
	ftz, sat := d.Has(code.FTZ), d.Has(code.Saturate)
	return func(x float32) float32 {
		if x != x {
			x = softfloat.Canonical32
		}
		if ftz {
			x = softfloat.Flush32(x)
		}
		if sat {
			x = softfloat.Saturate(x)
		}
		return x
	}
}

// double1 to double3 make execs of functions in double precision and take care of NaN.

func double1(f func(a float64) float64) Op {
	return of1(func(a float64) float64 {
		r := f(a)
		if r != r {
			r = softfloat.NaNOf(a)
		}
		return r
	})
}

func double2(f func(a, b float64) float64) Op {
	return of2(func(a, b float64) float64 {
		r := f(a, b)
		if r != r {
			r = softfloat.NaNOf(a, b)
		}
		return r
	})
}

func double3(f func(a, b, c float64) float64) Op {
	return of3(func(a, b, c float64) float64 {
		r := f(a, b, c)
		if r != r {
			r = softfloat.NaNOf(a, c, b)
		}
		return r
	})
}

// plain says that an instruction rounds to nearest and neither flushes nor clamps.
func plain(d *code.Inst) bool {
	return d.Rounding == softfloat.Nearest && !d.Has(code.FTZ) && !d.Has(code.Saturate)
}

func addFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F32 && plain(d):
		return addF32
	case d.Type == ptx.F32:
		return single2(d, func(a, b float32) float32 { return add32(a, b, mode) })
	case mode == softfloat.Nearest:
		return addF64
	}
	return double2(func(a, b float64) float64 { return softfloat.Add64(a, b, mode) })
}

func subFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F32 && plain(d):
		return subF32
	case d.Type == ptx.F32:
		return single2(d, func(a, b float32) float32 { return add32(a, -b, mode) })
	case mode == softfloat.Nearest:
		return subF64
	}
	return double2(func(a, b float64) float64 { return softfloat.Add64(a, -b, mode) })
}

func mulFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F32 && plain(d):
		return mulF32
	case d.Type == ptx.F32:
		return single2(d, func(a, b float32) float32 { return softfloat.Round32(float64(a)*float64(b), mode) })
	case mode == softfloat.Nearest:
		return mulF64
	}
	return double2(func(a, b float64) float64 { return softfloat.Mul64(a, b, mode) })
}

func fmaFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F32 && plain(d):
		return fmaF32
	case d.Type == ptx.F32:
		return single3(d, func(a, b, c float32) float32 {
			p := float64(a) * float64(b)
			return softfloat.Round32(softfloat.SumZero(softfloat.AddOdd(p, float64(c)), p, float64(c), mode), mode)
		})
	case mode == softfloat.Nearest:
		return fmaF64
	}
	return double3(func(a, b, c float64) float64 { return softfloat.FMA64(a, b, c, mode) })
}

func add32(a, b float32, mode softfloat.Rounding) float32 {
	if mode == softfloat.Nearest {
		return a + b
	}
	return softfloat.Round32(softfloat.SumZero(softfloat.AddOdd(float64(a), float64(b)), float64(a),
		float64(b), mode), mode)
}

func divFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F64:
		return of2(func(a, b float64) float64 {
			r := softfloat.Div64(a, b, mode)
			if r != r {
				r = softfloat.NaNOf(b, a)
			}
			return r
		})
	case d.Has(code.Approx):
		return single2(d, func(a, b float32) float32 { return mufu.Div(a, b, d.Has(code.FTZ)) })
	case d.Has(code.Full):
		return single2(d, func(a, b float32) float32 { return mufu.DivFull(a, b, d.Has(code.FTZ)) })
	case mode == softfloat.Nearest:
		return single2(d, func(a, b float32) float32 { return a / b })
	}
	return single2(d, func(a,
		b float32) float32 {
		return softfloat.Round32(softfloat.DivOdd(float64(a), float64(b)), mode)
	})
}

func rcpFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F32 && d.Has(code.Approx):
		return approximation(d)
	case d.Type == ptx.F64 && d.Has(code.Approx):
		return upper64(mufu.RCP64H)
	case d.Type == ptx.F64 && mode == softfloat.Nearest:
		return double1(func(a float64) float64 { return 1 / a })
	case d.Type == ptx.F64:
		return double1(func(a float64) float64 { return softfloat.Div64(1, a, mode) })
	case mode == softfloat.Nearest:
		return single1(d, func(a float32) float32 { return 1 / a })
	}
	return single1(d, func(a float32) float32 { return softfloat.Round32(softfloat.DivOdd(1, float64(a)), mode) })
}

// upper64 makes rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64, which look at the upper half of a
// double and give one, of a function of those halves.
func upper64(f func(upper uint32) uint32) Op {
	return of1(func(a uint64) uint64 { return uint64(f(uint32(a>>32))) << 32 })
}

func sqrtFloat(d *code.Inst) Op {
	mode := d.Rounding
	switch {
	case d.Type == ptx.F64:
		return double1(func(a float64) float64 { return softfloat.Sqrt64(a, mode) })
	case d.Has(code.Approx):
		return approximation(d)
	case mode == softfloat.Nearest:
		return single1(d, func(a float32) float32 { return float32(math.Sqrt(float64(a))) })
	}
	return single1(d, func(a float32) float32 { return softfloat.Round32(softfloat.SqrtOdd(float64(a)), mode) })
}

func rsqrtFloat(d *code.Inst) Op {
	if d.Type == ptx.F32 {
		return approximation(d)
	}
	if d.Has(code.FTZ) {
		return upper64(mufu.RSQ64H)
	}
	return double1(func(a float64) float64 { return 1 / math.Sqrt(a) })
}

// approximation makes what the unit for functions computes. In the short formats ex2 and tanh round
// its results toward zero. What overflows is infinite.
func approximation(d *code.Inst) Op {
	f := mufu.Instruction(string(d.Op), d.Has(code.FTZ))
	fm, ok := shortFormats[d.Type]
	if !ok {
		return single1(d, f)
	}
	return short1(d, fm, func(a float64) float64 {
		y := float64(f(float32(a)))
		if fm == softfloat.Half && y >= 0x1p16 {
			return math.Inf(1)
		}
		return fm.Value(fm.Round(y, softfloat.ToZero))
	})
}

// absFloat and negFloat leave a NaN of double precision as it is.
func absFloat(d *code.Inst) Op {
	if d.Type == ptx.F64 {
		return of1(func(a float64) float64 {
			if a != a {
				return a
			}
			return math.Abs(a)
		})
	}
	return single1(d, func(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) })
}

func negFloat(d *code.Inst) Op {
	if d.Type == ptx.F64 {
		return of1(func(a float64) float64 {
			if a != a {
				return a
			}
			return -a
		})
	}
	return single1(d, func(a float32) float32 { return -a })
}

// minFloat and maxFloat: -0 is less than +0. A NaN loses against a number, or wins with .NaN. With
// .xorsign.abs the magnitudes are compared and the signs multiplied.

func minFloat(d *code.Inst) Op { return extreme(d, lesser[float32], lesser[float64]) }
func maxFloat(d *code.Inst) Op { return extreme(d, greater[float32], greater[float64]) }

func extreme(d *code.Inst, f32 func(a, b float32) float32, f64 func(a, b float64) float64) Op {
	if d.Type == ptx.F64 {
		return double2(func(a, b float64) float64 { return f64(a, b) })
	}
	nan, xorsign := d.Has(code.PropagateNaN), d.Has(code.XorSign)
	return single2(d, func(a, b float32) float32 {
		if nan && (a != a || b != b) {
			return softfloat.Canonical32
		}
		if !xorsign {
			return f32(a, b)
		}
		sign := (math.Float32bits(a) ^ math.Float32bits(b)) & (1 << 31)
		r := f32(abs32(a), abs32(b))
		return math.Float32frombits(math.Float32bits(r)&^(1<<31) | sign)
	})
}

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func lesser[F float32 | float64](a, b F) F {
	switch {
	case a < b || b != b:
		return a
	case b < a || a != a:
		return b
	case math.Signbit(float64(a)): // equal, perhaps zeros of different sign
		return a
	}
	return b
}

func greater[F float32 | float64](a, b F) F {
	switch {
	case a > b || b != b:
		return a
	case b > a || a != a:
		return b
	case math.Signbit(float64(a)):
		return b
	}
	return a
}

func copysign(d *code.Inst) Op { // the sign of a on b
	if d.Type == ptx.F32 {
		return of2(func(a, b uint32) uint32 { return b&^(1<<31) | a&(1<<31) })
	}
	return of2(func(a, b uint64) uint64 { return b&^(1<<63) | a&(1<<63) })
}
