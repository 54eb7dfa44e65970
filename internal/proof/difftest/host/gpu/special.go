package gpu

import (
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Erf is math64.Erf or math32.Erf.
func Erf[T Float](x T) T { return mathematics(x, math32.Erf, math64.Erf) }

// Erfc is math64.Erfc or math32.Erfc.
func Erfc[T Float](x T) T { return mathematics(x, math32.Erfc, math64.Erfc) }

// Erfinv is math64.Erfinv or math32.Erfinv.
func Erfinv[T Float](x T) T { return mathematics(x, math32.Erfinv, math64.Erfinv) }

// Erfcinv is math64.Erfcinv or math32.Erfcinv.
func Erfcinv[T Float](x T) T { return mathematics(x, math32.Erfcinv, math64.Erfcinv) }

// Gamma is math64.Gamma or math32.Gamma.
func Gamma[T Float](x T) T { return mathematics(x, math32.Gamma, math64.Gamma) }

// Lgamma is math64.Lgamma or math32.Lgamma.
func Lgamma[T Float](x T) (lgamma T, sign int) {
	if isSingle[T]() {
		l, s := math32.Lgamma(float32(x))
		return T(l), s
	}
	l, s := math64.Lgamma(float64(x))
	return T(l), s
}

// J0 is math64.J0 or math32.J0.
func J0[T Float](x T) T { return mathematics(x, math32.J0, math64.J0) }

// J1 is math64.J1 or math32.J1.
func J1[T Float](x T) T { return mathematics(x, math32.J1, math64.J1) }

// Y0 is math64.Y0 or math32.Y0.
func Y0[T Float](x T) T { return mathematics(x, math32.Y0, math64.Y0) }

// Y1 is math64.Y1 or math32.Y1.
func Y1[T Float](x T) T { return mathematics(x, math32.Y1, math64.Y1) }

// Jn is math64.Jn or math32.Jn.
func Jn[T Float](n int, x T) T {
	if isSingle[T]() {
		return T(math32.Jn(n, float32(x)))
	}
	return T(math64.Jn(n, float64(x)))
}

// Yn is math64.Yn or math32.Yn.
func Yn[T Float](n int, x T) T {
	if isSingle[T]() {
		return T(math32.Yn(n, float32(x)))
	}
	return T(math64.Yn(n, float64(x)))
}
