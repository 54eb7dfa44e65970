package main

// The model is one block of a transformer between a table of words and one of logits, with the layer
// normalizations before attention and the perceptron: A. Vaswani and others, "Attention Is All You
// Need", 2017; R. Xiong and others, "On Layer Normalization in the Transformer Architecture", 2020.
const (
	length   = 32 // of a sequence
	words    = 16
	width    = 64 // of the row of a token
	heads    = 4
	headSize = width / heads
	hidden   = 2 * width // of the perceptron
)

// model has the weights of the block, and the results of a batch that the gradients need.
type model struct {
	*kernels
	sequences int // of a batch
	tokens    int // of a batch

	weights, grads, means, squares  vector[float32] // all of them; the following are parts
	table, places                   weight
	wQKV, wOut, wUp, wDown, wLogits weight
	norm1, norm2                    *norm

	x                              vector[float32] // a row for each token, to which attention and perceptron add
	y1, y2                         vector[float32] // x after each norm
	qkv, shares, mixed             vector[float32] // queries, keys and values; the softmax of scores; means of values
	inner, bent                    vector[float32] // of the perceptron, before and after GELU
	scores, losses                 vector[float32] // the logits, or their gradient; for each token
	gradX, gradY                   vector[float32]
	gradQKV, gradShares, gradInner vector[float32]
}

// weight is a part of the weights and its gradient.
type weight struct{ value, grad vector[float32] }

// norm is a layer normalization, and the results that its gradient needs.
type norm struct {
	rows, width        int
	gain, bias         vector[float32]
	gradGain, gradBias vector[float32]
	hat, inverse       vector[float32]
}

// parts are the sizes of the weights, in the order of newModel, and of the gain and the bias of two
// norms.
var parts = []int{
	words * width, length * width, 3 * width * width, width * width, width * hidden, hidden * width, width * words,
	width, width, width, width,
}

// gains is the first of the parts that are no matrices.
const gains = 7

// newModel is a model with weights on a machine, for batches of sequences.
func newModel(m *machine, weights []float32, sequences int) *model {
	tokens := sequences * length
	b := &model{kernels: loadKernels(m), sequences: sequences, tokens: tokens}
	b.weights, b.grads = copyOf(m, weights), zeros(m, len(weights))
	b.means, b.squares = zeros(m, len(weights)), zeros(m, len(weights))
	first, next := 0, 0
	part := func() (w weight) {
		w = weight{b.weights.part(m, first, parts[next]), b.grads.part(m, first, parts[next])}
		first += parts[next]
		next++
		return w
	}
	b.table, b.places, b.wQKV, b.wOut, b.wUp, b.wDown, b.wLogits = part(), part(), part(), part(), part(), part(), part()
	b.norm1, b.norm2 = newNorm(m, tokens, part(), part()), newNorm(m, tokens, part(), part())
	row := func(n int) vector[float32] { return zeros(m, tokens*n) }
	b.x, b.y1, b.y2, b.qkv, b.shares, b.mixed = row(width), row(width), row(width), row(3*width), row(heads*length), row(width)
	b.inner, b.bent, b.scores, b.losses = row(hidden), row(hidden), row(words), row(1)
	b.gradX, b.gradY, b.gradQKV, b.gradShares, b.gradInner = row(width), row(width), row(3*width), row(heads*length), row(hidden)
	return b
}

func newNorm(m *machine, tokens int, gain, bias weight) *norm {
	return &norm{
		rows: tokens, width: width, gain: gain.value, bias: bias.value, gradGain: gain.grad, gradBias: bias.grad,
		hat: zeros(m, tokens*width), inverse: zeros(m, tokens),
	}
}
