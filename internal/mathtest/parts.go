package mathtest

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// parts are the functions that take numbers apart and round them. Their results are exact.
var parts = []Function{
	{Name: "Floor", Single: of(gpu.Floor[float32]), Double: of(gpu.Floor[float64]), Exact: exactly(of(math.Floor)), Near: integers,
		Special: "0:0 -0:-0 0.5:0 -0.5:-1 1.5:1 -1:-1 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Ceil", Single: of(gpu.Ceil[float32]), Double: of(gpu.Ceil[float64]), Exact: exactly(of(math.Ceil)), Near: integers,
		Special: "0:0 -0:-0 0.5:1 -0.5:-0 1.5:2 -1:-1 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Trunc", Single: of(gpu.Trunc[float32]), Double: of(gpu.Trunc[float64]), Exact: exactly(of(math.Trunc)), Near: integers,
		Special: "0:0 -0:-0 0.5:0 -0.5:-0 1.5:1 -1.5:-1 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "RoundToEven", Single: of(gpu.RoundToEven[float32]), Double: of(gpu.RoundToEven[float64]), Exact: exactly(of(math.RoundToEven)), Near: integers,
		Special: "0:0 -0:-0 0.5:0 -0.5:-0 1.5:2 2.5:2 -2.5:-2 Inf:Inf -Inf:-Inf NaN:NaN"},
	{Name: "Copysign", Pair: true, Single: gpu.Copysign[float32], Double: gpu.Copysign[float64], Exact: binary("copysign"),
		Special: "0,-1:-0 -0,1:0 -Inf,0:Inf 1,-Inf:-1 3,-0:-3 NaN,1:NaN"},
}

// integers are where rounding to an integer does something.
var integers = []Box{in(-10, 10), in(-0x1p54, 0x1p54), in(-0x1p24, 0x1p24)}
