package main

import "github.com/gridstride/gridstride/gpu"

// Embed gives each token its row of a table, plus the row of its place in the sequence.
//
//gpu:kernel
func Embed(tokens []int32, table, places, x []float32, width int) {
	for i := range gpu.GridStride(len(x)) {
		token, col := i/width, i%width
		x[i] = table[int(tokens[token])*width+col] + places[i%len(places)]
	}
}

// EmbedGrad adds up the gradient of the table: a thread for each of its numbers.
//
//gpu:kernel
func EmbedGrad(tokens []int32, gradX, gradTable []float32, width int) {
	for i := range gpu.GridStride(len(gradTable)) {
		word, col := int32(i/width), i%width
		var sum float32
		for t, token := range tokens {
			if token == word {
				sum += gradX[t*width+col]
			}
		}
		gradTable[i] = sum
	}
}

// PlaceGrad adds up the gradient of the places, which all sequences share.
//
//gpu:kernel
func PlaceGrad(gradX, gradPlaces []float32) {
	for i := range gpu.GridStride(len(gradPlaces)) {
		var sum float32
		for at := i; at < len(gradX); at += len(gradPlaces) {
			sum += gradX[at]
		}
		gradPlaces[i] = sum
	}
}

// normal is the distribution function of the normal distribution, and its density.
func normal(x float32) (below, density float32) {
	const rootHalf, rootTwoPi = 0.70710678, 2.5066283
	return 0.5 * gpu.Erfc(-rootHalf*x), gpu.Exp(-0.5*x*x) / rootTwoPi
}

// GELU is the Gaussian error linear unit of D. Hendrycks and K. Gimpel, 2016.
//
//gpu:kernel
func GELU(x, y []float32) {
	for i := range gpu.GridStride(len(x)) {
		below, _ := normal(x[i])
		y[i] = x[i] * below
	}
}

// GELUGrad replaces the gradient of GELU's results with the gradient of its inputs.
//
//gpu:kernel
func GELUGrad(x, grad []float32) {
	for i := range gpu.GridStride(len(x)) {
		below, density := normal(x[i])
		grad[i] *= gpu.FMA(x[i], density, below)
	}
}

// Rates is how Adam learns, with the corrections of a step.
type Rates struct {
	Rate, Beta1, Beta2, Epsilon float32
	Correct1, Correct2          float32 // 1 - Beta^step
}

// Adam moves weights against their gradients: D. Kingma and J. Ba, "Adam: A Method for Stochastic
// Optimization", 2015. It remembers mean and square from step to step.
//
//gpu:kernel
func Adam(weights, grad, mean, square []float32, r Rates) {
	for i := range gpu.GridStride(len(weights)) {
		g := grad[i]
		mean[i] = gpu.FMA(r.Beta1, mean[i], float32((1-r.Beta1)*g))
		square[i] = gpu.FMA(r.Beta2, square[i], float32((1-r.Beta2)*g)*g)
		step := mean[i] / r.Correct1 / (gpu.Sqrt(square[i]/r.Correct2) + r.Epsilon)
		weights[i] = gpu.FMA(-r.Rate, step, weights[i])
	}
}
