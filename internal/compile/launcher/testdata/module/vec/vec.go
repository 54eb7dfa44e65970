// Package vec has kernels of every kind that launchers are generated for.
package vec

import (
	"example.com/user/shape"
	"github.com/gridstride/gridstride/gpu"
)

// Axpy adds f*x to y.
//
//gpu:kernel T=float32,float64,int32
func Axpy[T float32 | float64 | int32](y, x []T, f T) {
	x = x[:len(y)]
	for i := range gpu.GridStride(len(y)) {
		y[i] += f * x[i]
	}
}

// Fused adds f*x to y, rounding once, in numbers of 16 bits.
//
//gpu:kernel H=gpu.Float16,gpu.BFloat16
func Fused[H gpu.Half[H]](y, x []H, f H) {
	x = x[:len(y)]
	for i := range gpu.GridStride(len(y)) {
		y[i] = f.FMA(x[i], y[i])
	}
}

// Move moves the first n points, but for marked ones if skip is set.
//
//gpu:kernel block=64
func Move(p []shape.Point, by shape.Point, n int, skip bool) {
	for i := range gpu.GridStride(n) {
		if skip && p[i].Mark != 0 {
			continue
		}
		p[i].X += by.X
		p[i].Y += by.Y
	}
}

// Fill fills out with the two values in turn.
func Fill(out []int32, even, odd int32) error { return run(out, [2]int32{even, odd}) }

//gpu:kernel
func fill(out []int32, values [2]int32) {
	for i := range gpu.GridStride(len(out)) {
		out[i] = values[i%2]
	}
}
