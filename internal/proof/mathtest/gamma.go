package mathtest

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/mathkernels"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// gammas are the gamma function and its logarithm.
var gammas = []Function{
	{Name: "Gamma", Single: of(gpu.Gamma[float32]), Double: of(gpu.Gamma[float64]), Exact: gamma,
		Usual: in(0.1, 10), Library: "tgamma",
		Limit: Bound{4, 8}, CUDA: Bound{5, 10}, Near: []Box{in(0, 8), in(-8, 0), in(0, 35.1), in(-43, 0), in(-184, 171.7)},
		Hard:    []float64{1, 2, 5, 8, 35.04, 35.05, 171.624, 171.625, -150.5, -183.5, -38.5, -41.5, -42.5, 0x1p-1024, 0x1p-128, -0x1p-128},
		Special: "0:Inf -0:-Inf 1:1 2:1 3:2 4:6 5:24 6:120 -1:NaN -2:NaN -1000:NaN -0x1p60:NaN Inf:Inf -Inf:NaN NaN:NaN"},
	{Name: "Lgamma", Single: of(logGamma[float32]), Double: of(logGamma[float64]), Exact: lgamma, Floor: mathkernels.LgammaFloor, FloorSource: "mathkernels.LgammaFloor",
		Usual: in(0.1, 20), Library: "lgamma", Source: "func(x T) T { l, _ := gpu.Lgamma(x); return l }",
		Limit: Bound{4, 8}, CUDA: Bound{6, 4}, Near: []Box{in(0, 3), in(0.9, 1.1), in(1.9, 2.1), in(0, 100), in(-5, 0), in(-30, 0), in(-1000, 1000)},
		Hard:    []float64{1, 2, 0.25, 0.5, 0.75, 1.25, 1.5, 2.5, 5, 8, -2.4570247382208006, -2.7476826467274127, -3.1435808883499801, 1e305, 4e36},
		Special: "0:Inf -0:Inf 1:0 2:0 -1:Inf -2:Inf -0x1p60:Inf Inf:Inf -Inf:Inf NaN:NaN"},
	{Name: "Lgamma.sign", Single: of(gammaSign[float32]), Double: of(gammaSign[float64]), Exact: lgammaSign, Near: []Box{in(-10, 10)},
		Usual: in(-10, 10), Source: "func(x T) T { _, sign := gpu.Lgamma(x); return T(sign) }",
		Special: "0:1 -0:-1 1:1 -0.5:-1 -1.5:1 -2.5:-1 -1:1 Inf:1 -Inf:1 NaN:1"},
}

func logGamma[T ulp.Float](x T) T {
	l, _ := gpu.Lgamma(x)
	return l
}

func gammaSign[T ulp.Float](x T) T {
	_, sign := gpu.Lgamma(x)
	return T(sign)
}

// gamma is MPFR's, which takes long where the result is far below the least number.
func gamma(l *mpfr.Library) (Exact, error) {
	f, err := unary("gamma")(l)
	return func(x, y float64) ulp.Real {
		if x < -200 && x == math.Trunc(x) {
			return ulp.Of(math.NaN())
		}
		if x < -200 {
			return ulp.Real{High: 1 - 2*math.Abs(math.Mod(math.Floor(x), 2)), Exponent: -5000}
		}
		return f(x, y)
	}, err
}

func lgamma(l *mpfr.Library) (Exact, error) { return lgammaAnd(l, false) }

func lgammaSign(l *mpfr.Library) (Exact, error) { return lgammaAnd(l, true) }

// lgammaAnd is MPFR's function, or the sign that it gives.
func lgammaAnd(l *mpfr.Library, wantSign bool) (Exact, error) {
	f, err := l.Lgamma()
	if err != nil {
		return nil, fmt.Errorf("MPFR's lgamma: %w", err)
	}
	z, n := mpfr.New(), mpfr.New()
	return func(x, _ float64) ulp.Real {
		sign := f(z, n.Set(x))
		switch {
		case !wantSign:
			return z.Real()
		case x != x || math.IsInf(x, 0) || x < 0 && x == math.Trunc(x):
			sign = 1
		}
		return ulp.Of(float64(sign))
	}, nil
}
