package mathtest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
)

// hyperbolic are the hyperbolic functions and their inverses.
var hyperbolic = []Function{
	{Name: "Sinh", Single: of(gpu.Sinh[float32]), Double: of(gpu.Sinh[float64]), Exact: unary("sinh"), Twofold: twofold.Sinh,
		Usual: in(-5, 5), Library: "sinh",
		Limit: one, CUDA: Bound{3, 2}, Near: []Box{in(-711, 711), in(-90, 90), in(-2, 2)},
		Special: "0:0 -0:-0 Inf:Inf -Inf:-Inf NaN:NaN",
		Hard:    []float64{0x1.633ce8fb9f87dp+9, 0x1.633ce8fb9f87ep+9, 708, 711, 0x1.62e42ep+6, 0x1.65a9fap+6, 87, 90}},
	{Name: "Cosh", Single: of(gpu.Cosh[float32]), Double: of(gpu.Cosh[float64]), Exact: unary("cosh"), Twofold: twofold.Cosh,
		Usual: in(-5, 5), Library: "cosh",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(-711, 711), in(-90, 90), in(-2, 2)},
		Special: "0:1 -0:1 Inf:Inf -Inf:Inf NaN:NaN",
		Hard:    []float64{0x1.e9ccede3f78p+01, 0x1.633ce8fb9f87dp+9, 0x1.633ce8fb9f87ep+9, 708, 711, 0x1.62e42ep+6, 0x1.65a9fap+6, 87, 90}},
	{Name: "Tanh", Single: of(gpu.Tanh[float32]), Double: of(gpu.Tanh[float64]), Exact: unary("tanh"), Twofold: twofold.Tanh,
		Usual: in(-4, 4), Library: "tanh",
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(-20, 20), in(-10, 10), in(-2, 2)},
		Hard:    []float64{0x1.cd499ap-1},
		Special: "0:0 -0:-0 Inf:1 -Inf:-1 NaN:NaN"},
	{Name: "Asinh", Single: of(gpu.Asinh[float32]), Double: of(gpu.Asinh[float64]), Exact: unary("asinh"), Twofold: twofold.Asinh,
		Usual: in(-10, 10), Library: "asinh",
		Limit: one, CUDA: Bound{3, 3}, Near: []Box{in(-1e300, 1e300), in(-1e30, 1e30), in(-2, 2)},
		Special: "0:0 -0:-0 Inf:Inf -Inf:-Inf NaN:NaN", Hard: []float64{0x1p30, 0x1p15, 0x1p28, 0x1p29, 0x1p14}},
	{Name: "Acosh", Single: of(gpu.Acosh[float32]), Double: of(gpu.Acosh[float64]), Exact: unary("acosh"), Twofold: twofold.Acosh,
		Usual: in(1, 10), Library: "acosh",
		Limit: one, CUDA: Bound{4, 3}, Near: []Box{in(1, 1e300), in(1, 1e30), in(1, 3), in(1, 1.001)},
		Special: "1:0 0:NaN -1:NaN Inf:Inf -Inf:NaN NaN:NaN", Hard: []float64{0x1.07e8ef554f555p+00, 0x1p30, 0x1p15, 0x1p28, 0x1p29, 0x1p14}},
	{Name: "Atanh", Single: of(gpu.Atanh[float32]), Double: of(gpu.Atanh[float64]), Exact: unary("atanh"), Twofold: twofold.Atanh,
		Usual: in(-0.99, 0.99), Library: "atanh",
		Limit: one, CUDA: Bound{3, 2}, Near: []Box{in(-1, 1), in(0.4, 0.6), in(0.9999, 1)},
		Special: "0:0 -0:-0 1:Inf -1:-Inf 1.5:NaN -2:NaN Inf:NaN -Inf:NaN NaN:NaN", Hard: []float64{0x1.fffffffffffffp-1, 0x1.fffffep-1}},
}
