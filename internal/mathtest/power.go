package mathtest

import "github.com/gridstride/gridstride/gpu"

// power are powers and roots.
var power = []Function{
	{Name: "Sqrt", Single: of(gpu.Sqrt[float32]), Double: of(gpu.Sqrt[float64]), Exact: unary("sqrt"),
		Limit: correct, Near: []Box{in(0, 1e300), in(0, 4)},
		Special: "0:0 -0:-0 Inf:Inf -Inf:NaN NaN:NaN -1:NaN"},
}
