package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

var layerNormGradExhibit = exhibit{
	name: "layernormgrad", file: "layernormgrad.go", size: 1000, show: showLayerNormGrad,
	algorithm: "the gradients of layer normalization",
	shows:     "a device function with barriers that two kernels call, sums of rows and of columns",
}

// LayerNormGrad computes the gradient of [LayerNorm]'s inputs from the gradient of its results, and
// writes the moments of each row for [LayerNormGradGain]. With h the normalized row and g = grad*gain
// that is
//
//	gradX = scale * (g - mean(g) - h*mean(g*h))
//
// Rows may have any width. Launch with a block for each row.
//
//gpu:kernel block=256
func LayerNormGrad(x, gain, grad, gradX []float32, moments []Moments, norm Norm) {
	n, r := norm.Columns, gpu.BlockIdx.X
	row, from, to := x[r*n:][:n], grad[r*n:][:n], gradX[r*n:][:n]
	m := norm.moments(row)
	var sum, along float32
	for i := gpu.ThreadIdx.X; i < n; i += rowBlock {
		g := float32(from[i] * gain[i])
		sum += g
		along = gpu.FMA(g, m.normal(row[i]), along)
	}
	sum = collective.BlockSum(sum) / float32(n)
	along = collective.BlockSum(along) / float32(n)
	for i := gpu.ThreadIdx.X; i < n; i += rowBlock {
		to[i] = m.grad(row[i], from[i], gain[i], sum, along)
	}
	if gpu.ThreadIdx.X == 0 {
		moments[r] = m
	}
}

// grad is an element of the gradient of a row. It is for both sides.
func (m *Moments) grad(x, grad, gain, sum, along float32) float32 {
	return m.Scale * gpu.FMA(-along, m.normal(x), float32(grad*gain)-sum)
}

// LayerNormGradGain computes the gradients of the gains and biases, which are sums of columns. Threads
// side by side read columns side by side. Any grid will do.
//
//gpu:kernel
func LayerNormGradGain(x, grad []float32, moments []Moments, gradGain, gradBias []float32) {
	n := len(gradGain)
	for i := range gpu.GridStride(n) {
		var gain, bias float32
		for r := range moments {
			g := grad[r*n+i]
			gain = gpu.FMA(g, moments[r].normal(x[r*n+i]), gain)
			bias += g
		}
		gradGain[i], gradBias[i] = gain, bias
	}
}

// layerNormGradOnHost is the twin of both.
func layerNormGradOnHost(x, gain, grad []float32, norm Norm) (gradX, gradGain, gradBias []float32) {
	n := norm.Columns
	gradX, gradGain, gradBias = make([]float32, len(x)), make([]float32, n), make([]float32, n)
	for first := 0; first < len(x); first += n {
		row, from, to := x[first:][:n], grad[first:][:n], gradX[first:][:n]
		m := norm.momentsOnHost(row)
		var sums, alongs [rowBlock]float32
		for i, x := range row {
			g, h, t := float32(from[i]*gain[i]), m.normal(x), i%rowBlock
			sums[t] += g
			alongs[t] = gpu.FMA(g, h, alongs[t])
			gradGain[i] = gpu.FMA(from[i], h, gradGain[i])
			gradBias[i] += from[i]
		}
		sum, along := blockSum(sums[:])/float32(n), blockSum(alongs[:])/float32(n)
		for i, x := range row {
			to[i] = m.grad(x, from[i], gain[i], sum, along)
		}
	}
	return gradX, gradGain, gradBias
}

func showLayerNormGrad(v *visit, columns int) {
	const rows = 20
	v.input = fmt.Sprintf("%d rows of %d float32", rows, columns)
	norm := Norm{Columns: columns, Epsilon: 1e-5}
	hostX, hostGrad := uniform[float32](rows*columns, -3, 5), uniform[float32](rows*columns, -1, 1)
	hostGain := uniform[float32](columns, 0.5, 2)
	x, gain, grad := copyOf(v, hostX), copyOf(v, hostGain), copyOf(v, hostGrad)
	gradX, moments := room[float32](v, len(hostX)), room[Moments](v, rows)
	gradGain, gradBias := room[float32](v, columns), room[float32](v, columns)
	ofRows, ofColumns := load(v, LoadLayerNormGrad), load(v, LoadLayerNormGradGain)
	v.launch(func() error {
		return ofRows.Launch(v.stream, gridstride.Grid(rows), x, gain, grad, gradX, moments, norm)
	})
	v.launch(func() error {
		return ofColumns.Launch(v.stream, blocksFor(columns, rowBlock), x, grad, moments, gradGain, gradBias)
	})
	wantX, wantGain, wantBias := layerNormGradOnHost(hostX, hostGain, hostGrad, norm)
	compare(v, "gradient of x", gradX, wantX)
	compare(v, "gradient of gain", gradGain, wantGain)
	compare(v, "gradient of bias", gradBias, wantBias)
}
