package mathtest

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// trigonometric are the sine, the tangent, their kin, and what is inverse to them.
var trigonometric = []Function{
	{Name: "Sin", Single: of(gpu.Sin[float32]), Double: of(gpu.Sin[float64]), Exact: unary("sin"), Twofold: twofold.Sin,
		Usual: in(-10, 10), Library: "sin",
		Limit: one, CUDA: Bound{2, 2}, Near: angles, Hard: multiplesOfPi,
		Special: "0:0 -0:-0 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Cos", Single: of(gpu.Cos[float32]), Double: of(gpu.Cos[float64]), Exact: unary("cos"), Twofold: twofold.Cos,
		Usual: in(-10, 10), Library: "cos",
		Limit: one, CUDA: Bound{2, 2}, Near: angles, Hard: multiplesOfPi,
		Special: "0:1 -0:1 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Sincos.sin", Single: of(first(gpu.Sincos[float32])), Double: of(first(gpu.Sincos[float64])), Exact: unary("sin"), Twofold: twofold.Sin,
		Usual: in(-10, 10), Source: "func(x T) T { s, _ := gpu.Sincos(x); return s }",
		Limit: one, CUDA: Bound{2, 2}, Near: angles, Hard: multiplesOfPi,
		Special: "0:0 -0:-0 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Sincos.cos", Single: of(second(gpu.Sincos[float32])), Double: of(second(gpu.Sincos[float64])), Exact: unary("cos"), Twofold: twofold.Cos,
		Usual: in(-10, 10), Source: "func(x T) T { _, c := gpu.Sincos(x); return c }",
		Limit: one, CUDA: Bound{2, 2}, Near: angles, Hard: multiplesOfPi,
		Special: "0:1 -0:1 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Tan", Single: of(gpu.Tan[float32]), Double: of(gpu.Tan[float64]), Exact: unary("tan"), Twofold: twofold.Tan,
		Usual: in(-10, 10), Library: "tan",
		Limit: one, CUDA: Bound{4, 2}, Near: angles, Hard: multiplesOfPi,
		Special: "0:0 -0:-0 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Sinpi", Single: of(gpu.Sinpi[float32]), Double: of(gpu.Sinpi[float64]), Exact: ofTurn("sinpi"), Twofold: twofold.Sinpi,
		Usual: in(-4, 4), Library: "sinpi",
		Limit: one, CUDA: Bound{1, 2}, Near: turns, Hard: []float64{0x1.de1a24p-03},
		Special: "0:0 -0:-0 1:0 -1:-0 2:0 -2:-0 0.5:1 -0.5:-1 1.5:-1 -1.5:1 0x1p60:0 -0x1p60:-0 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Cospi", Single: of(gpu.Cospi[float32]), Double: of(gpu.Cospi[float64]), Exact: ofTurn("cospi"), Twofold: twofold.Cospi,
		Usual: in(-4, 4), Library: "cospi",
		Limit: one, CUDA: Bound{1, 2}, Near: turns, Hard: []float64{0x1.10f2eep-02},
		Special: "0:1 -0:1 1:-1 -1:-1 2:1 0.5:0 -0.5:0 1.5:0 -1.5:0 0x1p60:1 -0x1p60:1 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Asin", Single: of(gpu.Asin[float32]), Double: of(gpu.Asin[float64]), Exact: unary("asin"), Twofold: twofold.Asin,
		Usual: in(-1, 1), Library: "asin",
		Limit: one, CUDA: Bound{2, 2}, Near: []Box{in(-1, 1), in(0.9, 1), in(0.45, 0.55)}, Hard: []float64{1, -1, 0.5, -0.5, 0x1.fffffffffffffp-1, 0x1.fffffep-1},
		Special: "0:0 -0:-0 1.0000002:NaN -2:NaN Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Acos", Single: of(gpu.Acos[float32]), Double: of(gpu.Acos[float64]), Exact: unary("acos"), Twofold: twofold.Acos,
		Usual: in(-1, 1), Library: "acos",
		Limit: one, CUDA: Bound{2, 2}, Near: []Box{in(-1, 1), in(0.9, 1), in(0.45, 0.55)}, Hard: []float64{1, -1, 0.5, -0.5, 0x1.fffffffffffffp-1, 0x1.fffffep-1},
		Special: "1:0 1.0000002:NaN -2:NaN Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Atan", Single: of(gpu.Atan[float32]), Double: of(gpu.Atan[float64]), Exact: unary("atan"), Twofold: twofold.Atan,
		Usual: in(-10, 10), Library: "atan",
		Limit: one, CUDA: Bound{2, 2}, Near: []Box{in(-3, 3), in(-100, 100), in(0.9, 1.1)}, Hard: []float64{-0x1.03645cd5bf00fp-01, 0x1.fbd195bea1bd1p-01, 0.5, 2, 1, 0x1.f97cap-1, 0x1p30, 0x1p60, math.Inf(1), math.Inf(-1)},
		Special: "0:0 -0:-0 Inf:1.5707963267948966 -Inf:-1.5707963267948966 NaN:NaN"},
	{Name: "Atan2", Pair: true, Single: gpu.Atan2[float32], Double: gpu.Atan2[float64], Exact: binary("atan2"), Twofold: twofold.Atan2,
		Usual: pair(-10, 10, -7, 8), Library: "atan2",
		Limit: one, CUDA: Bound{3, 2}, Near: []Box{{Interval{-1, 1}, Interval{-1, 1}}, {Interval{1, 2}, Interval{1, 2}}, {Interval{-1e30, 1e30}, Interval{-1e30, 1e30}}},
		Hard: []float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1), math.Inf(1), 1, 1, math.Inf(-1), 0, math.Copysign(0, -1),
			0x1p1023, 0x1.8p1023, 0x1p-1074, 0x1.8p-1073, 0x1p127, 0x1.8p127, 0x1p-149, 0x1.8p-148, 3, 6, 1, 2},
		Special: "0,0:0 -0,0:-0 0,1:0 -0,1:-0 1,Inf:0 -1,Inf:-0 NaN,1:NaN 1,NaN:NaN NaN,Inf:NaN Inf,NaN:NaN NaN,NaN:NaN " +
			"0,-0:3.141592653589793 -0,-0:-3.141592653589793 0,-1:3.141592653589793 -0,-1:-3.141592653589793 " +
			"1,-Inf:3.141592653589793 -1,-Inf:-3.141592653589793 1,0:1.5707963267948966 1,-0:1.5707963267948966 " +
			"-1,0:-1.5707963267948966 -1,-0:-1.5707963267948966 Inf,1:1.5707963267948966 -Inf,1:-1.5707963267948966 " +
			"Inf,Inf:0.7853981633974483 -Inf,Inf:-0.7853981633974483 Inf,-Inf:2.356194490192345 -Inf,-Inf:-2.356194490192345"},
}

// angles are ranges of arguments of the sine: small, near the ends of a quadrant, where reduction
// changes its way, and large.
var angles = []Box{in(-0.8, 0.8), in(-7, 7), in(-1e3, 1e3), in(0x1p14, 0x1p18), in(0x1p28, 0x1p32), in(1, 0x1p127)}

var turns = []Box{in(-0.3, 0.3), in(-2, 2), in(-1e3, 1e3), in(0x1p18, 0x1p24), in(0x1p48, 0x1p54)}

// multiplesOfPi are numbers close to multiples of pi/2: the closest of all, above (Muller,
// Elementary Functions, third edition, section 11.3) and below, small ones, and where the ways of
// reduction differ.
var multiplesOfPi = []float64{
	0x1.6ac5b262ca1ffp+849, 0x1.504cac51f1eafp+131, 0x1.e009c53148be1p+991, 0x1.0f79ap+57, 0x1.0f79ap+58, 0x1.7f4134p+101, 0x1.ba10ac06608dfp+119, 0x1.15886ep+79, 0x1.f9cbe2p+10, 0x1.17cc5p+11, 0x1.c3ff24p+10, 0x1.9639p+15,
	0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0x1.2d97c7f3321d2p+2, 0x1.921fb6p+0, 0x1.921fb6p+1, 0x1.2d97c8p+2,
	0x1.921fb54442d18p-1, 0x1.921fb6p-1, 0x1p16, 0x1.fffffep15, 0x1p30, 0x1.fffffffffffffp29, 0x1p1023, 0x1p127,
}

// first and second are the results of a function that has two.
func first[T ulp.Float](f func(T) (T, T)) func(T) T {
	return func(x T) T {
		a, _ := f(x)
		return a
	}
}

func second[T ulp.Float](f func(T) (T, T)) func(T) T {
	return func(x T) T {
		_, b := f(x)
		return b
	}
}

// ofTurn is a function of MPFR's of x in half turns. MPFR takes long where x is huge, and
// subtracting an even number loses nothing.
func ofTurn(name string) Reference {
	return func(l *mpfr.Library) (Exact, error) {
		f, err := unary(name)(l)
		return func(x, y float64) ulp.Real {
			if a := math.Abs(x); a >= 2 && a <= math.MaxFloat64 {
				x = math.Copysign(math.Mod(a, 2), x)
			}
			return f(x, y)
		}, err
	}
}
