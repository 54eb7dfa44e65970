package gpu

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/math32"
	"github.com/gridstride/gridstride/internal/math64"
)

// Exp is e to the power of x.
func Exp[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Exp(float32(x)))
	}
	return T(math64.Exp(float64(x)))
}
