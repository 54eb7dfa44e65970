package mathtest

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// parts are the functions that take numbers apart and round them. Their results are exact.
var parts = []Function{
	{Name: "Floor", Single: of(gpu.Floor[float32]), Double: of(gpu.Floor[float64]), Exact: exactly(of(math.Floor)), Near: integers,
		Usual: in(-100, 100), Library: "floor",
		Special: "0:0 -0:-0 0.5:0 -0.5:-1 1.5:1 -1:-1 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Ceil", Single: of(gpu.Ceil[float32]), Double: of(gpu.Ceil[float64]), Exact: exactly(of(math.Ceil)), Near: integers,
		Usual: in(-100, 100), Library: "ceil",
		Special: "0:0 -0:-0 0.5:1 -0.5:-0 1.5:2 -1:-1 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Trunc", Single: of(gpu.Trunc[float32]), Double: of(gpu.Trunc[float64]), Exact: exactly(of(math.Trunc)), Near: integers,
		Usual: in(-100, 100), Library: "trunc",
		Special: "0:0 -0:-0 0.5:0 -0.5:-0 1.5:1 -1.5:-1 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "RoundToEven", Single: of(gpu.RoundToEven[float32]), Double: of(gpu.RoundToEven[float64]), Exact: exactly(of(math.RoundToEven)), Near: integers,
		Usual: in(-100, 100), Library: "rint",
		Special: "0:0 -0:-0 0.5:0 -0.5:-0 1.5:2 2.5:2 -2.5:-2 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Copysign", Pair: true, Single: gpu.Copysign[float32], Double: gpu.Copysign[float64], Exact: binary("copysign"),
		Usual: pair(-10, 10, -10, 10), Library: "copysign",
		Special: "0,-1:-0 -0,1:0 -Inf,0:Inf 1,-Inf:-1 3,-0:-3 NaN,1:NaN"},
	{Name: "Round", Single: of(gpu.Round[float32]), Double: of(gpu.Round[float64]), Exact: exactly(of(math.Round)), Near: integers,
		Usual: in(-100, 100), Library: "round",
		Special: "0:0 -0:-0 0.5:1 -0.5:-1 2.5:3 -0.25:-0 0x1.fffffep-2:0 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Modf.whole", Single: of(whole[float32]), Double: of(whole[float64]), Exact: exactly(of(func(x float64) float64 { w, _ := math.Modf(x); return w })), Near: integers,
		Usual: in(-100, 100), Source: "func(x T) T { w, _ := gpu.Modf(x); return w }",
		Special: "0:0 -0:-0 3.5:3 -3.5:-3 -0.5:-0 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Modf.frac", Single: of(fraction[float32]), Double: of(fraction[float64]), Exact: exactly(of(func(x float64) float64 { _, f := math.Modf(x); return f })), Near: integers,
		Usual: in(-100, 100), Source: "func(x T) T { _, f := gpu.Modf(x); return f }",
		Special: "0:0 -0:-0 3.5:0.5 -3.5:-0.5 3:0 -3:-0 Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Frexp.frac", Single: of(significand[float32]), Double: of(significand[float64]), Exact: exactly(of(func(x float64) float64 { f, _ := math.Frexp(x); return f })),
		Usual: in(-100, 100), Source: "func(x T) T { f, _ := gpu.Frexp(x); return f }",
		Special: "0:0 -0:-0 8:0.5 -3:-0.75 0x1p-149:0.5 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Frexp.exp", Single: of(exponent[float32]), Double: of(exponent[float64]), Exact: exactly(of(func(x float64) float64 { _, e := math.Frexp(x); return float64(e) })),
		Usual: in(-100, 100), Source: "func(x T) T { _, e := gpu.Frexp(x); return T(e) }",
		Special: "0:0 -0:0 8:4 -3:2 Inf:0 -Inf:0 NaN:0"},
	{Name: "Ldexp", Pair: true, Single: ldexp[float32], Double: ldexp[float64], Exact: ldexpExactly, Limit: correct, Near: []Box{pair(-4, 4, -1100, 1030), pair(-4, 4, -151, 130), pair(-1e300, 1e300, -2100, 1030), pair(0, 1e-300, -100, 2100)},
		Usual: pair(-10, 10, -20, 20), Source: "func(x, n T) T { return gpu.Ldexp(x, mathkernels.Integer(n)) }",
		Special: "0,5:0 -0,5:-0 1,3:8 -3,-1:-1.5 1,5000:Inf -1,1e9:-Inf 1,-5000:0 -1,-1e9:-0 Inf,-3:Inf -Inf,0:-Inf NaN,1:NaN 0x1p-149,149:1 1,-149:0x1p-149"},
	{Name: "Ilogb", Single: of(ilogb[float32]), Double: of(ilogb[float64]), Exact: exactly(of(func(x float64) float64 { return float64(math.Ilogb(x)) })), Limit: correct,
		Usual: in(-100, 100), Source: "func(x T) T { return T(gpu.Ilogb(x)) }",
		Special: "1:0 0.75:-1 -8:3 0x1p-149:-149 0:-2147483648 -0:-2147483648"},
	{Name: "Logb", Single: of(gpu.Logb[float32]), Double: of(gpu.Logb[float64]), Exact: exactly(of(math.Logb)),
		Usual: in(-100, 100), Library: "logb",
		Special: "1:0 0.75:-1 -8:3 0x1p-149:-149 0:-Inf -0:-Inf Inf:Inf -Inf:Inf NaN:NaN"},
	{Name: "Nextafter", Pair: true, Single: gpu.Nextafter[float32], Double: gpu.Nextafter[float64], Exact: exactly(math.Nextafter),
		Usual: pair(-10, 10, -10, 10), Library: "nextafter",
		ExactSingle: exactly(func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }), Near: []Box{pair(-2, 2, -2, 2)},
		Special: "1,1:1 0,-0:0 -0,0:-0 NaN,1:NaN 1,NaN:NaN Inf,Inf:Inf"},
	{Name: "Dim", Pair: true, Single: gpu.Dim[float32], Double: gpu.Dim[float64], Exact: dimExactly, Limit: correct, Near: []Box{pair(-2, 2, -2, 2), pair(0, 1e30, 0, 1)},
		Usual: pair(-10, 10, -10, 10), Library: "fdim",
		Special: "3,1:2 1,3:0 0,0:0 Inf,1:Inf 1,Inf:0 -Inf,-Inf:NaN Inf,Inf:NaN Inf,-Inf:Inf -Inf,Inf:0 NaN,1:NaN 1,NaN:NaN"},
	{Name: "Mod", Pair: true, Single: gpu.Mod[float32], Double: gpu.Mod[float64], Exact: exactly(math.Mod), Near: []Box{pair(-100, 100, -3, 3), pair(-1e30, 1e30, -3, 3), pair(0, 1e300, 0, 1e-300)},
		Usual: pair(-100, 100, 0.5, 10), Library: "fmod",
		Special: "5,3:2 -5,3:-2 5,-3:2 -6,3:-0 6,3:0 0,3:0 -0,3:-0 1,0:NaN Inf,3:NaN 3,Inf:3 -3,-Inf:-3 NaN,1:NaN 1,NaN:NaN"},
	{Name: "Remainder", Pair: true, Single: gpu.Remainder[float32], Double: gpu.Remainder[float64], Exact: exactly(math.Remainder), Near: []Box{pair(-100, 100, -3, 3), pair(-1e30, 1e30, -3, 3), pair(0, 1e300, 0, 1e-300)},
		Usual: pair(-100, 100, 0.5, 10), Library: "remainder",
		Special: "5,3:-1 -5,3:1 4,3:1 1,2:1 3,2:-1 5,2:1 -6,3:-0 6,3:0 0,3:0 -0,3:-0 1,0:NaN Inf,3:NaN 3,Inf:3 -3,-Inf:-3 NaN,1:NaN 1,NaN:NaN"},
}

func whole[T gpu.Float](x T) T { w, _ := gpu.Modf(x); return w }

func fraction[T gpu.Float](x T) T { _, f := gpu.Modf(x); return f }

func significand[T gpu.Float](x T) T { f, _ := gpu.Frexp(x); return f }

func exponent[T gpu.Float](x T) T { _, e := gpu.Frexp(x); return T(e) }

func ilogb[T gpu.Float](x T) T { return T(gpu.Ilogb(x)) }

func ldexp[T gpu.Float](x, n T) T { return gpu.Ldexp(x, mathkernels.Integer(n)) }

func ldexpExactly(*mpfr.Library) (Exact, error) {
	return func(x, n float64) ulp.Real {
		r := ulp.Of(x)
		if r.High-r.High == 0 && r.High != 0 {
			r.Exponent += mathkernels.Integer(n)
		}
		return r
	}, nil
}

// dimExactly is x-y by MPFR, where that is above 0.
func dimExactly(l *mpfr.Library) (Exact, error) {
	difference, err := binary("sub")(l)
	return func(x, y float64) ulp.Real {
		if x <= y && (x != y || x-y == 0) {
			return ulp.Of(0)
		}
		return difference(x, y)
	}, err
}

// integers are where rounding to an integer does something.
var integers = []Box{in(-10, 10), in(-0x1p54, 0x1p54), in(-0x1p24, 0x1p24)}
