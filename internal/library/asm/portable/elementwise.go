package portable

import "github.com/gridstride/gridstride/internal/library/asm"

// Axpy computes y += alpha*x.
func Axpy[T asm.Float](alpha T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = fma(alpha, v, y[i])
	}
}

// Scal computes x *= alpha.
func Scal[T asm.Float](alpha T, x []T) {
	for i := range x {
		x[i] *= alpha
	}
}

// Rot computes x, y = c*x + s*y, c*y - s*x.
func Rot[T asm.Float](x, y []T, c, s T) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i], y[i] = fma(c, v, s*w), fma(c, w, -(s*v))
	}
}
