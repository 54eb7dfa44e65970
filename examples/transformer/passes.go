package main

import "math"

// forward computes the losses of a batch.
func (b *model) forward(tokens, targets vector[int32]) {
	b.embed(tokens, b.table.value, b.places.value, b.x, b.tokens*width, width)
	b.layerNorm(b.x, b.y1, b.norm1)
	b.layer(b.qkv, b.y1, b.wQKV, Size{N: 3 * width, K: width})
	b.attend()
	b.layer(b.x, b.mixed, b.wOut, Size{N: width, K: width, Add: true})
	b.layerNorm(b.x, b.y2, b.norm2)
	b.layer(b.inner, b.y2, b.wUp, Size{N: hidden, K: width})
	b.gelu(b.inner, b.bent, b.tokens*hidden)
	b.layer(b.x, b.bent, b.wDown, Size{N: width, K: hidden, Add: true})
	b.layer(b.scores, b.x, b.wLogits, Size{N: words, K: width})
	b.crossEntropy(b.scores, targets, b.losses, b.tokens, words)
}

// backward computes the gradients of all weights, from the last operation to the first. A term that
// an operation has added to x has x's gradient.
func (b *model) backward(tokens vector[int32]) {
	b.layerGrad(b.gradX, b.scores, b.x, b.wLogits, Size{N: words, K: width})
	b.layerGrad(b.gradInner, b.gradX, b.bent, b.wDown, Size{N: width, K: hidden})
	b.geluGrad(b.inner, b.gradInner, b.tokens*hidden)
	b.layerGrad(b.gradY, b.gradInner, b.y2, b.wUp, Size{N: hidden, K: width})
	b.layerNormGrad(b.gradY, b.gradX, b.norm2)
	b.layerGrad(b.gradY, b.gradX, b.mixed, b.wOut, Size{N: width, K: width})
	b.attendGrad(b.gradY)
	b.layerGrad(b.gradY, b.gradQKV, b.y1, b.wQKV, Size{N: 3 * width, K: width})
	b.layerNormGrad(b.gradY, b.gradX, b.norm1)
	b.embedGrad(tokens, b.gradX, b.table.grad, b.places.grad, words*width, width)
}

// layer is y = xW, or adds that to y, with K numbers in a row of x and N in a row of y.
func (b *model) layer(y, x vector[float32], w weight, s Size) {
	s.Sequences, s.Heads, s.M, s.Scale = 1, 1, b.tokens, 1
	b.matMul(matrix(y, s.N), matrix(x, s.K), matrix(w.value, s.N), s)
}

// layerGrad sets the gradients of x and of the weights, from the gradient of y.
func (b *model) layerGrad(gradX, gradY, x vector[float32], w weight, s Size) {
	one := Size{Sequences: 1, Heads: 1, Scale: 1}
	one.M, one.N, one.K = s.K, s.N, b.tokens
	b.matMul(matrix(w.grad, s.N), matrix(x, s.K).transposed(), matrix(gradY, s.N), one)
	one.M, one.N, one.K = b.tokens, s.K, s.N
	b.matMul(matrix(gradX, s.K), matrix(gradY, s.N), matrix(w.value, s.N).transposed(), one)
}

// rootScale keeps the products of queries and keys from growing with the size of heads.
var rootScale = float32(1 / math.Sqrt(headSize))

// attend mixes the values of each sequence.
func (b *model) attend() {
	q, k, v := b.ofQKV(b.qkv)
	p := b.square(b.shares)
	b.matMul(p, q, k.transposed(), b.each(length, headSize, rootScale))
	b.softmax(b.shares, b.tokens*heads, length)
	b.matMul(b.ofHeads(b.mixed), p, v, b.each(headSize, length, 1))
}

// attendGrad sets the gradients of queries, keys and values, from the gradient of attend's result.
func (b *model) attendGrad(gradMixed vector[float32]) {
	q, k, v := b.ofQKV(b.qkv)
	gradQ, gradK, gradV := b.ofQKV(b.gradQKV)
	p, gradP, grad := b.square(b.shares), b.square(b.gradShares), b.ofHeads(gradMixed)
	b.matMul(gradV, p.transposed(), grad, b.each(headSize, length, 1))
	b.matMul(gradP, grad, v.transposed(), b.each(length, headSize, 1))
	b.softmaxGrad(b.shares, b.gradShares, b.tokens*heads, length)
	b.matMul(gradQ, gradP, k, b.each(headSize, length, rootScale))
	b.matMul(gradK, gradP.transposed(), q, b.each(headSize, length, rootScale))
}

// each is the size of a product for each head of each sequence.
func (b *model) each(n, k int, scale float32) Size {
	return Size{Sequences: b.sequences, Heads: heads, M: length, N: n, K: k, Scale: scale}
}

// square is a length by length matrix for each head.
func (b *model) square(of vector[float32]) view {
	return view{of: of, sequence: heads * length * length, head: length * length, row: length, column: 1}
}

// ofHeads is the rows of tokens. Each head has a part of a row.
func (b *model) ofHeads(of vector[float32]) view {
	return view{of: of, sequence: length * width, head: headSize, row: width, column: 1}
}

// ofQKV is the queries, the keys and the values. A row has all three side by side.
func (b *model) ofQKV(of vector[float32]) (q, k, v view) {
	q = view{of: of, sequence: length * 3 * width, head: headSize, row: 3 * width, column: 1}
	k, v = q, q
	k.first, v.first = width, 2*width
	return q, k, v
}
