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
// J. Ba, J. Kiros and G. Hinton, "Layer Normalization", 2016. Rows may have any width. Launch with a
// block for each row.
//
//gpu:kernel block=256
func LayerNorm(x, gain, bias, y []float32, norm Norm) {
	n := norm.Columns
	row, out := x[gpu.BlockIdx.X*n:][:n], y[gpu.BlockIdx.X*n:][:n]
	m := norm.moments(row)
	for i := gpu.ThreadIdx.X; i < n; i += rowBlock {
		out[i] = gpu.FMA(m.normal(row[i]), gain[i], bias[i])
	}
}

// Moments are the mean of a row, and 1 over its standard deviation.
type Moments struct{ Mean, Scale float32 }

// normal is a number of the row after its normalization. It is for both sides.
func (m *Moments) normal(x float32) float32 { return (x - m.Mean) * m.Scale }

// moments are the moments of a row that the threads of a block share.
func (norm *Norm) moments(row []float32) Moments {
	var sum, squares float32
	for i := gpu.ThreadIdx.X; i < len(row); i += rowBlock {
		sum += row[i]
	}
	mean := collective.BlockSum(sum) / float32(norm.Columns)
	for i := gpu.ThreadIdx.X; i < len(row); i += rowBlock {
		d := row[i] - mean
		squares = gpu.FMA(d, d, squares)
	}
	return Moments{mean, norm.scale(collective.BlockSum(squares))}
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
		m := norm.momentsOnHost(x[first:][:n])
		for i, x := range x[first:][:n] {
			y[first+i] = gpu.FMA(m.normal(x), gain[i], bias[i])
		}
	}
	return y
}

// momentsOnHost is the twin of moments.
func (norm *Norm) momentsOnHost(row []float32) Moments {
	var sums, squares [rowBlock]float32
	for i, x := range row {
		sums[i%rowBlock] += x
	}
	mean := blockSum(sums[:]) / float32(norm.Columns)
	for i, x := range row {
		d := x - mean
		squares[i%rowBlock] = gpu.FMA(d, d, squares[i%rowBlock])
	}
	return Moments{mean, norm.scale(blockSum(squares[:]))}
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
