package main

import "github.com/gridstride/gridstride/gpu"

// Matrices is matrices inside numbers, one for each head of each sequence. The strides say how far
// apart neighbours are: what exchanges Row and Col transposes.
type Matrices struct {
	Data                            []float32
	First, Sequence, Head, Row, Col int
}

// at is the index of an element.
func (m *Matrices) at(sequence, head, row, col int) int {
	return m.First + sequence*m.Sequence + head*m.Head + row*m.Row + col*m.Col
}

// Size is the size of products: of an m by k and a k by n matrix for each head.
type Size struct {
	Sequences, Heads, M, N, K int
	Scale                     float32 // of the products
	Add                       bool    // to what is there
}

// elements is how many numbers the products have.
func (s *Size) elements() int { return s.Sequences * s.Heads * s.M * s.N }

// MatMul computes C = Scale*AB, or adds that to C. Each element is of one thread, which adds up from
// left to right. Any grid will do, and gives the same bits.
//
//gpu:kernel
func MatMul(c, a, b Matrices, size Size) {
	for at := range gpu.GridStride(size.elements()) {
		row, col := at/size.N%size.M, at%size.N
		head := at / (size.M * size.N) % size.Heads
		sequence := at / (size.M * size.N * size.Heads)
		x, y := a.at(sequence, head, row, 0), b.at(sequence, head, 0, col)
		var sum float32
		for range size.K {
			sum = gpu.FMA(a.Data[x], b.Data[y], sum)
			x += a.Col
			y += b.Row
		}
		to := &c.Data[c.at(sequence, head, row, col)]
		if size.Add {
			*to = gpu.FMA(size.Scale, sum, *to)
		} else {
			*to = size.Scale * sum
		}
	}
}
