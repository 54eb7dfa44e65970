package mathtest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
)

// exponential are exponentials and logarithms.
var exponential = []Function{
	{Name: "Exp", Single: of(gpu.Exp[float32]), Double: of(gpu.Exp[float64]), Exact: unary("exp"), Twofold: twofold.Exp,
		Usual: in(-10, 10), Library: "exp",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(-746, 710), in(-104, 89), in(-1, 1)},
		Special: "0:1 -0:1 -Inf:0 Inf:Inf NaN:NaN",
		Hard: []float64{0x1.62e42fefa39efp+9, 0x1.62e42fefa39f0p+9, -0x1.74910d52d3051p+9, -0x1.74910d52d3052p+9, -0x1.6232bdd7abcd2p+9,
			0x1.62e42ep+6, 0x1.62e430p+6, -0x1.9fe368p+6, -0x1.9fe36ap+6, -0x1.5d589ep+6, 0x1.62e42fefa39efp-2, -0x1.62e42fefa39efp-2}},
	{Name: "Exp2", Single: of(gpu.Exp2[float32]), Double: of(gpu.Exp2[float64]), Exact: unary("exp2"), Twofold: twofold.Exp2,
		Usual: in(-10, 10), Library: "exp2",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(-1076, 1025), in(-151, 129), in(-1, 1)},
		Special: "0:1 -0:1 -Inf:0 Inf:Inf NaN:NaN 3:8 -2:0.25 -149:0x1p-149 127:0x1p127",
		Hard:    []float64{1024, 0x1.fffffffffffffp+9, -1075, -0x1.0cbfffffffffp+10, -1074, -1022, -0x1.ff00000000001p+9, 128, 0x1.fffffep+6, -150, -0x1.2bfffep+7, -126}},
	{Name: "Exp10", Single: of(gpu.Exp10[float32]), Double: of(gpu.Exp10[float64]), Exact: unary("exp10"), Twofold: twofold.Exp10,
		Usual: in(-5, 5), Library: "exp10",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(-324, 309), in(-46, 39), in(-1, 1)},
		Special: "0:1 -0:1 -Inf:0 Inf:Inf NaN:NaN",
		Hard:    []float64{0x1.d64f5f6de12e4p+06, 0x1.34413509f79fep+8, 0x1.34413509f79ffp+8, -0x1.439b746e36b52p+8, -0x1.439b746e36b53p+8, -0x1.434e6420f4374p+8, -0x1.33a7146f72a42p+8, 0x1.344134p+5, 0x1.344136p+5, -0x1.693c6ap+5, -0x1.693c6cp+5, -0x1.2f7030p+5, 0x1.e4e8aap+01, -0x1.de6b54p+01}},
	{Name: "Log", Single: of(gpu.Log[float32]), Double: of(gpu.Log[float64]), Exact: unary("log"), Twofold: twofold.Log,
		Usual: in(0.001, 1000), Library: "log",
		Limit: one, CUDA: Bound{1, 1}, Near: []Box{in(0, 1e300), in(0, 2), in(0.9, 1.1), in(0, 1e-300)},
		Special: "0:-Inf -0:-Inf 1:0 -1:NaN Inf:Inf -Inf:NaN NaN:NaN"},
	{Name: "Log2", Single: of(gpu.Log2[float32]), Double: of(gpu.Log2[float64]), Exact: unary("log2"), Twofold: twofold.Log2,
		Usual: in(0.001, 1000), Library: "log2",
		Limit: one, CUDA: Bound{1, 1}, Near: []Box{in(0, 1e300), in(0, 2), in(0.9, 1.1), in(0, 1e-300)},
		Special: "0:-Inf -0:-Inf 1:0 -1:NaN Inf:Inf -Inf:NaN NaN:NaN 2:1 0.125:-3 0x1p-149:-149 0x1p127:127"},
	{Name: "Log10", Single: of(gpu.Log10[float32]), Double: of(gpu.Log10[float64]), Exact: unary("log10"), Twofold: twofold.Log10,
		Usual: in(0.001, 1000), Library: "log10",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(0, 1e300), in(0, 2), in(0.9, 1.1), in(0, 1e-300)},
		Special: "0:-Inf -0:-Inf 1:0 -1:NaN Inf:Inf -Inf:NaN NaN:NaN"},
	{Name: "Expm1", Single: of(gpu.Expm1[float32]), Double: of(gpu.Expm1[float64]), Exact: unary("expm1"), Twofold: twofold.Expm1,
		Usual: in(-2, 2), Library: "expm1",
		Limit: one, CUDA: Bound{1, 1}, Near: []Box{in(-60, 710), in(-40, 89), in(-1, 1), in(-1e-10, 1e-10)},
		Special: "0:0 -0:-0 -Inf:-1 Inf:Inf NaN:NaN",
		Hard:    []float64{0x1.62e42fefa39efp+9, 0x1.62e42fefa39f0p+9, 708, -708, 87, -87, 0x1.62e42ep+6, 0x1.62e430p+6, 0.41, -0.41, 0x1.62e42fefa39efp-2, -0x1.62e42fefa39efp-2}},
	{Name: "Log1p", Single: of(gpu.Log1p[float32]), Double: of(gpu.Log1p[float64]), Exact: unary("log1p"), Twofold: twofold.Log1p,
		Usual: in(-0.9, 10), Library: "log1p",
		Limit: one, CUDA: Bound{1, 1}, Near: []Box{in(-1, 1e300), in(-1, 1e30), in(-1, 2), in(-0.5, 0.5), in(-1e-10, 1e-10)},
		Special: "0:0 -0:-0 -1:-Inf -2:NaN Inf:Inf -Inf:NaN NaN:NaN",
		Hard:    []float64{-0x1.5p-2, 0x1.6p-2, -0x1.fffffffffffffp-1, 0x1p53, 0x1p60, 0x1p24, 0x1p30, -0x1.fffffep-1}},
}
