package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

var softmaxExhibit = exhibit{
	name: "softmax", file: "softmax.go", size: 1000, show: showSoftmax,
	algorithm: "Bridle's softmax, of numbers that are moved so that no power overflows",
	shows:     "a block for a row, `gpu.Exp`, `collective.BlockMax` and `BlockSum`",
}

// rowBlock is the number of threads that share a row.
const rowBlock = 256

// Softmax makes shares of each row: y = e^x / sum(e^x), after subtracting the largest x of the row
// from each (J. Bridle, "Probabilistic interpretation of feedforward classification network
// outputs", 1990). Rows may have any width. Launch with a block for each row.
//
//gpu:kernel block=256
func Softmax(x, y []float32, columns int) {
	row, out := x[gpu.BlockIdx.X*columns:][:columns], y[gpu.BlockIdx.X*columns:][:columns]
	largest := float32(math.Inf(-1))
	for i := gpu.ThreadIdx.X; i < columns; i += rowBlock {
		largest = max(largest, row[i])
	}
	largest = collective.BlockMax(largest)
	var sum float32
	for i := gpu.ThreadIdx.X; i < columns; i += rowBlock {
		out[i] = gpu.Exp(row[i] - largest)
		sum += out[i]
	}
	sum = collective.BlockSum(sum)
	for i := gpu.ThreadIdx.X; i < columns; i += rowBlock {
		out[i] /= sum
	}
}

// softmaxOnHost is Softmax's twin.
func softmaxOnHost(x []float32, columns int) []float32 {
	y := make([]float32, len(x))
	for first := 0; first < len(x); first += columns {
		row, out := x[first:][:columns], y[first:][:columns]
		largest := slices.Max(row)
		var threads [rowBlock]float32
		for i := range row {
			out[i] = gpu.Exp(row[i] - largest)
			threads[i%rowBlock] += out[i]
		}
		sum := blockSum(threads[:])
		for i := range out {
			out[i] /= sum
		}
	}
	return y
}

func showSoftmax(v *visit, columns int) {
	const rows = 20
	v.input = fmt.Sprintf("%d rows of %d float32", rows, columns)
	host := uniform[float32](rows*columns, -200, 200)
	x, y := copyOf(v, host), room[float32](v, len(host))
	kernel := load(v, LoadSoftmax)
	v.launch(func() error { return kernel.Launch(v.stream, gridstride.Grid(rows), x, y, columns) })
	compare(v, "share", y, softmaxOnHost(host, columns))
}
