package main

import "github.com/gridstride/gridstride"

// kernels runs the package's kernels on a machine. Each method runs one of them, or two.
type kernels struct {
	*machine
	gpu launchers
}

// launchers are the kernels on a device.
type launchers struct {
	matMul            *MatMulKernel
	layerNorm         *LayerNormKernel
	layerNormGrad     *LayerNormGradKernel
	layerNormGradGain *LayerNormGradGainKernel
	softmax           *SoftmaxKernel
	softmaxGrad       *SoftmaxGradKernel
	crossEntropy      *CrossEntropyKernel
	embed             *EmbedKernel
	embedGrad         *EmbedGradKernel
	placeGrad         *PlaceGradKernel
	gelu              *GELUKernel
	geluGrad          *GELUGradKernel
	adam              *AdamKernel
}

// loadKernels loads all kernels.
func loadKernels(m *machine) *kernels {
	return &kernels{m, launchers{
		load(m, LoadMatMul), load(m, LoadLayerNorm), load(m, LoadLayerNormGrad), load(m, LoadLayerNormGradGain),
		load(m, LoadSoftmax), load(m, LoadSoftmaxGrad), load(m, LoadCrossEntropy), load(m, LoadEmbed),
		load(m, LoadEmbedGrad), load(m, LoadPlaceGrad), load(m, LoadGELU), load(m, LoadGELUGrad), load(m, LoadAdam),
	}}
}

// view is matrices inside a vector: Matrices, apart from the numbers.
type view struct {
	of                                 vector[float32]
	first, sequence, head, row, column int
}

// matrix is a matrix whose rows follow each other.
func matrix(v vector[float32], width int) view { return view{of: v, row: width, column: 1} }

// transposed is a view with rows for columns.
func (v view) transposed() view {
	v.row, v.column = v.column, v.row
	return v
}

func (v view) here() Matrices {
	return Matrices{v.of.host, v.first, v.sequence, v.head, v.row, v.column}
}

func (v view) there() MatricesBuffers {
	return MatricesBuffers{Data: v.of.gpu, First: v.first, Sequence: v.sequence, Head: v.head, Row: v.row, Col: v.column}
}

// matMul sets c to Scale*ab, or adds that to c.
func (k *kernels) matMul(c, a, b view, size Size) {
	k.run(size.elements(), func() { MatMul(c.here(), a.here(), b.here(), size) }, func(cfg gridstride.Config) error {
		return k.gpu.matMul.Launch(k.stream, cfg, c.there(), a.there(), b.there(), size)
	})
}

// layerNorm sets y to the layer normalization of x.
func (k *kernels) layerNorm(x, y vector[float32], n *norm) {
	k.run(n.rows, func() { LayerNorm(x.host, n.gain.host, n.bias.host, y.host, n.hat.host, n.inverse.host) },
		func(cfg gridstride.Config) error {
			return k.gpu.layerNorm.Launch(k.stream, cfg, x.gpu, n.gain.gpu, n.bias.gpu, y.gpu, n.hat.gpu, n.inverse.gpu)
		})
}

// layerNormGrad adds to gradX, and sets the gradients of the gain and the bias.
func (k *kernels) layerNormGrad(gradY, gradX vector[float32], n *norm) {
	k.run(n.rows, func() { LayerNormGrad(gradY.host, n.gain.host, n.hat.host, n.inverse.host, gradX.host) },
		func(cfg gridstride.Config) error {
			return k.gpu.layerNormGrad.Launch(k.stream, cfg, gradY.gpu, n.gain.gpu, n.hat.gpu, n.inverse.gpu, gradX.gpu)
		})
	k.run(n.width, func() { LayerNormGradGain(gradY.host, n.hat.host, n.gradGain.host, n.gradBias.host) },
		func(cfg gridstride.Config) error {
			return k.gpu.layerNormGradGain.Launch(k.stream, cfg, gradY.gpu, n.hat.gpu, n.gradGain.gpu, n.gradBias.gpu)
		})
}

// softmax makes shares of rows.
func (k *kernels) softmax(x vector[float32], rows, width int) {
	k.run(rows, func() { Softmax(x.host, width) }, func(cfg gridstride.Config) error {
		return k.gpu.softmax.Launch(k.stream, cfg, x.gpu, width)
	})
}

// softmaxGrad replaces the gradient of shares with the gradient of what Softmax took.
func (k *kernels) softmaxGrad(shares, grad vector[float32], rows, width int) {
	k.run(rows, func() { SoftmaxGrad(shares.host, grad.host, width) }, func(cfg gridstride.Config) error {
		return k.gpu.softmaxGrad.Launch(k.stream, cfg, shares.gpu, grad.gpu, width)
	})
}

// crossEntropy sets the losses of rows of logits, and replaces the logits with their gradient.
func (k *kernels) crossEntropy(logits vector[float32], targets vector[int32], losses vector[float32], rows, width int) {
	k.run(rows, func() { CrossEntropy(logits.host, targets.host, losses.host, width) }, func(cfg gridstride.Config) error {
		return k.gpu.crossEntropy.Launch(k.stream, cfg, logits.gpu, targets.gpu, losses.gpu, width)
	})
}

// embed sets x, of n numbers, to the rows of tokens and of their places.
func (k *kernels) embed(tokens vector[int32], table, places, x vector[float32], n, width int) {
	k.run(n, func() { Embed(tokens.host, table.host, places.host, x.host, width) }, func(cfg gridstride.Config) error {
		return k.gpu.embed.Launch(k.stream, cfg, tokens.gpu, table.gpu, places.gpu, x.gpu, width)
	})
}

// embedGrad sets the gradients of the table, which has n numbers, and the places.
func (k *kernels) embedGrad(tokens vector[int32], gradX, gradTable, gradPlaces vector[float32], n, width int) {
	k.run(n, func() { EmbedGrad(tokens.host, gradX.host, gradTable.host, width) }, func(cfg gridstride.Config) error {
		return k.gpu.embedGrad.Launch(k.stream, cfg, tokens.gpu, gradX.gpu, gradTable.gpu, width)
	})
	k.run(n, func() { PlaceGrad(gradX.host, gradPlaces.host) }, func(cfg gridstride.Config) error {
		return k.gpu.placeGrad.Launch(k.stream, cfg, gradX.gpu, gradPlaces.gpu)
	})
}

// gelu sets y to the GELU of x.
func (k *kernels) gelu(x, y vector[float32], n int) {
	k.run(n, func() { GELU(x.host, y.host) }, func(cfg gridstride.Config) error {
		return k.gpu.gelu.Launch(k.stream, cfg, x.gpu, y.gpu)
	})
}

// geluGrad replaces the gradient of GELU's results with x's.
func (k *kernels) geluGrad(x, grad vector[float32], n int) {
	k.run(n, func() { GELUGrad(x.host, grad.host) }, func(cfg gridstride.Config) error {
		return k.gpu.geluGrad.Launch(k.stream, cfg, x.gpu, grad.gpu)
	})
}

// adam moves n weights.
func (k *kernels) adam(weights, grad, mean, square vector[float32], n int, r Rates) {
	k.run(n, func() { Adam(weights.host, grad.host, mean.host, square.host, r) }, func(cfg gridstride.Config) error {
		return k.gpu.adam.Launch(k.stream, cfg, weights.gpu, grad.gpu, mean.gpu, square.gpu, r)
	})
}
