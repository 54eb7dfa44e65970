package gpu

import (
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
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

// mathematics2 is the function of two numbers of either type.
func mathematics2[T Float](x, y T, single func(x, y float32) float32, double func(x, y float64) float64) T {
	if isSingle[T]() {
		return T(single(float32(x), float32(y)))
	}
	return T(double(float64(x), float64(y)))
}

// Each of these is the function of math64 or math32.

func Exp[T Float](x T) T   { return mathematics(x, math32.Exp, math64.Exp) }
func Exp2[T Float](x T) T  { return mathematics(x, math32.Exp2, math64.Exp2) }
func Exp10[T Float](x T) T { return mathematics(x, math32.Exp10, math64.Exp10) }
func Expm1[T Float](x T) T { return mathematics(x, math32.Expm1, math64.Expm1) }
func Log[T Float](x T) T   { return mathematics(x, math32.Log, math64.Log) }
func Log2[T Float](x T) T  { return mathematics(x, math32.Log2, math64.Log2) }
func Log10[T Float](x T) T { return mathematics(x, math32.Log10, math64.Log10) }
func Log1p[T Float](x T) T { return mathematics(x, math32.Log1p, math64.Log1p) }
func Sinh[T Float](x T) T  { return mathematics(x, math32.Sinh, math64.Sinh) }
func Cosh[T Float](x T) T  { return mathematics(x, math32.Cosh, math64.Cosh) }
func Tanh[T Float](x T) T  { return mathematics(x, math32.Tanh, math64.Tanh) }
func Asinh[T Float](x T) T { return mathematics(x, math32.Asinh, math64.Asinh) }
func Acosh[T Float](x T) T { return mathematics(x, math32.Acosh, math64.Acosh) }
func Atanh[T Float](x T) T { return mathematics(x, math32.Atanh, math64.Atanh) }
func Rsqrt[T Float](x T) T { return mathematics(x, math32.Rsqrt, math64.Rsqrt) }
func Cbrt[T Float](x T) T  { return mathematics(x, math32.Cbrt, math64.Cbrt) }

func Hypot[T Float](x, y T) T { return mathematics2(x, y, math32.Hypot, math64.Hypot) }
func Pow[T Float](x, y T) T   { return mathematics2(x, y, math32.Pow, math64.Pow) }
