package mathtest

import "github.com/gridstride/gridstride/gpu"

// exponential are exponentials and logarithms.
var exponential = []Function{
	{Name: "Exp", Single: of(gpu.Exp[float32]), Double: of(gpu.Exp[float64]), Exact: unary("exp"),
		Limit: one, CUDA: Bound{2, 1}, Near: []Box{in(-746, 710), in(-104, 89), in(-1, 1)},
		Special: "0:1 -0:1 -Inf:0 Inf:Inf NaN:NaN",
		Hard: []float64{0x1.62e42fefa39efp+9, 0x1.62e42fefa39f0p+9, -0x1.74910d52d3051p+9, -0x1.74910d52d3052p+9, -0x1.6232bdd7abcd2p+9,
			0x1.62e42ep+6, 0x1.62e430p+6, -0x1.9fe368p+6, -0x1.9fe36ap+6, -0x1.5d589ep+6, 0x1.62e42fefa39efp-2, -0x1.62e42fefa39efp-2}},
}
