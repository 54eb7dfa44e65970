package gpu

import (
	"github.com/gridstride/gridstride/internal/math32"
	"github.com/gridstride/gridstride/internal/math64"
)

// The functions that are not exact are the real ones: whether they are right is not for random
// programs to say, but whether kernels compute what the host does.

// mathematics is the function of either type.
func mathematics[T Float](x T, single func(float32) float32, double func(float64) float64) T {
	if isSingle[T]() {
		return T(single(float32(x)))
	}
	return T(double(float64(x)))
}

// Exp is math64.Exp or math32.Exp.
func Exp[T Float](x T) T { return mathematics(x, math32.Exp, math64.Exp) }
