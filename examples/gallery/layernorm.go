package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

var layerNormExhibit = exhibit{
	name: "layernorm", file: "layernorm.go", size: 1000, show: showLayerNorm,
	algorithm: "the layer normalization of Ba, Kiros and Hinton",
	shows:     "a struct as a parameter, `gpu.FMA`, two sums of a block",
}

// Norm says how rows are normalized.
type Norm struct {
	Columns int
	Epsilon float32 // is added to the variance, so that a row of equal numbers becomes 0
}

// LayerNorm gives each row the mean 0 and the variance 1, and each column then its gain and bias:
// J. Ba, J. Kiros and G. Hinton, "Layer Normalization", 2016. Launch with a block for each row.
//
//gpu:kernel block=256
func LayerNorm(x, gain, bias, y []float32, norm Norm) {
	n := norm.Columns
	row, out := x[gpu.BlockIdx.X*n:][:n], y[gpu.BlockIdx.X*n:][:n]
	var sum, squares float32
	for i := gpu.ThreadIdx.X; i < n; i += rowBlock {
		sum += row[i]
	}
	mean := collective.BlockSum(sum) / float32(n)
	for i := gpu.ThreadIdx.X; i < n; i += rowBlock {
		d := row[i] - mean
		squares = gpu.FMA(d, d, squares)
	}
	scale := norm.scale(collective.BlockSum(squares))
	for i := gpu.ThreadIdx.X; i < n; i += rowBlock {
		out[i] = gpu.FMA((row[i]-mean)*scale, gain[i], bias[i])
	}
}

// scale is 1 over the standard deviation of numbers whose squares have a sum. It is for both sides.
func (norm *Norm) scale(squares float32) float32 {
	return 1 / gpu.Sqrt(squares/float32(norm.Columns)+norm.Epsilon)
}

// layerNormOnHost is LayerNorm's twin.
func layerNormOnHost(x, gain, bias []float32, norm Norm) []float32 {
	n := norm.Columns
	y := make([]float32, len(x))
	for first := 0; first < len(x); first += n {
		row, out := x[first:][:n], y[first:][:n]
		var sums, squares [rowBlock]float32
		for i, x := range row {
			sums[i%rowBlock] += x
		}
		mean := blockSum(sums[:]) / float32(n)
		for i, x := range row {
			d := x - mean
			squares[i%rowBlock] = gpu.FMA(d, d, squares[i%rowBlock])
		}
		scale := norm.scale(blockSum(squares[:]))
		for i, x := range row {
			out[i] = gpu.FMA((x-mean)*scale, gain[i], bias[i])
		}
	}
	return y
}

func showLayerNorm(v *visit, columns int) {
	const rows = 20
	v.input = fmt.Sprintf("%d rows of %d float32", rows, columns)
	norm := Norm{Columns: columns, Epsilon: 1e-5}
	host := uniform[float32](rows*columns, -3, 5)
	hostGain, hostBias := uniform[float32](columns, 0.5, 2), uniform[float32](columns, -1, 1)
	x, gain, bias := copyOf(v, host), copyOf(v, hostGain), copyOf(v, hostBias)
	y := room[float32](v, len(host))
	kernel := load(v, LoadLayerNorm)
	v.launch(func() error { return kernel.Launch(v.stream, gridstride.Grid(rows), x, gain, bias, y, norm) })
	compare(v, "element", y, layerNormOnHost(host, hostGain, hostBias, norm))
}
