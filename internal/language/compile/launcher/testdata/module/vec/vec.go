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

// Matrix is a matrix, row by row.
type Matrix[T any] struct {
	Data       []T
	_          int8
	Rows, Cols int
}

func (m *Matrix[T]) at(i, j int) *T { return &m.Data[i*m.Cols+j] }

type affine[T float32 | float64] struct {
	Matrix[T]
	shift []T
	path  shape.Path
	point shape.Point
}

// Apply writes to y what a makes of x.
//
//gpu:kernel T=float32,float64
func Apply[T float32 | float64](y Matrix[T], a affine[T], x Matrix[T]) {
	for k := range gpu.GridStride(y.Rows * y.Cols) {
		i, j := k/y.Cols, k%y.Cols
		sum := a.shift[i] + T(a.path.Points[0].X+a.point.Y)
		for l := range x.Rows {
			sum += *a.at(i, l) * *x.at(l, j)
		}
		*y.at(i, j) = sum
	}
}

// Pair is two values.
type Pair[T any] struct{ A, B T }

// Reverse reverses a.
//
//gpu:kernel T=Pair[int32],[2]Pair[shape.Point] block=32
func Reverse[T any](a []T) {
	for i := range gpu.GridStride(len(a) / 2) {
		a[i], a[len(a)-1-i] = a[len(a)-1-i], a[i]
	}
}
