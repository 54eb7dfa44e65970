package gpublas_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
)

// grid is the layout of a matrix in its buffer.
type grid struct{ rows, cols, stride, offset int }

// matrices are small integers on the host and on the device, with guards round the rows.
func matrices[T gpublas.Float](b *bench[T], r *rand.Rand, g grid) (blas.Matrix[T], gpublas.Matrix[T], gridstride.Buffer[T]) {
	host := slices.Repeat([]T{guard}, g.offset+g.rows*g.stride+5)
	for i := range g.rows {
		copy(host[g.offset+i*g.stride:], integers[T](r, g.cols))
	}
	whole := b.buffer(host)
	return blas.Matrix[T]{Rows: g.rows, Cols: g.cols, Stride: g.stride, Data: host[g.offset:]},
		gpublas.Matrix[T]{Data: whole.Slice(g.offset, len(host)), Rows: g.rows, Cols: g.cols, Stride: g.stride}, whole
}

// unchanged checks that a buffer equals the host's result, including the elements before the
// matrix.
func (b *bench[T]) unchanged(x gridstride.Buffer[T], host []T) bool {
	got := b.read(x)
	return slices.Equal(got[len(got)-len(host):], host)
}

func TestLevel2(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testLevel2[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testLevel2[float64](t, dev) })
}

// testLevel2 compares Gemv and Ger with the host's, for rows that begin at 16 bytes and not, for
// short and long rows, and for columns that several blocks share.
func testLevel2[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		g          grid
		incX, incY int
	}{
		{grid{1, 1, 1, 0}, 1, 1}, {grid{0, 3, 3, 0}, 1, 1}, {grid{3, 0, 1, 0}, 1, 1}, {grid{33, 31, 32, 0}, 1, 1}, {grid{31, 33, 37, 1}, 2, -1},
		{grid{5, 1100, 1104, 0}, 1, 1}, {grid{7, 2051, 2052, 0}, 1, 1}, {grid{6, 1101, 1101, 3}, 1, 1}, {grid{5, 1100, 1100, 0}, -1, 2}, {grid{300, 130, 132, 4}, 1, 1},
	} {
		for _, trans := range []bool{false, true} {
			for _, f := range [][2]T{{1, 0}, {-2, 3}, {0, 0}, {0, 2}} {
				a, devA, wholeA := matrices(b, r, c.g)
				lx, ly := layout{c.g.cols, 1, c.incX}, layout{c.g.rows, 2, c.incY}
				if trans {
					lx.n, ly.n = ly.n, lx.n
				}
				hostX, hostY := place(lx, integers[T](r, lx.n)), place(ly, integers[T](r, ly.n))
				if f[1] == 0 && ly.n > 0 && ly.inc > 0 {
					hostY[ly.offset] = T(math.NaN()) // is not read
				}
				x, y := b.buffer(hostX), b.buffer(hostY)
				must(t, gpublas.Gemv(b.h, gpublas.Transpose(trans), f[0], devA, vectorAt(lx, x), f[1], vectorAt(ly, y)))
				blas.GemvInc(blas.Transpose(trans), f[0], a, hostX[1:], c.incX, f[1], hostY[2:], c.incY)
				if !slices.Equal(b.read(y), hostY) {
					t.Errorf("Gemv of %v, %v, with %v and increments %d and %d differs from the host's", c.g, trans, f, c.incX, c.incY)
				}
				if trans || f[1] == 3 {
					continue
				}
				lx, ly = ly, lx // x is a column, y a row
				hostX, hostY = place(lx, integers[T](r, lx.n)), place(ly, integers[T](r, ly.n))
				must(t, gpublas.Ger(b.h, f[0], vectorAt(lx, b.buffer(hostX)), vectorAt(ly, b.buffer(hostY)), devA))
				blas.GerInc(f[0], hostX[2:], c.incY, hostY[1:], c.incX, a)
				if !b.unchanged(wholeA, a.Data) {
					t.Errorf("Ger of %v by %v with increments %d and %d differs from the host's", c.g, f[0], c.incX, c.incY)
				}
			}
		}
	}
}

func TestLevel3(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testLevel3[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testLevel3[float64](t, dev) })
}

// testLevel3 compares Gemm and Syrk with the host's, for all transposes, sizes round a tile, rows
// that begin at 16 bytes and not, and guards after them.
func testLevel3[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(6, 6))
	stride := func(cols, pad int) int { return max((cols+3)/4*4, 4) + pad }
	for i, size := range [][3]int{{1, 1, 1}, {0, 3, 4}, {3, 4, 0}, {31, 33, 5}, {8, 136, 12}, {132, 4, 8}, {129, 7, 9}} {
		m, n, k := size[0], size[1], size[2]
		for trans := range 4 {
			transA, transB := trans%2 == 1, trans/2 == 1
			pad, offset := i%2*4, i%2*4
			if i == 3 {
				pad, offset = 1, 3
			}
			ga, gb, gc := grid{m, k, stride(k, pad), offset}, grid{k, n, stride(n, 0), 0}, grid{m, n, stride(n, pad), offset}
			if transA {
				ga = grid{k, m, stride(m, pad), offset}
			}
			if transB {
				gb = grid{n, k, stride(k, 0), 0}
			}
			for _, f := range [][2]T{{1, 0}, {-2, 3}, {0, 2}}[:1+2*(i%2)] {
				a, devA, _ := matrices(b, r, ga)
				bb, devB, _ := matrices(b, r, gb)
				c, devC, wholeC := matrices(b, r, gc)
				must(t, gpublas.Gemm(b.h, gpublas.Transpose(transA), gpublas.Transpose(transB), f[0], devA, devB, f[1], devC))
				blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), f[0], a, bb, f[1], c)
				if !b.unchanged(wholeC, c.Data) {
					t.Errorf("Gemm of %v and %v, %v, %v, with %v differs from the host's", ga, gb, transA, transB, f)
				}
			}
			if m != n && k > 0 {
				gc = grid{m, m, stride(m, pad), offset}
				a, devA, _ := matrices(b, r, ga)
				c, devC, wholeC := matrices(b, r, gc)
				must(t, gpublas.Syrk(b.h, gpublas.Uplo(transB), gpublas.Transpose(transA), 2, devA, 3, devC))
				blas.Syrk(blas.Uplo(transB), blas.Transpose(transA), 2, a, 3, c)
				if !b.unchanged(wholeC, c.Data) {
					t.Errorf("Syrk of %v, %v, %v, differs from the host's", ga, transB, transA)
				}
			}
		}
	}
}

// TestBeta: with a beta of 0 C is not read, and with an alpha of 0 the others are not.
func TestBeta(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	nan := float32(math.NaN())
	c := b.buffer(slices.Repeat([]float32{nan}, 9))
	one := gpublas.MatrixOf(3, 3, b.buffer([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}))
	bad := gpublas.MatrixOf(3, 3, b.buffer(slices.Repeat([]float32{nan}, 9)))
	must(t, gpublas.Gemm(b.h, gpublas.NoTrans, gpublas.NoTrans, 2, one, one, 0, gpublas.MatrixOf(3, 3, c)))
	must(t, gpublas.Gemm(b.h, gpublas.NoTrans, gpublas.NoTrans, 0, bad, bad, 3, gpublas.MatrixOf(3, 3, c)))
	if got, want := b.read(c), []float32{6, 0, 0, 0, 6, 0, 0, 0, 6}; !slices.Equal(got, want) {
		t.Errorf("C is %v, want %v", got, want)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testBatch[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testBatch[float64](t, dev) })
}

// testBatch has the same B for all products.
func testBatch[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(7, 7))
	const m, n, k, count = 5, 8, 12, 3
	for _, gap := range []int{0, 1} {
		hostA, hostB, hostC := integers[T](r, count*(m*k+gap)), integers[T](r, k*n), integers[T](r, count*(m*n+gap))
		c := b.buffer(hostC)
		must(t, gpublas.GemmStridedBatched(b.h, gpublas.NoTrans, gpublas.NoTrans, 2, gpublas.MatrixOf(m, k, b.buffer(hostA)), m*k+gap,
			gpublas.MatrixOf(k, n, b.buffer(hostB)), 0, 1, gpublas.MatrixOf(m, n, c), m*n+gap, count))
		blas.GemmStridedBatched(blas.NoTrans, blas.NoTrans, 2, blas.Matrix[T]{Rows: m, Cols: k, Stride: k, Data: hostA}, m*k+gap,
			blas.MatrixOf(k, n, hostB), 0, 1, blas.Matrix[T]{Rows: m, Cols: n, Stride: n, Data: hostC}, m*n+gap, count)
		if !slices.Equal(b.read(c), hostC) {
			t.Errorf("a batch with a gap of %d differs from the host's", gap)
		}
	}
}

func TestMatricesRefused(t *testing.T) {
	t.Parallel()
	b := newBench[float64](t, gputest.Device(t))
	data := b.buffer(make([]float64, 40))
	m := func(from, rows, cols, stride int) gpublas.Matrix[float64] {
		return gpublas.Matrix[float64]{Data: data.Slice(from, 40), Rows: rows, Cols: cols, Stride: stride}
	}
	v := func(from, n, inc int) gpublas.Vector[float64] {
		return gpublas.Vector[float64]{Data: data.Slice(from, 40), N: n, Inc: inc}
	}
	no, tr := gpublas.NoTrans, gpublas.Trans
	b.refused([]refusal{
		{gpublas.Gemv(b.h, no, 1, m(0, 3, 4, 3), v(12, 4, 1), 0, v(20, 3, 1)), gpublas.ErrShape, "gpublas: Gemv: a has 4 columns and a stride of 3"},
		{gpublas.Gemv(b.h, no, 1, m(35, 2, 4, 4), v(0, 4, 1), 0, v(20, 2, 1)), gpublas.ErrShort, "the buffer of a has 5 elements, too few for 2 x 4 with a stride of 4"},
		{gpublas.Gemv(b.h, tr, 1, m(0, 2, 4, 4), v(20, 4, 1), 0, v(30, 2, 1)), gpublas.ErrShape, "x has 4 elements and y has 2 for 4 x 2"},
		{gpublas.Gemv(b.h, no, 1, m(0, 2, 4, 4), v(20, 4, 1), 0, v(7, 2, 1)), gpublas.ErrOverlap, "a, 2 x 4 with a stride of 4, overlaps with y"},
		{gpublas.Gemv(b.h, no, 1, m(0, 2, 4, 4), v(20, 4, 1), 0, v(23, 2, 1)), gpublas.ErrOverlap, "y, 2 elements with an increment of 1, overlaps with x"},
		{gpublas.Ger(b.h, 1, v(20, 2, 0), v(30, 4, 1), m(0, 2, 4, 4)), gpublas.ErrIncrement, "gpublas: Ger: the increment of x is 0"},
		{gpublas.Ger(b.h, 1, v(20, 2, 1), v(6, 4, 1), m(0, 2, 4, 4)), gpublas.ErrOverlap, "overlaps with y"},
		{gpublas.Gemm(b.h, no, no, 1, m(0, 2, 3, 3), m(6, 2, 3, 3), 0, m(20, 2, 3, 3)), gpublas.ErrShape, "c is 2 x 3 for a product of 2 x 3 and 2 x 3"},
		{gpublas.Gemm(b.h, no, no, 1, m(0, 2, 2, 2), m(4, 2, 2, 2), 0, m(7, 2, 2, 2)), gpublas.ErrOverlap, "c, 2 x 2 with a stride of 2, overlaps with b"},
		{gpublas.Gemm(b.h, no, no, 1, m(0, 2, 2, 8), m(4, 2, 2, 8), 0, m(9, 2, 2, 8)), gpublas.ErrOverlap, "overlaps with a"},
		{gpublas.Syrk(b.h, gpublas.Upper, no, 1, m(0, 2, 3, 3), 0, m(6, 3, 3, 3)), gpublas.ErrShape, "c is 3 x 3 for a product of 2 x 3 and 3 x 2"},
		{gpublas.GemmStridedBatched(b.h, no, no, 1, m(0, 2, 2, 2), 4, m(0, 2, 2, 2), 4, 0, m(30, 2, 2, 2), 4, 3), gpublas.ErrShort, "the buffer of c has 10 elements, too few for 3 matrices of 2 x 2"},
		{gpublas.GemmStridedBatched(b.h, no, no, 1, m(0, 2, 2, 2), 4, m(0, 2, 2, 2), 4, 0, m(20, 2, 2, 2), 3, 3), gpublas.ErrOverlap, "the stride of c is 3; want 4 at least, as c has elements"},
		{gpublas.GemmStridedBatched(b.h, no, no, 1, m(0, 2, 2, 2), 4, m(0, 2, 2, 2), 4, 0, m(20, 2, 2, 2), 4, -1), gpublas.ErrShape, "-1 products"},
	})
	must(t, gpublas.Gemm(b.h, no, no, 1, m(0, 2, 2, 8), m(2, 2, 2, 8), 0, m(4, 2, 2, 8))) // side by side
	must(t, gpublas.Gemv(b.h, no, 1, m(0, 3, 2, 8), v(2, 2, 1), 0, v(7, 3, 8)))           // y is another column
	if part := m(0, 3, 4, 4).Slice(1, 5, 0, 2); gpublas.Gemv(b.h, no, 1, part, v(20, 2, 1), 0, v(30, 4, 1)) == nil {
		t.Error("a part that a matrix does not have is taken")
	}
}
