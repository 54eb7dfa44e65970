package main

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

var geluExhibit = exhibit{
	name: "gelu", file: "gelu.go", size: 10_000, show: showGELU,
	algorithm: "the Gaussian error linear unit of Hendrycks and Gimpel",
	shows:     "a grid-stride loop, a kernel for two types, `gpu.Erfc`",
}

// GELU computes y = x * P(a standard normal number is below x): D. Hendrycks and K. Gimpel,
// "Gaussian Error Linear Units", 2016. It is the function itself, not its approximation by a
// hyperbolic tangent.
//
//gpu:kernel T=float32,float64
func GELU[T gpu.Float](x, y []T) {
	for i := range gpu.GridStride(len(x)) {
		y[i] = gelu(x[i])
	}
}

// gelu is for both sides. Where x is far below 0, erfc keeps the digits that 1 + erf would lose.
func gelu[T gpu.Float](x T) T { return x / 2 * gpu.Erfc(x*(-1/math.Sqrt2)) }

// geluOnHost is GELU's twin.
func geluOnHost[T gpu.Float](x []T) []T {
	y := make([]T, len(x))
	for i := range x {
		y[i] = gelu(x[i])
	}
	return y
}

func showGELU(v *visit, n int) {
	v.input = fmt.Sprintf("%d float32 and %[1]d float64", n)
	showGELUOf(v, n, load(v, LoadGELU[float32]))
	showGELUOf(v, n, load(v, LoadGELU[float64]))
}

func showGELUOf[T GELUT](v *visit, n int, kernel *GELUKernel[T]) {
	host := uniform[T](n, -6, 6)
	x, y := copyOf(v, host), room[T](v, n)
	v.launch(func() error { return kernel.Launch(v.stream, gridstride.Grid(64).Block(128), x, y) })
	compare(v, "element", y, geluOnHost(host))
}
