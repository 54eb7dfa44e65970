package epilogue

import "github.com/gridstride/gridstride/internal/math/math32"

// Activation is a function of one number.
type Activation int32

// None is x itself. ReLU is x, or 0 where x is below 0. GELU is x/2*(1 + erf(x/sqrt(2))), and
// GELUTanh is x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3))), with which it is often approximated
// (Hendrycks and Gimpel, arXiv 1606.08415).
const (
	None Activation = iota
	ReLU
	GELU
	GELUTanh
)

const (
	rsqrt2    = 0.70710678118654752440
	sqrt2byPi = 0.79788456080286535588
	cubic     = 0.044715
)

// Of is the function's value, in float32. Each operation is rounded, and has the same bits on the
// host and in kernels.
func (a Activation) Of(x float32) float32 {
	several := [1]float32{x}
	a.Each(several[:])
	return several[0]
}

// Each replaces numbers by the function's values. It asks which function that is once.
func (a Activation) Each(x []float32) {
	switch a {
	case ReLU:
		for i, v := range x {
			if v < 0 {
				v = 0
			}
			x[i] = v
		}
	case GELU:
		for i, v := range x {
			x[i] = float32(0.5*v) * (1 + math32.ErfBranchFree(float32(rsqrt2*v)))
		}
	case GELUTanh:
		for i, v := range x {
			inner := float32(v*v) * float32(cubic*v)
			x[i] = float32(0.5*v) * (1 + math32.TanhBranchFree(float32(sqrt2byPi*(v+inner))))
		}
	}
}
