package tensor

// Fragment says how the lanes of a warp share a matrix. Each has the same number of elements, which
// follow each other in its registers.
type Fragment struct {
	Rows, Cols int
	Elements   int // of a lane
	// Copies is how often the registers hold them, one copy after the other: a product takes the
	// first.
	Copies int
	// Place is the row and the column of a lane's element i.
	Place func(lane, i int) (row, col int)
}

// MMA is the fragment of a matrix of mma: A, B, or C and D. bits is the width of an element.
func (s Shape) MMA(matrix byte, bits int) Fragment {
	per := 32 / min(bits, 32)
	switch matrix {
	case 'a':
		return Fragment{s.M, s.K, s.M * s.K / 32, 1, func(lane, i int) (row, col int) { return s.A(lane, i, per) }}
	case 'b':
		return Fragment{s.K, s.N, s.K * s.N / 32, 1, func(lane, i int) (row, col int) { return s.B(lane, i, per) }}
	}
	return Fragment{s.M, s.N, s.M * s.N / 32, 1, s.C}
}

// WMMA is the fragment of a matrix of wmma. PTX leaves open which elements a lane has. An H200
// computes the product by mma, in blocks of 16 rows and 8 columns. It computes the product of 8
// rows and 32 columns from the transposed matrices. The fragments of the blocks follow each other.
// A and B of float16 have as many registers as the first tensor cores needed, which hold each
// element several times.
func (s Shape) WMMA(matrix byte, bits int) Fragment {
	if s.M < s.N {
		return s.transposed(matrix, bits)
	}
	block := Shape{min(s.M, 16), 8, s.K}
	f := block.MMA(matrix, bits)
	n, place := f.Elements, f.Place
	down := matrix == 'a' || matrix == 'c' && s.M > block.M // the blocks are below each other
	f.Place = func(lane, i int) (row, col int) {
		row, col = place(lane, i%n)
		if down {
			return row + i/n*block.M, col
		}
		return row, col + i/n*block.N
	}
	if matrix != 'b' {
		f.Rows = s.M
	}
	if matrix != 'a' {
		f.Cols = s.N
	}
	f.Elements = f.Rows * f.Cols / 32
	return f
}

// transposed is the fragment of a product that the unit computes as the transposed product.
func (s Shape) transposed(matrix byte, bits int) Fragment {
	of := map[byte]byte{'a': 'b', 'b': 'a', 'c': 'c'}[matrix]
	f := Shape{s.N, s.M, s.K}.WMMA(of, bits)
	place := f.Place
	f.Rows, f.Cols = f.Cols, f.Rows
	f.Place = func(lane, i int) (row, col int) {
		col, row = place(lane, i)
		return row, col
	}
	return f
}
