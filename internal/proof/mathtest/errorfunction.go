package mathtest

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// errorFunctions are the error function and its kin.
var errorFunctions = []Function{
	{Name: "Erf", Single: of(gpu.Erf[float32]), Double: of(gpu.Erf[float64]), Exact: unary("erf"), Twofold: twofold.Erf,
		Usual: in(-3, 3), Library: "erf",
		Limit: one, CUDA: Bound{2, 2}, Near: []Box{in(-1.1, 1.1), in(-6, 6)}, Hard: []float64{1, -1, 3.93, 5.93, 5.9215871957945075},
		Special: "0:0 -0:-0 Inf:1 -Inf:-1 NaN:NaN"},
	{Name: "Erfc", Single: of(gpu.Erfc[float32]), Double: of(gpu.Erfc[float64]), Exact: unary("erfc"), Twofold: twofold.Erfc,
		Usual: in(-3, 5), Library: "erfc",
		Limit: one, CUDA: Bound{4, 5}, Near: []Box{in(-1, 1), in(-6, 6), in(0, 5), in(0, 10), in(5, 27.3)},
		Hard:    []float64{0.5, -0.5, 10.05, 10.1, 26.54, 27.226, 27.25, 27.3, -4, -6},
		Special: "0:1 -0:1 Inf:0 -Inf:2 NaN:NaN"},
	{Name: "Erfinv", Single: of(gpu.Erfinv[float32]), Double: of(gpu.Erfinv[float64]), Exact: inverse("erf", of(gpu.Erfinv[float64])), Twofold: twofold.Erfinv,
		Usual: in(-0.999, 0.999), Library: "erfinv",
		Limit: one, CUDA: Bound{2, 5}, Near: []Box{in(-1, 1), in(0.99, 1), in(0.9999999, 1)},
		Hard:    []float64{0x1.fffffep-1, 0x1.fffffffffffffp-1, 0.999032, 0.9966},
		Special: "0:0 -0:-0 1:Inf -1:-Inf 1.5:NaN -2:NaN Inf:NaN -Inf:NaN NaN:NaN"},
	{Name: "Erfcinv", Single: of(gpu.Erfcinv[float32]), Double: of(gpu.Erfcinv[float64]), Exact: inverse("erfc", of(gpu.Erfcinv[float64])), Twofold: twofold.Erfcinv,
		Usual: in(0.001, 1.999), Library: "erfcinv",
		Limit: one, CUDA: Bound{4, 6}, Near: []Box{in(0, 2), in(0.9, 1.1), in(1e-30, 1e-3), in(0x1p-1074, 1)},
		Hard:    []float64{0x1.fdc316p-1, 0x1.fffffep0, 0x1.fffffffffffffp0, 0x1p-1074, 0x1p-1022, 0x1p-149, 0x1p-126},
		Special: "0:Inf -0:Inf 1:0 2:-Inf 2.5:NaN -1:NaN Inf:NaN -Inf:NaN NaN:NaN"},
}

// inverse is the inverse of erf or erfc, by Newton's method from a value that near gives, which is
// the function under test. Where that does not converge, or near gives a zero, an infinity or NaN
// that is not one of the special values, the result is one that near does not give.
func inverse(name string, near func(x, y float64) float64) Reference {
	return func(l *mpfr.Library) (Exact, error) {
		f, err := l.Unary(name)
		if err != nil {
			return nil, err
		}
		step, err := newton(l, name == "erfc")
		if err != nil {
			return nil, err
		}
		z, value, at := mpfr.New(), mpfr.New(), mpfr.New()
		return func(x, y float64) ulp.Real {
			if special, ok := inverseSpecial(name == "erfc", x); ok {
				return ulp.Of(special)
			}
			start := near(x, y)
			switch {
			case start == 0 || math.IsInf(start, 0):
				return ulp.Of(math.NaN())
			case math.IsNaN(start):
				return ulp.Of(0)
			}
			z.Set(start)
			at.Set(x)
			moved := 1.0
			for range 4 {
				f(value, z)
				moved = step(z, value, at)
			}
			if !(moved < 0x1p-60) {
				return ulp.Of(math.NaN())
			}
			return z.Real()
		}, nil
	}
}

// inverseSpecial is the inverse of erf, or of erfc, if it is a zero, infinite or NaN.
func inverseSpecial(complementary bool, x float64) (value float64, ok bool) {
	middle := 0.0
	if complementary {
		middle = 1
	}
	switch {
	case x == middle && complementary:
		return 0, true
	case x == middle:
		return x, true
	case x == middle-1:
		value = math.Inf(-1)
	case x == middle+1:
		value = math.Inf(1)
	case middle-1 < x && x < middle+1:
		return 0, false
	default:
		return math.NaN(), true
	}
	if complementary { // which falls
		value = -value
	}
	return value, true
}

// newton makes a step of Newton's method towards the z at which the error function, or the
// complementary one, is x. Its value at the present z is value. It returns the step relative to z.
func newton(l *mpfr.Library, complementary bool) (func(z, value, x *mpfr.Number) float64, error) {
	two := map[string]func(z, x, y *mpfr.Number){}
	for _, name := range []string{"sub", "mul", "div"} {
		f, err := l.Binary(name)
		if err != nil {
			return nil, err
		}
		two[name] = f
	}
	exp, err := l.Unary("exp")
	if err != nil {
		return nil, err
	}
	gamma, err := l.Unary("gamma")
	if err != nil {
		return nil, err
	}
	zero, scale, t, slope := mpfr.New(), mpfr.New(), mpfr.New(), mpfr.New()
	gamma(scale, t.Set(0.5)) // sqrt(pi)
	sign := 2.0
	if complementary {
		sign = -2
	}
	two["div"](scale, t.Set(sign), scale)
	return func(z, value, x *mpfr.Number) float64 {
		two["mul"](t, z, z)
		two["sub"](t, zero, t)
		exp(slope, t)
		two["mul"](slope, slope, scale)
		two["sub"](value, value, x)
		two["div"](t, value, slope)
		two["sub"](z, z, t)
		two["div"](t, t, z)
		r := t.Real()
		return math.Abs(math.Ldexp(r.High, r.Exponent))
	}, nil
}
