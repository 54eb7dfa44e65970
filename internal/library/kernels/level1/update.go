package level1

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/math/rotation"
)

// axpy adds alpha*x to y, each with one rounding for the multiplication and its addition.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func axpy[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, alpha T) {
	onepass.Update(xv, yv, x, y, rest, func(v, w T) (T, T) { return v, gpu.FMA(alpha, v, w) }, onepass.ReadX|onepass.ReadY|onepass.WriteY)
}

// scal multiplies y by alpha. An alpha of 0 writes zeros, even over NaN and infinities.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func scal[T gpu.Float, V gpu.FloatVector[T, V]](yv []V, y []T, rest onepass.Rest, alpha T) {
	if alpha == 0 {
		onepass.Update(yv, yv, y, y, rest, func(v, w T) (T, T) { return v, 0 }, onepass.WriteY)
		return
	}
	onepass.Update(yv, yv, y, y, rest, func(v, w T) (T, T) { return v, alpha * w }, onepass.ReadY|onepass.WriteY)
}

// move copies x to y.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func move[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest) {
	onepass.Update(xv, yv, x, y, rest, func(v, w T) (T, T) { return v, v }, onepass.ReadX|onepass.WriteY)
}

// swap exchanges x and y.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func swap[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest) {
	onepass.Update(xv, yv, x, y, rest, func(v, w T) (T, T) { return w, v }, onepass.All)
}

// rot rotates the points of x and y by a rotation, which is c and s: in the buffer, or where that
// has no elements the numbers.
//
//gpu:kernel block=256 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func rot[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, c, s T, rotation []T) {
	if len(rotation) > 1 {
		c, s = rotation[0], rotation[1]
	}
	onepass.Update(xv, yv, x, y, rest,
		func(v, w T) (T, T) { return gpu.FMA(c, v, s*w), gpu.FMA(c, w, -(s * v)) }, onepass.All)
}

// rotg computes the rotation that turns (a, b) into (r, 0), as blas.Rotg does: out becomes c, s, r
// and z. smallest is the smallest normal number of the type.
//
// Launch with one block of any size.
//
//gpu:kernel T=float32,float64
func rotg[T gpu.Float](a, b, out []T, smallest T) {
	if gpu.ThreadIdx.X == 0 {
		c, s, r, z := rotation.Of(a[0], b[0], smallest)
		out[0], out[1], out[2], out[3] = c, s, r, z
	}
}
