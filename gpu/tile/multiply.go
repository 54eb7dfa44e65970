package tile

import "github.com/gridstride/gridstride/gpu"

// Multiply starts sum = a*b + sum, or sum = a*b if add is false, of tiles that are [Depth] deep. Of
// a it takes 64 rows, which are the first of the slice, and of b as many columns as sum has. All
// threads of a warpgroup make the call, after [gpu.WGMMAFence], and do not touch tiles and sum
// until a wait.
func Multiply[A, B Layout, C gpu.Sums64[float32], T Half](sum *C, a, b []T, add bool) {
	for step := range steps {
		x, y := matrix[A](a, step), matrix[B](b, step)
		multiply[A, B](sum, x, y, add || step > 0)
	}
}

// multiply takes the options from the layouts.
func multiply[A, B Layout, C gpu.Sums64[float32], T Half](sum *C, x, y gpu.Matrix[T], add bool) {
	var a A
	var b B
	switch {
	case a.Transposed() && b.Transposed():
		gpu.WGMMA(sum, x, y, add, gpu.TransposeA, gpu.TransposeB)
	case a.Transposed():
		gpu.WGMMA(sum, x, y, add, gpu.TransposeA)
	case b.Transposed():
		gpu.WGMMA(sum, x, y, add, gpu.TransposeB)
	default:
		gpu.WGMMA(sum, x, y, add)
	}
}
