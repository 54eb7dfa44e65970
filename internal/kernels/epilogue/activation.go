package epilogue

import "github.com/gridstride/gridstride/gpu"

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

// Of is the function's value, in float32. Each operation is rounded, and has the same bits on the host
// and in kernels.
func (a Activation) Of(x float32) float32 {
	switch a {
	case ReLU:
		if x < 0 {
			return 0
		}
	case GELU:
		return float32(0.5*x) * (1 + gpu.Erf(float32(rsqrt2*x)))
	case GELUTanh:
		inner := float32(x*x) * float32(cubic*x)
		return float32(0.5*x) * (1 + gpu.Tanh(float32(sqrt2byPi*(x+inner))))
	}
	return x
}
