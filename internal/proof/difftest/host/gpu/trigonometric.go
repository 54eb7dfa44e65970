package gpu

import (
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Sin is math64.Sin or math32.Sin.
func Sin[T Float](x T) T { return mathematics(x, math32.Sin, math64.Sin) }

// Cos is math64.Cos or math32.Cos.
func Cos[T Float](x T) T { return mathematics(x, math32.Cos, math64.Cos) }

// Sincos is math64.Sincos or math32.Sincos.
func Sincos[T Float](x T) (sin, cos T) {
	if isSingle[T]() {
		s, c := math32.Sincos(float32(x))
		return T(s), T(c)
	}
	s, c := math64.Sincos(float64(x))
	return T(s), T(c)
}

// Tan is math64.Tan or math32.Tan.
func Tan[T Float](x T) T { return mathematics(x, math32.Tan, math64.Tan) }

// Sinpi is math64.Sinpi or math32.Sinpi.
func Sinpi[T Float](x T) T { return mathematics(x, math32.Sinpi, math64.Sinpi) }

// Cospi is math64.Cospi or math32.Cospi.
func Cospi[T Float](x T) T { return mathematics(x, math32.Cospi, math64.Cospi) }

// Asin is math64.Asin or math32.Asin.
func Asin[T Float](x T) T { return mathematics(x, math32.Asin, math64.Asin) }

// Acos is math64.Acos or math32.Acos.
func Acos[T Float](x T) T { return mathematics(x, math32.Acos, math64.Acos) }

// Atan is math64.Atan or math32.Atan.
func Atan[T Float](x T) T { return mathematics(x, math32.Atan, math64.Atan) }

// Atan2 is math64.Atan2 or math32.Atan2.
func Atan2[T Float](y, x T) T { return mathematics2(y, x, math32.Atan2, math64.Atan2) }
