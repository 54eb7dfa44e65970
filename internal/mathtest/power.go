package mathtest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/mpfr"
	"github.com/gridstride/gridstride/internal/ulp"
)

// power are powers and roots.
var power = []Function{
	{Name: "Sqrt", Single: of(gpu.Sqrt[float32]), Double: of(gpu.Sqrt[float64]), Exact: unary("sqrt"),
		Limit: correct, Near: []Box{in(0, 1e300), in(0, 4)},
		Special: "0:0 -0:-0 Inf:Inf -Inf:NaN NaN:NaN -1:NaN"},
	{Name: "Rsqrt", Single: of(gpu.Rsqrt[float32]), Double: of(gpu.Rsqrt[float64]), Exact: reciprocalRoot,
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(0, 1e300), in(0, 4), in(0, 1e-300)},
		Special: "0:Inf -0:-Inf Inf:0 -Inf:NaN -1:NaN NaN:NaN 0.25:2 0x1p-148:0x1p74"},
	{Name: "Cbrt", Single: of(gpu.Cbrt[float32]), Double: of(gpu.Cbrt[float64]), Exact: unary("cbrt"),
		Limit: one, CUDA: Bound{1, 1}, Near: []Box{in(-1e300, 1e300), in(-8, 8), in(0, 1e-300)},
		Special: "0:0 -0:-0 Inf:Inf -Inf:-Inf NaN:NaN 27:3 -8:-2 0x1p-147:0x1p-49"},
	{Name: "Hypot", Pair: true, Single: gpu.Hypot[float32], Double: gpu.Hypot[float64], Exact: binary("hypot"),
		Limit: one, CUDA: Bound{3, 2}, Near: []Box{pair(-10, 10, -10, 10), pair(0, 1e300, 0, 1e300), pair(0, 1e-300, 0, 1e-300), pair(0, 1e30, 0, 1e30), pair(0, 1e-30, 0, 1e-30)},
		Special: "0,0:0 -0,-0:0 3,4:5 Inf,NaN:Inf NaN,-Inf:Inf -Inf,1:Inf NaN,1:NaN 0,NaN:NaN 0,-2:2",
		Hard:    []float64{0x1p500, 0x1p500, 0x1p-450, 0x1p-450, 0x1p60, 0x1p60, 0x1p-45, 0x1p-45, 0x1p-400, 0x1p-400, 0x1p-20, 0x1p-20}},
}

// reciprocalRoot is 1 / sqrt(x), with -Inf at -0 as IEEE 754 has it.
func reciprocalRoot(l *mpfr.Library) (Exact, error) {
	f, err := unary("rec_sqrt")(l)
	return func(x, _ float64) ulp.Real {
		if x == 0 {
			return ulp.Of(1 / x)
		}
		return f(x, 0)
	}, err
}
