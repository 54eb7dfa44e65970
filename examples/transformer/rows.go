package main

import "github.com/gridstride/gridstride/gpu"

// The kernels of this file have a thread for each row, or each column, which adds up from left to
// right, or from top to bottom.

// normEpsilon keeps the normalization of a row of equal numbers finite.
const normEpsilon = 1e-5

// LayerNorm gives each row the mean 0 and the variance 1, and each column then its gain and bias. For
// the gradient it writes the rows before that to hat, and 1 over their deviations to inverse. J. Ba, J. Kiros and G. Hinton, "Layer
// Normalization", 2016.
//
//gpu:kernel
func LayerNorm(x, gain, bias, y, hat, inverse []float32) {
	width := len(gain)
	for r := range gpu.GridStride(len(inverse)) {
		row := x[r*width:][:width]
		var sum, squares float32
		for _, v := range row {
			sum += v
		}
		mean := sum / float32(width)
		for _, v := range row {
			squares = gpu.FMA(v-mean, v-mean, squares)
		}
		inverse[r] = 1 / gpu.Sqrt(squares/float32(width)+normEpsilon)
		for i, v := range row {
			h := (v - mean) * inverse[r]
			hat[r*width+i] = h
			y[r*width+i] = gpu.FMA(h, gain[i], bias[i])
		}
	}
}

// LayerNormGrad adds the gradient of LayerNorm's inputs to gradX. gradY is the gradient of its
// results.
//
//gpu:kernel
func LayerNormGrad(gradY, gain, hat, inverse, gradX []float32) {
	width := len(gain)
	for r := range gpu.GridStride(len(inverse)) {
		grad, h, to := gradY[r*width:][:width], hat[r*width:][:width], gradX[r*width:][:width]
		var sum, along float32
		for i := range grad {
			g := float32(grad[i] * gain[i])
			sum += g
			along = gpu.FMA(g, h[i], along)
		}
		sum, along = sum/float32(width), along/float32(width)
		for i := range grad {
			g := gpu.FMA(-along, h[i], float32(grad[i]*gain[i])-sum)
			to[i] = gpu.FMA(inverse[r], g, to[i])
		}
	}
}

// LayerNormGradGain adds up the gradients of LayerNorm's gains and biases, which all rows share.
//
//gpu:kernel
func LayerNormGradGain(gradY, hat, gradGain, gradBias []float32) {
	width := len(gradGain)
	for c := range gpu.GridStride(width) {
		var gain, bias float32
		for i := c; i < len(gradY); i += width {
			gain = gpu.FMA(gradY[i], hat[i], gain)
			bias += gradY[i]
		}
		gradGain[c], gradBias[c] = gain, bias
	}
}

// Softmax makes shares of each row, in place.
//
//gpu:kernel
func Softmax(x []float32, width int) {
	for r := range gpu.GridStride(len(x) / width) {
		softmax(x[r*width:][:width])
	}
}

// softmax makes shares of a row, in place.
func softmax(row []float32) {
	largest := row[0]
	for _, v := range row {
		largest = max(largest, v)
	}
	var sum float32
	for i, v := range row {
		row[i] = gpu.Exp(v - largest)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}

// SoftmaxGrad replaces the gradient of shares with the gradient of the numbers that Softmax took.
//
//gpu:kernel
func SoftmaxGrad(shares, grad []float32, width int) {
	for r := range gpu.GridStride(len(shares) / width) {
		p, g := shares[r*width:][:width], grad[r*width:][:width]
		var mean float32
		for i := range p {
			mean = gpu.FMA(p[i], g[i], mean)
		}
		for i := range p {
			g[i] = p[i] * (g[i] - mean)
		}
	}
}

// CrossEntropy sets the loss of each row of logits, the negative logarithm of the target's share, and
// replaces the logits with the gradient of the mean loss.
//
//gpu:kernel
func CrossEntropy(logits []float32, targets []int32, losses []float32, width int) {
	for r := range gpu.GridStride(len(targets)) {
		row := logits[r*width:][:width]
		softmax(row)
		share := &row[targets[r]]
		losses[r] = -gpu.Log(*share)
		*share -= 1
		for i := range row {
			row[i] /= float32(len(targets))
		}
	}
}
