package blas

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// guard surrounds every operand. It spoils every sum that reads it, and the tests see whether it
// was overwritten.
var guard = math.NaN()

// guarded is a matrix of small whole numbers in the middle of a larger piece of memory, at an
// address that no vector is aligned to. Sums of products of its elements are exact.
func guarded[T Float](r *rand.Rand, rows, cols, extra int) (m Matrix[T], all []T) {
	m = Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols) + extra}
	before := 1 + r.IntN(40)
	all = make([]T, before+rows*m.Stride+40)
	for i := range all {
		all[i] = T(guard)
	}
	m.Data = all[before : before+max(0, (rows-1)*m.Stride+cols)]
	for i := range rows {
		for j := range cols {
			m.Row(i)[j] = T(r.IntN(15) - 7)
		}
	}
	return m, all
}

func (m Matrix[T]) at(t Transpose, i, j int) T {
	if t {
		i, j = j, i
	}
	return m.Data[i*m.Stride+j]
}

// wantGemm is the product by its definition. It is exact for small whole numbers.
func wantGemm[T Float](transA, transB Transpose, alpha T, a, b Matrix[T], beta T, c Matrix[T], all []T) []T {
	want := slices.Clone(all)
	_, k := a.shape(transA)
	out := Matrix[T]{c.Rows, c.Cols, c.Stride, want[offset(all, c.Data):]}
	for i := range c.Rows {
		for j := range c.Cols {
			var sum T
			for l := range k {
				sum += a.at(transA, i, l) * b.at(transB, l, j)
			}
			switch {
			case beta == 0:
				sum *= alpha
			default:
				sum = alpha*sum + beta*c.at(NoTrans, i, j)
			}
			out.Row(i)[j] = sum
		}
	}
	return want
}

// offset is where part begins in all.
func offset[T Float](all, part []T) int { return cap(all) - cap(part) }

// sameValues reports whether all elements are equal. All NaN are.
func sameValues[T Float](t *testing.T, got, want []T) bool {
	t.Helper()
	for i := range want {
		if got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
			t.Errorf("element %d is %v, want %v", i, got[i], want[i])
			return false
		}
	}
	return true
}

// sameBits reports whether all elements have the same bits. All NaN are the same.
func sameBits[T Float](t *testing.T, got, want []T) bool {
	t.Helper()
	for i := range want {
		if bitsOf(got[i]) != bitsOf(want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
			t.Errorf("element %d is %v, want %v", i, got[i], want[i])
			return false
		}
	}
	return true
}

func bitsOf[T Float](v T) uint64 {
	if kernel.Single[T]() {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// eachLevel runs a test with every instruction set that the machine has.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	for _, level := range asm.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			defer asm.Force(level)()
			f(t)
		})
	}
}

var everyShape = flag.Bool("shapes", false, "multiply matrices of every shape up to twice the size of a tile and 1 more")

// shapes are sizes up to twice the tiles' sizes and 1 more, and some that take more than one block:
// all pairs of m and n with some k. For an emulated processor they are sizes near the edges of
// tiles.
func shapes(r *rand.Rand, long bool) (all [][3]int) {
	edges := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 27, 28, 29, 31, 32, 33, 63, 64, 65}
	if !long {
		for _, m := range edges {
			for _, n := range edges {
				all = append(all, [3]int{m, n, edges[r.IntN(20)]})
			}
		}
		return all
	}
	for m := range 50 {
		for n := range 66 {
			all = append(all, [3]int{m, n, r.IntN(34)})
		}
	}
	return append(all, [][3]int{{97, 98, 99}, {130, 33, 257}, {1, 97, 600}, {97, 1, 513}, {113, 400, 100},
		{300, 120, 130}, {253, 389, 41}, {20, 20, 1100}, {5, 700, 300}}...)
}

func TestGemm(t *testing.T) {
	t.Run("float32", func(t *testing.T) { eachLevel(t, testGemm[float32]) })
	t.Run("float64", func(t *testing.T) { eachLevel(t, testGemm[float64]) })
}

func testGemm[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scalars := []T{0, 1, -1, 3}
	for i, s := range shapes(r, !testing.Short()) {
		alpha, beta := scalars[1+r.IntN(3)], scalars[r.IntN(4)]
		if r.IntN(20) == 0 {
			alpha = 0
		}
		gemmCase[T]{s, Transpose(i&1 != 0), Transpose(i&2 != 0), alpha, beta, r.IntN(2) * (1 + r.IntN(9))}.test(t, r)
	}
}

// TestEveryShape is every m, n and k up to twice the size of a tile and 1 more, with all
// transposes, and with factors in turn. It takes minutes.
func TestEveryShape(t *testing.T) {
	if !*everyShape {
		t.Skip("-shapes is not given")
	}
	t.Run("float32", func(t *testing.T) { eachLevel(t, testEveryShape[float32]) })
	t.Run("float64", func(t *testing.T) { eachLevel(t, testEveryShape[float64]) })
}

func testEveryShape[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	scalars := []T{0, 1, -1, 3}
	size := kernel.TileSizes[T]()
	i := 0
	for m := range 2*max(size.Rows, size.Tall) + 2 {
		for n := range 2*size.Cols + 2 {
			for k := range 2*size.Cols + 2 {
				for _, transA := range transs {
					for _, transB := range transs {
						i++
						gemmCase[T]{[3]int{m, n, k}, transA, transB, scalars[i%4], scalars[i/4%4], i % 3}.test(t, r)
					}
				}
			}
		}
	}
}

// gemmCase is a product to be tested: its sizes m, n and k, and by how much strides are larger than
// rows.
type gemmCase[T Float] struct {
	size           [3]int
	transA, transB Transpose
	alpha, beta    T
	extra          int
}

// test computes the product between guards, and compares it with its definition.
func (p gemmCase[T]) test(t *testing.T, r *rand.Rand) {
	t.Helper()
	operand := func(trans Transpose, rows, cols int) Matrix[T] {
		if trans {
			rows, cols = cols, rows
		}
		m, _ := guarded[T](r, rows, cols, p.extra)
		return m
	}
	a, b := operand(p.transA, p.size[0], p.size[2]), operand(p.transB, p.size[2], p.size[1])
	c, all := guarded[T](r, p.size[0], p.size[1], p.extra)
	if p.beta == 0 {
		for i := range c.Rows {
			for j := range c.Row(i) {
				c.Row(i)[j] = T(guard)
			}
		}
	}
	want := wantGemm(p.transA, p.transB, p.alpha, a, b, p.beta, c, all)
	Gemm(p.transA, p.transB, p.alpha, a, b, p.beta, c)
	if !sameValues(t, all, want) {
		t.Fatalf("m, n, k = %v, transposed: %v, %v, alpha %v, beta %v, stride %d",
			p.size, p.transA, p.transB, p.alpha, p.beta, c.Stride)
	}
}

// TestGemmBits: the instruction sets and the ways to run a product give the same bits.
func TestGemmBits(t *testing.T) {
	t.Run("float32", testGemmBits[float32])
	t.Run("float64", testGemmBits[float64])
}

func testGemmBits[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range [][3]int{{3, 5, 7}, {29, 65, 33}, {64, 64, 64}, {15, 31, 1300}, {100, 100, 300}, {200, 150, 120}} {
		m, n, k := s[0], s[1], s[2]
		a, b, c := MatrixOf[T](m, k, nil), MatrixOf[T](k, n, nil), MatrixOf[T](m, n, nil)
		for _, data := range [][]T{a.Data, b.Data, c.Data} {
			for i := range data {
				data[i] = T(r.NormFloat64())
			}
		}
		bt := MatrixOf[T](n, k, nil)
		for i := range k {
			for j := range n {
				bt.Data[j*k+i] = b.Data[i*n+j]
			}
		}
		var want []T
		for _, level := range asm.Levels() {
			restore := asm.Force(level)
			for _, transposed := range []Transpose{NoTrans, Trans} {
				got := MatrixOf(m, n, slices.Clone(c.Data))
				if transposed {
					Gemm(NoTrans, Trans, 0.7, a, bt, -0.3, got)
				} else {
					Gemm(NoTrans, NoTrans, 0.7, a, b, -0.3, got)
				}
				if want == nil {
					want = got.Data
				}
				if !sameBits(t, got.Data, want) {
					t.Fatalf("%v with %v, transposed: %v", s, level, transposed)
				}
			}
			restore()
		}
	}
}

func TestGemmConcurrent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	a, _ := guarded[float32](r, 250, 240, 0)
	b, _ := guarded[float32](r, 240, 260, 0)
	c, all := guarded[float32](r, 250, 260, 3)
	want := wantGemm(NoTrans, NoTrans, 1, a, b, 1, c, all)
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			mine := slices.Clone(all)
			at := offset(all, c.Data)
			Gemm(NoTrans, NoTrans, 1, a, b, 1, Matrix[float32]{c.Rows, c.Cols, c.Stride, mine[at : at+len(c.Data)]})
			sameValues(t, mine, want)
		})
	}
	calls.Wait()
	if n := cores.Busy(); n < 0 {
		t.Errorf("%d goroutines are busy", n)
	}
}

func TestGemmStridedBatched(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	const count, m, n, k = 5, 9, 17, 4
	a, _ := guarded[float64](r, count*m, k, 2)
	b, _ := guarded[float64](r, k, n, 0)
	c, all := guarded[float64](r, count*m, n, 1)
	want := wantGemm(NoTrans, NoTrans, 2, a, b, -1, c, all)
	a.Rows, c.Rows = m, m
	GemmStridedBatched(NoTrans, NoTrans, 2, a, m*a.Stride, b, 0, -1, c, m*c.Stride, count)
	sameValues(t, all, want)
}

func TestGemmPanics(t *testing.T) {
	t.Parallel()
	ok := MatrixOf[float64](2, 3, nil)
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"blas: Gemm: c is 2 x 3 for a product of 2 x 3 and 2 x 3", func() { Gemm(NoTrans, NoTrans, 1, ok, ok, 0, ok) }},
		{"blas: Gemm: b is 3 x 2 with a stride of 2 and has 5 elements: it needs 6", func() {
			Gemm(NoTrans, NoTrans, 1, ok, Matrix[float64]{3, 2, 2, make([]float64, 5)}, 0, MatrixOf[float64](2, 2, nil))
		}},
		{"blas: Gemm: a has 3 columns and a stride of 2", func() {
			Gemm(NoTrans, Trans, 1, Matrix[float64]{2, 3, 2, make([]float64, 6)}, ok, 0, MatrixOf[float64](2, 2, nil))
		}},
		{"blas: GemmStridedBatched: c has 4 elements and a stride of 3", func() {
			data := make([]float64, 20)
			GemmStridedBatched(NoTrans, Trans, 1, MatrixOf(2, 3, data[:6]), 0, ok, 0, 0, Matrix[float64]{2, 2, 2, data}, 3, 2)
		}},
	} {
		wantPanic(t, c.want, c.f)
	}
}

// wantPanic checks what f panics with.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}
