package mathtest

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// power are powers and roots.
var power = []Function{
	{Name: "Sqrt", Single: of(gpu.Sqrt[float32]), Double: of(gpu.Sqrt[float64]), Exact: unary("sqrt"),
		Usual: in(0.001, 1000), Library: "sqrt",
		Limit: correct, Near: []Box{in(0, 1e300), in(0, 4)},
		Special: "0:0 -0:-0 Inf:Inf -Inf:NaN NaN:NaN -1:NaN"},
	{Name: "Rsqrt", Single: of(gpu.Rsqrt[float32]), Double: of(gpu.Rsqrt[float64]), Exact: reciprocalRoot, Twofold: twofold.Rsqrt,
		Usual: in(0.001, 1000), Library: "rsqrt",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(0, 1e300), in(0, 4), in(0, 1e-300)},
		Special: "0:Inf -0:-Inf Inf:0 -Inf:NaN -1:NaN NaN:NaN 0.25:2 0x1p-148:0x1p74"},
	{Name: "Cbrt", Single: of(gpu.Cbrt[float32]), Double: of(gpu.Cbrt[float64]), Exact: unary("cbrt"), Twofold: twofold.Cbrt,
		Usual: in(-1000, 1000), Library: "cbrt",
		Limit: one, CUDA: Bound{1, 1}, Near: []Box{in(-1e300, 1e300), in(-8, 8), in(0, 1e-300)}, Hard: []float64{0x1.fb7a58p2},
		Special: "0:0 -0:-0 Inf:Inf -Inf:-Inf NaN:NaN 27:3 -8:-2 0x1p-147:0x1p-49"},
	{Name: "Hypot", Pair: true, Single: gpu.Hypot[float32], Double: gpu.Hypot[float64], Exact: binary("hypot"), Twofold: twofold.Hypot,
		Usual: pair(-10, 10, -10, 10), Library: "hypot",
		Limit: one, CUDA: Bound{3, 2}, Near: []Box{pair(-10, 10, -10, 10), pair(0, 1e300, 0, 1e300), pair(0, 1e-300, 0, 1e-300), pair(0, 1e30, 0, 1e30), pair(0, 1e-30, 0, 1e-30)},
		Special: "0,0:0 -0,-0:0 3,4:5 Inf,NaN:Inf NaN,-Inf:Inf -Inf,1:Inf NaN,1:NaN 0,NaN:NaN 0,-2:2",
		Hard:    []float64{0x1p500, 0x1p500, 0x1p-450, 0x1p-450, 0x1p60, 0x1p60, 0x1p-45, 0x1p-45, 0x1p-400, 0x1p-400, 0x1p-20, 0x1p-20}},
	{Name: "Pow", Pair: true, Single: gpu.Pow[float32], Double: gpu.Pow[float64], Exact: binary("pow"), Twofold: twofold.Pow,
		Usual: pair(0.01, 10, -5, 5), Library: "pow",
		Limit: one, CUDA: Bound{4, 2}, Near: []Box{pair(0, 10, -10, 10), pair(0, 1e300, -1, 1), pair(0, 1e30, -2, 2), pair(-20, 20, -8, 8), pair(0.9, 1.1, -7000, 7000), pair(0.999, 1.001, -7e5, 7e5), pair(0, 1e-300, -1, 1), pair(0, 1e-30, -3, 3)},
		Special: "0,0:1 -0,0:1 NaN,0:1 Inf,-0:1 1,NaN:1 1,Inf:1 -1,Inf:1 -1,-Inf:1 NaN,1:NaN 2,NaN:NaN -8,0.5:NaN -8,3:-512 -8,2:64 " +
			"0,-1:Inf -0,-1:-Inf -0,-3:-Inf 0,-2:Inf -0,-2:Inf -0,-0.5:Inf 0,3:0 -0,3:-0 -0,2:0 -0,0.5:0 0,-Inf:Inf -0,-Inf:Inf -0,Inf:0 " +
			"0.5,-Inf:Inf -0.5,-Inf:Inf 2,-Inf:0 -2,-Inf:0 0.5,Inf:0 2,Inf:Inf -2,Inf:Inf " +
			"-Inf,-3:-0 -Inf,-2:0 -Inf,-0.5:0 -Inf,3:-Inf -Inf,2:Inf -Inf,0.5:Inf Inf,-1:0 Inf,1:Inf Inf,Inf:Inf Inf,-Inf:0 2,10:1024 2,-149:0x1p-149 0.25,-0.5:2",
		Hard: []float64{0x1.582ed488174b4p+00, -0x1.a8100332ad6f8p+10, math.Nextafter(1, 2), 1e18, math.Nextafter(1, 0), 1e18, math.Nextafter(1, 0), -1e17, 2, 1023.9999999999999, 2, -1074.5, 10, 308.25471555991675, 10, -323.6, 0x1p-1074, 1, 0x1p-1074, -0.5, 10, 38.53184, 10, -45.15,
			0x1.d055cap-01, 0x1.bee15p+09, 0x1.5819c8p+00, -0x1.0c259ep+08, 0x1.5a58656eef51p-01, 0x1.c511776cce94bp+10, 0x1.98798cae9795p-01, 0x1.87fecf42b939ep+11}},
}

// reciprocalRoot is 1 / sqrt(x), with -Inf at -0 as in IEEE 754.
func reciprocalRoot(l *mpfr.Library) (Exact, error) {
	f, err := unary("rec_sqrt")(l)
	return func(x, _ float64) ulp.Real {
		if x == 0 {
			return ulp.Of(1 / x)
		}
		return f(x, 0)
	}, err
}
