package sim_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// The reference rounds exact values, held as big floats, with integer arithmetic, and so shares
// nothing with the simulator.

// floatFormat is a binary format: bits of the significand with its leading one, and the exponent of
// the smallest normal number.
type floatFormat struct {
	prec, emin, bits int
	nan              uint64
}

var formats = map[string]floatFormat{
	"f16": {11, -14, 16, 0x7fff}, "bf16": {8, -126, 16, 0x7fff}, "f32": {24, -126, 32, 0x7fffffff},
	"f64":  {53, -1022, 64, 0xfff8000000000000},
	"tf32": {11, -126, 32, 0x7fffffff},
}

// value reads bits of the format. NaN is nil.
func (f floatFormat) value(b uint64) *big.Float {
	mant := f.prec - 1
	exp := int(b >> mant & (1<<(f.bits-f.prec) - 1))
	sig := int64(b & (1<<mant - 1))
	neg := b>>(f.bits-1)&1 != 0
	x := new(big.Float).SetPrec(5000)
	switch {
	case exp == 1<<(f.bits-f.prec)-1 && sig != 0:
		return nil
	case exp == 1<<(f.bits-f.prec)-1:
		return x.SetInf(neg)
	case exp == 0:
		x.SetMantExp(x.SetInt64(sig), f.emin-mant)
	default:
		x.SetMantExp(x.SetInt64(sig+1<<mant), f.emin+exp-1-mant)
	}
	if neg {
		x.Neg(x)
	}
	return x
}

// round gives the bits of an exact value. nil is NaN.
func (f floatFormat) round(x *big.Float, mode string) uint64 {
	if x == nil {
		return f.nan
	}
	sign := uint64(0)
	if x.Signbit() {
		sign = 1 << (f.bits - 1)
	}
	mant := f.prec - 1
	infinity := uint64(1<<(f.bits-f.prec)-1) << mant
	if x.IsInf() {
		return sign | infinity
	}
	if x.Sign() == 0 {
		return sign
	}
	abs := new(big.Float).Abs(x)
	unit := max(abs.MantExp(nil)-1, f.emin) - mant // exponent of the last place
	scaled := new(big.Float).SetMantExp(abs, -unit)
	n, acc := scaled.Int(nil) // truncates
	rest := new(big.Float).SetPrec(5000).Sub(scaled, new(big.Float).SetPrec(5000).SetInt(n))
	half := rest.Cmp(big.NewFloat(0.5))
	grow := false
	switch mode {
	case "rn":
		grow = half > 0 || half == 0 && n.Bit(0) == 1
	case "rna":
		grow = half >= 0
	case "rm":
		grow = acc != big.Exact && sign != 0
	case "rp":
		grow = acc != big.Exact && sign == 0
	}
	if grow {
		n.Add(n, big.NewInt(1))
	}
	b := n.Uint64()
	if unit > f.emin-mant {
		b += uint64(unit-(f.emin-mant)) << mant
	}
	if b >= infinity {
		b = infinity
		if mode == "rz" || mode == "rm" && sign == 0 || mode == "rp" && sign != 0 {
			b--
		}
	}
	return sign | b
}

// add, mul and quo are big.Float's operations with IEEE's answers where that panics, and its sign
// of zero.

func add(x, y *big.Float, mode string) *big.Float {
	switch {
	case x == nil || y == nil || x.IsInf() && y.IsInf() && x.Signbit() != y.Signbit():
		return nil
	}
	z := new(big.Float).SetPrec(5000).Add(x, y)
	if z.Sign() == 0 && !x.IsInf() {
		neg := x.Signbit() && y.Signbit() || mode == "rm" && (x.Signbit() || y.Signbit())
		z.Abs(z)
		if neg {
			z.Neg(z)
		}
	}
	return z
}

func mul(x, y *big.Float) *big.Float {
	if x == nil || y == nil || x.IsInf() && y.Sign() == 0 || y.IsInf() && x.Sign() == 0 {
		return nil
	}
	return new(big.Float).SetPrec(5000).Mul(x, y)
}

func quo(x, y *big.Float) *big.Float {
	if x == nil || y == nil || x.IsInf() && y.IsInf() || x.Sign() == 0 && y.Sign() == 0 {
		return nil
	}
	return new(big.Float).SetPrec(400).Quo(x, y)
}

func root(x *big.Float) *big.Float {
	if x == nil || x.Sign() < 0 {
		return nil
	}
	return new(big.Float).SetPrec(400).Sqrt(x)
}

// adjust applies .ftz and .sat around an operation.
type adjust struct{ ftz, sat bool }

func (a adjust) in(f floatFormat, b uint64) uint64 {
	if a.ftz && b>>(f.prec-1)&(1<<(f.bits-f.prec)-1) == 0 {
		b &= 1 << (f.bits - 1)
	}
	return b
}

func (a adjust) out(f floatFormat, b uint64) uint64 {
	b = a.in(f, b)
	if a.sat {
		switch x := f.value(b); {
		case x == nil || x.Signbit():
			b = 0
		case x.Cmp(big.NewFloat(1)) > 0:
			b = f.round(big.NewFloat(1), "rn")
		}
	}
	return b
}

// floatWant makes op.want of an exact operation. The NaN of the result is from the last of nans
// that is one. These are operands, all of them in their order when none are given.
func floatWant(typ, mode string, a adjust, f func(x []*big.Float) *big.Float, nans ...int) func([]uint64) uint64 {
	fm := formats[typ]
	if nans == nil {
		nans = []int{0, 1, 2}
	}
	return func(in []uint64) uint64 {
		var x []*big.Float
		for _, b := range in {
			x = append(x, fm.value(a.in(fm, b&(^uint64(0)>>(64-fm.bits)))))
		}
		r := f(x)
		if r == nil && typ == "f64" {
			var from []uint64
			for _, i := range nans {
				from = append(from, in[i])
			}
			return nanResult(from)
		}
		return a.out(fm, fm.round(r, mode))
	}
}

// nanResult is the NaN of an operation in double precision: the last operand that is one, made
// quiet, or the default.
func nanResult(in []uint64) uint64 {
	r := uint64(0xfff8000000000000)
	for _, b := range in {
		if x := math.Float64frombits(b); x != x {
			r = b | 1<<51
		}
	}
	return r
}

func sum(mode string) func(x []*big.Float) *big.Float {
	return func(x []*big.Float) *big.Float { return add(x[0], x[1], mode) }
}

func difference(mode string) func(x []*big.Float) *big.Float {
	return func(x []*big.Float) *big.Float {
		if x[1] == nil {
			return nil
		}
		return add(x[0], new(big.Float).Neg(x[1]), mode)
	}
}

func product(x []*big.Float) *big.Float { return mul(x[0], x[1]) }

func fused(mode string) func(x []*big.Float) *big.Float {
	return func(x []*big.Float) *big.Float {
		p := mul(x[0], x[1])
		if p == nil || x[2] == nil {
			return nil
		}
		return add(p, x[2], mode)
	}
}

func TestFloatArithmetic(t *testing.T) {
	var ops []op
	for _, typ := range []string{"f32", "f64"} {
		for _, mode := range []string{"rn", "rz", "rm", "rp"} {
			r3, r4, r2 := typ+" "+typ+" "+typ, typ+" "+typ+" "+typ+" "+typ, typ+" "+typ
			ops = append(ops,
				op{code: "add." + mode + "." + typ + " %d, %a, %b;", regs: r3,
					want: floatWant(typ, mode, adjust{}, sum(mode))},
				op{code: "sub." + mode + "." + typ + " %d, %a, %b;", regs: r3,
					want: floatWant(typ, mode, adjust{}, difference(mode))},
				op{code: "mul." + mode + "." + typ + " %d, %a, %b;", regs: r3,
					want: floatWant(typ, mode, adjust{}, product)},
				op{code: "fma." + mode + "." + typ + " %d, %a, %b, %c;", regs: r4,
					want: floatWant(typ, mode, adjust{}, fused(mode), 0, 2, 1)},
				op{code: "div." + mode + "." + typ + " %d, %a, %b;", regs: r3,
					want: floatWant(typ, mode, adjust{},
						func(x []*big.Float) *big.Float { return quo(x[0], x[1]) }, 1, 0)},
				op{code: "rcp." + mode + "." + typ + " %d, %a;", regs: r2,
					want: floatWant(typ, mode, adjust{},
						func(x []*big.Float) *big.Float { return quo(big.NewFloat(1), x[0]) })},
				op{code: "sqrt." + mode + "." + typ + " %d, %a;", regs: r2,
					want: floatWant(typ, mode, adjust{}, func(x []*big.Float) *big.Float { return root(x[0]) })},
			)
		}
	}
	for suffix, a := range map[string]adjust{"ftz": {ftz: true}, "sat": {sat: true}, "ftz.sat": {true, true}} {
		ops = append(ops,
			op{code: "add.rn." + suffix + ".f32 %d, %a, %b;", regs: "f32 f32 f32",
				want: floatWant("f32", "rn", a, sum("rn"))},
			op{code: "mul.rz." + suffix + ".f32 %d, %a, %b;", regs: "f32 f32 f32",
				want: floatWant("f32", "rz", a, product)},
			op{code: "fma.rn." + suffix + ".f32 %d, %a, %b, %c;", regs: "f32 f32 f32 f32",
				want: floatWant("f32", "rn", a, fused("rn"))},
		)
	}
	ops = append(ops, op{code: "mad.rn.f32 %d, %a, %b, %c;", regs: "f32 f32 f32 f32",
		want: floatWant("f32", "rn", adjust{}, fused("rn"))})
	// Constants of either precision.
	ops = append(ops,
		op{code: "add.f32 %d, %a, 0f3FC00000;", regs: "f32 f32",
			want: floatWant("f32", "rn", adjust{},
				func(x []*big.Float) *big.Float { return add(x[0], big.NewFloat(1.5), "rn") })},
		op{code: "mul.f64 %d, %a, 0d3FF8000000000000;", regs: "f64 f64",
			want: floatWant("f64", "rn", adjust{},
				func(x []*big.Float) *big.Float { return mul(x[0], big.NewFloat(1.5)) })})
	runOps(t, ops)
}

func TestHalfArithmetic(t *testing.T) {
	var ops []op
	for _, typ := range []string{"f16", "bf16"} {
		pair := func(f func([]uint64) uint64) func([]uint64) uint64 {
			return func(in []uint64) uint64 {
				lo, hi := make([]uint64, len(in)), make([]uint64, len(in))
				for i, b := range in {
					lo[i], hi[i] = b&0xffff, b>>16&0xffff
				}
				return f(lo) | f(hi)<<16
			}
		}
		for code, f := range map[string]func([]*big.Float) *big.Float{"add": sum("rn"),
			"sub": difference("rn"), "mul": product} {
			w := floatWant(typ, "rn", adjust{}, f)
			ops = append(ops, op{code: code + ".rn." + typ + " %d, %a, %b;", regs: typ + " " + typ + " " + typ,
				want: w},
				op{code: code + ".rn." + typ + "x2 %d, %a, %b;", regs: typ + "x2 " + typ + "x2 " + typ + "x2",
					want: pair(w)})
		}
		w := floatWant(typ, "rn", adjust{}, fused("rn"))
		ops = append(ops, op{code: "fma.rn." + typ + " %d, %a, %b, %c;",
			regs: typ + " " + typ + " " + typ + " " + typ, want: w},
			op{code: "fma.rn." + typ + "x2 %d, %a, %b, %c;",
				regs: typ + "x2 " + typ + "x2 " + typ + "x2 " + typ + "x2", want: pair(w)})
		fm := formats[typ]
		for _, max := range []bool{false, true} {
			name := "min"
			if max {
				name = "max"
			}
			pick := func(in []uint64) uint64 { return extremeBits(fm, in[0], in[1], max, false) }
			pickNaN := func(in []uint64) uint64 { return extremeBits(fm, in[0], in[1], max, true) }
			ops = append(ops, op{code: name + "." + typ + " %d, %a, %b;", regs: typ + " " + typ + " " + typ,
				want: pick},
				op{code: name + ".NaN." + typ + "x2 %d, %a, %b;", regs: typ + "x2 " + typ + "x2 " + typ + "x2",
					want: pair(pickNaN)})
		}
	}
	ftz := adjust{ftz: true}
	ops = append(ops,
		op{code: "add.ftz.f16 %d, %a, %b;", regs: "f16 f16 f16", want: floatWant("f16", "rn", ftz, sum("rn"))},
		op{code: "mul.sat.f16 %d, %a, %b;", regs: "f16 f16 f16",
			want: floatWant("f16", "rn", adjust{sat: true}, product)},
		op{code: "fma.rn.relu.f16 %d, %a, %b, %c;", regs: "f16 f16 f16 f16", want: func(in []uint64) uint64 {
			r := floatWant("f16", "rn", adjust{}, fused("rn"))(in)
			if x := formats["f16"].value(r); x != nil && x.Signbit() {
				return 0
			}
			return r
		}},
	)
	runOps(t, ops)
}

// extremeBits is min and max on bits: -0 below +0, a NaN loses unless it is to win.
func extremeBits(f floatFormat, a, b uint64, greatest, nan bool) uint64 {
	x, y := f.value(a), f.value(b)
	switch {
	case x == nil && y == nil, nan && (x == nil || y == nil):
		return f.nan
	case x == nil:
		return b
	case y == nil:
		return a
	}
	c := x.Cmp(y)
	if c == 0 && x.Signbit() != y.Signbit() {
		c = 1
		if x.Signbit() {
			c = -1
		}
	}
	if c < 0 == greatest {
		return b
	}
	return a
}

func TestFloatSelection(t *testing.T) {
	f32, f64 := formats["f32"], formats["f64"]
	minmax := func(f floatFormat, greatest, nan bool) func([]uint64) uint64 {
		return func(in []uint64) uint64 {
			if f.bits == 64 && f.value(in[0]) == nil && f.value(in[1]) == nil {
				return nanResult(in[:2])
			}
			return extremeBits(f, in[0], in[1], greatest, nan)
		}
	}
	notNumber := func(in []uint64) bool { return f32.value(in[0]) == nil } // the GPU gives one or the other NaN
	sign64 := func(f func(uint64) uint64) func([]uint64) uint64 {
		return func(in []uint64) uint64 {
			if f64.value(in[0]) == nil { // left as it is: CUDA C++ Programming Guide, "Floating-Point Standard"
				return in[0]
			}
			return f(in[0])
		}
	}
	runOps(t, []op{
		{code: "min.f32 %d, %a, %b;", regs: "f32 f32 f32", want: minmax(f32, false, false)},
		{code: "max.f32 %d, %a, %b;", regs: "f32 f32 f32", want: minmax(f32, true, false)},
		{code: "min.NaN.f32 %d, %a, %b;", regs: "f32 f32 f32", want: minmax(f32, false, true)},
		{code: "max.NaN.f32 %d, %a, %b;", regs: "f32 f32 f32", want: minmax(f32, true, true)},
		{code: "max.ftz.f32 %d, %a, %b;", regs: "f32 f32 f32", want: func(in []uint64) uint64 {
			z := adjust{ftz: true}
			return extremeBits(f32, z.in(f32, in[0]), z.in(f32, in[1]), true, false)
		}},
		{code: "min.xorsign.abs.f32 %d, %a, %b;", regs: "f32 f32 f32", want: func(in []uint64) uint64 {
			r := extremeBits(f32, in[0]&0x7fffffff, in[1]&0x7fffffff, false, false)
			return r&0x7fffffff | (in[0]^in[1])&0x80000000
		}, skip: func(in []uint64) bool { return f32.value(in[0]) == nil || f32.value(in[1]) == nil }},
		{code: "min.f64 %d, %a, %b;", regs: "f64 f64 f64", want: minmax(f64, false, false)},
		{code: "max.f64 %d, %a, %b;", regs: "f64 f64 f64", want: minmax(f64, true, false)},
		{code: "abs.f32 %d, %a;", regs: "f32 f32", want: fn1(func(b uint32) uint32 { return b &^ (1 << 31) }),
			skip: notNumber},
		{code: "neg.f32 %d, %a;", regs: "f32 f32", want: fn1(func(b uint32) uint32 { return b ^ 1<<31 }),
			skip: notNumber},
		{code: "abs.f64 %d, %a;", regs: "f64 f64", want: sign64(func(b uint64) uint64 { return b &^ (1 << 63) })},
		{code: "neg.f64 %d, %a;", regs: "f64 f64", want: sign64(func(b uint64) uint64 { return b ^ 1<<63 })},
		{code: "copysign.f32 %d, %a, %b;", regs: "f32 f32 f32",
			want: func(in []uint64) uint64 { return in[1]&0x7fffffff | in[0]&0x80000000 }},
		{code: "copysign.f64 %d, %a, %b;", regs: "f64 f64 f64",
			want: func(in []uint64) uint64 { return in[1]&^(1<<63) | in[0]&(1<<63) }},
		{code: "selp.f32 %d, %a, %b, %c;", regs: "f32 f32 f32 pred",
			want: func(in []uint64) uint64 { return pick(in[2] != 0, in[0], in[1]) }},
		{code: "selp.b64 %d, %a, %b, %c;", regs: "b64 b64 b64 pred",
			want: func(in []uint64) uint64 { return pick(in[2] != 0, in[0], in[1]) }},
		{code: "selp.u16 %d, %a, 7, %b;", regs: "u16 u16 pred",
			want: func(in []uint64) uint64 { return pick(in[1] != 0, in[0], 7) }},
		{code: "slct.u32.s32 %d, %a, %b, %c;", regs: "u32 u32 u32 s32",
			want: func(in []uint64) uint64 { return pick(int32(in[2]) >= 0, in[0], in[1]) }},
		{code: "slct.f64.f32 %d, %a, %b, %c;", regs: "f64 f64 f64 f32",
			want: func(in []uint64) uint64 { return pick(as[float32](in[2]) >= 0, in[0], in[1]) }},
	})
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

// TestApproximations compares with what the manual promises: errors in units in the last place or,
// for sin, cos and lg2, absolute ones, which operands near one make relative.
func TestApproximations(t *testing.T) {
	one := func(f func(x float64) float64) func([]uint64) uint64 {
		return fn1(func(a float32) float32 {
			r := float32(f(float64(a)))
			if r != r {
				return math.Float32frombits(0x7fffffff)
			}
			return r
		})
	}
	flush := func(x float64) float64 {
		if math.Abs(x) < 0x1p-126 {
			return math.Copysign(0, x)
		}
		return x
	}
	far := func(low, high float64) func(in []uint64) bool {
		return func(in []uint64) bool { x := math.Abs(float64(as[float32](in[0]))); return !(x >= low && x <= high) }
	}
	runOps(t, []op{
		{code: "rcp.approx.f32 %d, %a;", regs: "f32 f32", ulp: 1, want: one(func(x float64) float64 { return 1 / x })},
		{code: "rcp.approx.ftz.f32 %d, %a;", regs: "f32 f32", ulp: 1,
			want: one(func(x float64) float64 { return flush(float64(float32(1 / flush(x)))) })},
		{code: "rsqrt.approx.f32 %d, %a;", regs: "f32 f32", ulp: 3,
			want: one(func(x float64) float64 { return 1 / math.Sqrt(x) })},
		{code: "rsqrt.approx.f64 %d, %a;", regs: "f64 f64", ulp: 1e9,
			want: fn1(func(x float64) float64 { return 1 / math.Sqrt(x) })},
		{code: "sqrt.approx.f32 %d, %a;", regs: "f32 f32", ulp: 3, want: one(math.Sqrt),
			skip: far(0x1p-126, math.Inf(1))},
		{code: "ex2.approx.f32 %d, %a;", regs: "f32 f32", ulp: 3, want: one(math.Exp2)},
		{code: "lg2.approx.f32 %d, %a;", regs: "f32 f32", ulp: 8, want: one(math.Log2), skip: far(2.5, 1e30)},
		{code: "sin.approx.f32 %d, %a;", regs: "f32 f32", ulp: 64, want: one(math.Sin), skip: far(0.25, 2.6)},
		{code: "cos.approx.f32 %d, %a;", regs: "f32 f32", ulp: 64, want: one(math.Cos), skip: far(0.1, 1.2)},
		{code: "tanh.approx.f32 %d, %a;", regs: "f32 f32", ulp: 8300, want: one(math.Tanh),
			skip: far(0x1p-20, math.Inf(1))},
		{code: "div.full.f32 %d, %a, %b;", regs: "f32 f32 f32", ulp: 2,
			want: fn2(func(a, b float32) float32 { return a / b }), skip: func(in []uint64) bool {
				b := math.Abs(float64(as[float32](in[1])))
				q := math.Abs(float64(as[float32](in[0]))) / b
				return !(b >= 0x1p-126 && b <= 0x1p126) || !(q >= 0x1p-120)
			}},
		{code: "div.approx.f32 %d, %a, %b;", regs: "f32 f32 f32", ulp: 2,
			want: fn2(func(a, b float32) float32 { return a / b }), skip: func(in []uint64) bool {
				b := math.Abs(float64(as[float32](in[1])))
				q := math.Abs(float64(as[float32](in[0]))) / b
				return !(b >= 0x1p-126 && b <= 0x1p126) || !(q >= 0x1p-120)
			}},
		{code: "ex2.approx.f16 %d, %a;", regs: "f16 f16", ulp: 1, want: func(in []uint64) uint64 {
			f := formats["f16"]
			x := f.value(in[0])
			if x == nil {
				return f.nan
			}
			v, _ := x.Float64()
			return f.round(new(big.Float).SetFloat64(math.Exp2(v)), "rn")
		}},
	})
}

func TestTestp(t *testing.T) {
	var ops []op
	for _, typ := range []string{"f32", "f64"} {
		f := formats[typ]
		for kind, holds := range map[string]func(x *big.Float) bool{
			"finite":     func(x *big.Float) bool { return x != nil && !x.IsInf() },
			"infinite":   func(x *big.Float) bool { return x != nil && x.IsInf() },
			"number":     func(x *big.Float) bool { return x != nil },
			"notanumber": func(x *big.Float) bool { return x == nil },
			"normal": func(x *big.Float) bool {
				return x != nil && !x.IsInf() && (x.Sign() == 0 || x.MantExp(nil)-1 >= f.emin)
			},
			"subnormal": func(x *big.Float) bool {
				return x != nil && x.Sign() != 0 &&
					x.MantExp(nil)-1 < f.emin && !x.IsInf()
			},
		} {
			ops = append(ops, op{code: "testp." + kind + "." + typ + " %d, %a;", regs: "pred " + typ,
				quirk: "guarded", want: func(in []uint64) uint64 {
					return uint64(raw1(holds(f.value(in[0]))))
				}})
		}
	}
	runOps(t, ops)
}

// relations are the comparisons: what must hold of the order of two operands, which is 2 when
// either is NaN.
var relations = map[string][]int{
	"eq": {0}, "ne": {-1, 1}, "lt": {-1}, "le": {-1, 0}, "gt": {1}, "ge": {0, 1},
	"lo": {-1}, "ls": {-1, 0}, "hi": {1}, "hs": {0, 1},
	"equ": {0, 2}, "neu": {-1, 1, 2}, "ltu": {-1, 2}, "leu": {-1, 0, 2}, "gtu": {1, 2}, "geu": {0, 1, 2},
	"num": {-1, 0, 1}, "nan": {2},
}

func orderOf(typ string, a, b uint64) int {
	if f, ok := formats[typ]; ok {
		x, y := f.value(a), f.value(b)
		if x == nil || y == nil {
			return 2
		}
		return x.Cmp(y)
	}
	n := size(typ)
	if typ[0] == 's' {
		x, y := int64(a<<(64-n)), int64(b<<(64-n))
		return sign(x < y, x > y)
	}
	return sign(a < b, a > b)
}

func sign(less, greater bool) int {
	return int(raw1(greater)) - int(raw1(less))
}

func TestComparisons(t *testing.T) {
	var ops []op
	for _, c := range []struct{ types, cmps string }{
		{"u16 u32 u64 s16 s32 s64", "eq ne lt le gt ge"}, {"u16 u32 u64", "lo ls hi hs"}, {"b16 b32 b64", "eq ne"},
		{"f32 f64 f16 bf16", "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"},
	} {
		for _, typ := range fields(c.types) {
			for _, cmp := range fields(c.cmps) {
				holds := func(in []uint64) bool { return slices.Contains(relations[cmp], orderOf(typ, in[0], in[1])) }
				ops = append(ops, op{code: "setp." + cmp + "." + typ + " %d, %a, %b;",
					regs: "pred " + typ + " " + typ, want: func(in []uint64) uint64 {
						return uint64(raw1(holds(in)))
					}})
				if size(typ) >= 32 || typ[0] == 's' {
					ops = append(ops, op{code: "set." + cmp + ".u32." + typ + " %d, %a, %b;",
						regs: "u32 " + typ + " " + typ, quirk: "guarded", want: func(in []uint64) uint64 {
							return uint64(-raw1(holds(in)))
						}})
				}
			}
		}
	}
	less := func(in []uint64) uint64 { return uint64(raw1(int32(in[0]) < int32(in[1]))) }
	ops = append(ops,
		op{code: "setp.lt.and.s32 %d, %a, %b, %c;", regs: "pred s32 s32 pred",
			want: func(in []uint64) uint64 { return less(in) & in[2] }},
		op{code: "setp.lt.or.s32 %d, %a, %b, !%c;", regs: "pred s32 s32 pred",
			want: func(in []uint64) uint64 { return less(in) | (1 - in[2]) }},
		op{code: "setp.lt.xor.s32 %d|%out, %a, %b, %c;", regs: "pred s32 s32 pred",
			want: func(in []uint64) uint64 { return less(in) ^ in[2] }},
		op{code: "setp.lt.and.s32 %out|%d, %a, %b, %c;", regs: "pred s32 s32 pred",
			want: func(in []uint64) uint64 { return (1 - less(in)) & in[2] }},
		op{code: "setp.lt.s32 %out|%d, %a, %b;", regs: "pred s32 s32",
			want: func(in []uint64) uint64 { return 1 - less(in) }},
		op{code: "setp.lt.s32 %d, %a, -5;", regs: "pred s32", want: fn1(func(a int32) bool { return a < -5 })},
		op{code: "set.lt.and.f32.s32 %d, %a, %b, %c;", regs: "f32 s32 s32 pred", quirk: "guarded",
			want: func(in []uint64) uint64 { return less(in) & in[2] * 0x3f800000 }},
		op{code: "setp.lt.ftz.f32 %d, %a, %b;", regs: "pred f32 f32", quirk: "divergent",
			want: func(in []uint64) uint64 {
				z, f := adjust{ftz: true}, formats["f32"]
				return uint64(raw1(orderOf("f32", z.in(f, in[0]), z.in(f, in[1])) == -1))
			}},
		op{code: "setp.gt.f16x2 %d|%out, %a, %b;", regs: "pred f16x2 f16x2", want: func(in []uint64) uint64 {
			return uint64(raw1(orderOf("f16", in[0]&0xffff, in[1]&0xffff) == 1))
		}},
		op{code: "setp.gt.f16x2 %out|%d, %a, %b;", regs: "pred f16x2 f16x2", want: func(in []uint64) uint64 {
			return uint64(raw1(orderOf("f16", in[0]>>16, in[1]>>16) == 1))
		}},
		op{code: "set.gt.f16x2.f16x2 %d, %a, %b;", regs: "f16x2 f16x2 f16x2", want: func(in []uint64) uint64 {
			return uint64(raw1(orderOf("f16", in[0]&0xffff,
				in[1]&0xffff) == 1))*0x3c00 | uint64(raw1(orderOf("f16", in[0]>>16, in[1]>>16) == 1))*0x3c000000
		}},
	)
	runOps(t, ops)
}
