package triangle

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// Base is the largest number of rows of a triangle that a kernel takes whole, into shared memory.
const Base = 64

// Block is the number of threads of a block, one for each column of B.
const Block = 128

// pitch is the distance of rows of a triangle in shared memory. It is odd, so that the elements of a
// column are in different banks.
const pitch = Base + 1

// Shape says where the elements of the operands are. The triangle has N rows and columns: its element
// (i, k) is a[i*RowA+k*ColA], which says whether it is transposed, too. B has N rows and Cols
// columns: element (i, j) is b[i*RowB+j*ColB]. C is like B.
type Shape struct {
	N, Cols    int
	RowA, ColA int
	RowB, ColB int
	RowC, ColC int
	Lower      bool // as it is used
	Unit       bool // the diagonal is ones, and is not read
}

// stored reports whether element (i, k) is in the triangle.
func (s *Shape) stored(i, k int) bool { return i == k || (k < i) == s.Lower }

// load copies the triangle into shared memory. The threads of the block call it together.
func load[T gpu.Float](t *[Base * pitch]T, a []T, s *Shape) {
	for e := gpu.ThreadIdx.X; e < s.N*s.N; e += gpu.BlockDim.X {
		i, k := e/s.N, e%s.N
		switch {
		case i == k && s.Unit:
			t[i*pitch+k] = 1
		case s.stored(i, k):
			t[i*pitch+k] = a[i*s.RowA+k*s.ColA]
		}
	}
	gpu.SyncThreads()
}

// row returns the row i of a step, and the range of columns of its elements off the diagonal. If
// needed is true, the rows with these numbers have earlier steps, and otherwise later ones.
func (s *Shape) row(step int, needed bool) (i, from, to int) {
	i = step
	if s.Lower != needed {
		i = s.N - 1 - step
	}
	if s.Lower {
		return i, 0, i
	}
	return i, i + 1, s.N
}

// multiply computes B = alpha*A*B, where A is a triangle of at most Base rows.
//
// Launch with one thread for each column of B.
//
//gpu:kernel block=128 T=float32,float64
func multiply[T gpu.Float](a, b []T, s Shape, alpha T) {
	t := gpu.Shared[[Base * pitch]T]()
	load(t, a, &s)
	j := gpu.BlockIdx.X*Block + gpu.ThreadIdx.X
	if j >= s.Cols {
		return
	}
	for step := range s.N { // a row is written after the rows that need it
		i, from, to := s.row(step, false)
		sum := t[i*pitch+i] * b[i*s.RowB+j*s.ColB]
		for k := from; k < to; k++ {
			sum = gpu.FMA(t[i*pitch+k], b[k*s.RowB+j*s.ColB], sum)
		}
		b[i*s.RowB+j*s.ColB] = alpha * sum
	}
}

// solve computes B = alpha*inverse(A)*B, where A is a triangle of at most Base rows.
//
// Launch with one thread for each column of B.
//
//gpu:kernel block=128 T=float32,float64
func solve[T gpu.Float](a, b []T, s Shape, alpha T) {
	t := gpu.Shared[[Base * pitch]T]()
	load(t, a, &s)
	j := gpu.BlockIdx.X*Block + gpu.ThreadIdx.X
	if j >= s.Cols {
		return
	}
	for step := range s.N { // a row is written before the rows that need it
		i, from, to := s.row(step, true)
		sum := alpha * b[i*s.RowB+j*s.ColB]
		for k := from; k < to; k++ {
			sum = gpu.FMA(-t[i*pitch+k], b[k*s.RowB+j*s.ColB], sum)
		}
		if !s.Unit {
			sum /= t[i*pitch+i]
		}
		b[i*s.RowB+j*s.ColB] = sum
	}
}

// diagonal computes C = alpha*A*B + beta*C, where A is the blocks of Base rows on the diagonal of a
// symmetric matrix of N rows. With a beta of 0, C is not read.
//
// Launch with one thread for each column of B, and in the second dimension one block for each block
// of A.
//
//gpu:kernel block=128 T=float32,float64
func diagonal[T gpu.Float](a, b, c []T, s Shape, alpha, beta T) {
	first := gpu.BlockIdx.Y * Base
	a, b, c = a[first*(s.RowA+s.ColA):], b[first*s.RowB:], c[first*s.RowC:]
	s.N = min(Base, s.N-first)
	t := gpu.Shared[[Base * pitch]T]()
	load(t, a, &s)
	j := gpu.BlockIdx.X*Block + gpu.ThreadIdx.X
	if j >= s.Cols {
		return
	}
	for i := range s.N {
		var sum T
		for k := range s.N {
			v := t[k*pitch+i]
			if s.stored(i, k) {
				v = t[i*pitch+k]
			}
			sum = gpu.FMA(v, b[k*s.RowB+j*s.ColB], sum)
		}
		put(&c[i*s.RowC+j*s.ColC], alpha, sum, beta)
	}
}

// put writes alpha*sum + beta*c into c.
func put[T gpu.Float](c *T, alpha, sum, beta T) {
	sum *= alpha
	if beta != 0 {
		sum = gpu.FMA(beta, *c, sum)
	}
	*c = sum
}
