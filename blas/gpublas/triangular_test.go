package gpublas_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
)

func TestTriangular(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	t.Run("float32", func(t *testing.T) { testTriangular[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testTriangular[float64](t, dev) })
}

// testTriangular compares the calls that read a triangle with the host's, for all sides, triangles,
// transposes and diagonals, and sizes round a kernel's 64 rows. The triangle that is not stored is
// NaN.
func testTriangular[T gpublas.Float](t *testing.T, dev *gridstride.Device) {
	b, r := newBench[T](t, dev), rand.New(rand.NewPCG(8, 8))
	for i, size := range [][2]int{{1, 1}, {5, 33}, {64, 2}, {67, 3}, {131, 1}} {
		for options := range 16 {
			if i >= 2 && options%3 != i%3 { // each side, triangle, transpose and diagonal at some size
				continue
			}
			testSides(t, b, r, size[0], size[1], blas.Side(options&1 != 0), blas.Uplo(options&2 != 0),
				blas.Transpose(options&4 != 0), blas.Diag(options&8 != 0))
		}
	}
}

// testSides runs each call with a triangle of n rows and another matrix with as many.
func testSides[T gpublas.Float](t *testing.T, b *bench[T], r *rand.Rand, n, others int, side blas.Side, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag) {
	rows, cols := n, others
	if side == blas.Right {
		rows, cols = cols, rows
	}
	a, devA := triangleOn(b, r, n, uplo)
	compare := func(name string, whole gridstride.Buffer[T], want []T) {
		t.Helper()
		if at := differs(b.read(whole), want, float64(n)); at >= 0 {
			t.Errorf("%s of %d rows beside %d, side %v, lower %v, transposed %v, unit %v: element %d differs from the host's",
				name, n, others, side, uplo, trans, diag, at)
		}
	}
	layoutB := grid{rows, cols, cols + 3, 2}
	m, devM, _ := matrices(b, r, layoutB)
	f := [][2]T{{1, 0}, {-2, 3}, {0, 2}}[r.IntN(3)]
	c, devC, whole := matrices(b, r, layoutB)
	host := append([]T{guard, guard}, c.Data...)
	c.Data = host[2:]
	must(t, gpublas.Symm(b.h, side, uplo, f[0], devA, devM, f[1], devC))
	blas.Symm(side, uplo, f[0], a, m, f[1], c)
	compare("Symm", whole, host)
	for name, call := range map[string]struct {
		device func(h *gpublas.Handle, side blas.Side, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag, alpha T, a, b gpublas.Matrix[T]) error
		host   func(side blas.Side, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag, alpha T, a, b blas.Matrix[T])
	}{"Trmm": {gpublas.Trmm[T], blas.Trmm[T]}, "Trsm": {gpublas.Trsm[T], blas.Trsm[T]}} {
		alpha := []T{1, -2, 0}[r.IntN(3)]
		c, devC, whole := matrices(b, r, layoutB)
		host := append([]T{guard, guard}, c.Data...)
		c.Data = host[2:]
		must(t, call.device(b.h, side, uplo, trans, diag, alpha, devA, devC))
		call.host(side, uplo, trans, diag, alpha, a, c)
		compare(name, whole, host)
	}
	lx, ly := layout{n: n, offset: 1, inc: 2}, layout{n: n, offset: 2, inc: -3}
	if side == blas.Right {
		lx, ly = ly, layout{n: n, offset: 0, inc: 1}
	}
	x, y := place(lx, integers[T](r, n)), place(ly, integers[T](r, n))
	devX, devY := b.buffer(x), b.buffer(y)
	must(t, gpublas.Symv(b.h, uplo, -2, devA, vectorAt(lx, devX), 3, vectorAt(ly, devY)))
	blas.SymvInc(uplo, -2, a, x[lx.offset:], lx.inc, 3, y[ly.offset:], ly.inc)
	compare("Symv", devY, y)
	must(t, gpublas.Trmv(b.h, uplo, trans, diag, devA, vectorAt(ly, devY)))
	blas.TrmvInc(uplo, trans, diag, a, y[ly.offset:], ly.inc)
	compare("Trmv", devY, y)
	must(t, gpublas.Trsv(b.h, uplo, trans, diag, devA, vectorAt(lx, devX)))
	blas.TrsvInc(uplo, trans, diag, a, x[lx.offset:], lx.inc)
	compare("Trsv", devX, x)
}

// triangleOn is a triangle that is easy to solve with, on the host and on the device. Its other
// triangle is NaN.
func triangleOn[T gpublas.Float](b *bench[T], r *rand.Rand, n int, uplo blas.Uplo) (blas.Matrix[T], gpublas.Matrix[T]) {
	stride := n + 1
	data := slices.Repeat([]T{T(math.NaN())}, n*stride)
	for i := range n {
		for j := range n {
			switch {
			case i == j:
				data[i*stride+j] = T(1 + r.Float64())
			case (j < i) == bool(uplo):
				data[i*stride+j] = T((r.Float64() - 0.5) * 4 / float64(n))
			}
		}
	}
	return blas.Matrix[T]{Rows: n, Cols: n, Stride: stride, Data: data},
		gpublas.Matrix[T]{Rows: n, Cols: n, Stride: stride, Data: b.buffer(data)}
}

// differs is the first element that differs by more than the roundings of n additions of numbers
// below 64, or -1.
func differs[T gpublas.Float](got, want []T, n float64) int {
	eps := 0x1p-52
	if T(1)+0x1p-30 == 1 {
		eps = 0x1p-23
	}
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= (n+8)*eps*64*8) && got[i] != want[i] {
			return i
		}
	}
	return -1
}

// TestTriangularRefused: operands that do not fit are errors that say so.
func TestTriangularRefused(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	data := b.buffer(make([]float32, 40))
	m := func(from, rows, cols, stride int) gpublas.Matrix[float32] {
		return gpublas.Matrix[float32]{Data: data.Slice(from, 40), Rows: rows, Cols: cols, Stride: stride}
	}
	v := func(from, n, inc int) gpublas.Vector[float32] {
		return gpublas.Vector[float32]{Data: data.Slice(from, 40), N: n, Inc: inc}
	}
	up, no, unit := gpublas.Upper, gpublas.NoTrans, gpublas.Unit
	b.refused([]refusal{
		{gpublas.Symm(b.h, gpublas.Left, up, 1, m(0, 2, 3, 3), m(6, 2, 2, 2), 0, m(10, 2, 2, 2)), gpublas.ErrShape, "gpublas: Symm: a is 2 x 3; want a square matrix"},
		{gpublas.Symm(b.h, gpublas.Left, up, 1, m(0, 2, 2, 2), m(6, 3, 2, 2), 0, m(12, 3, 2, 2)), gpublas.ErrShape, "b is 3 x 2; want it to fit a, which is 2 x 2"},
		{gpublas.Symm(b.h, gpublas.Right, up, 1, m(0, 2, 2, 2), m(6, 3, 2, 2), 0, m(12, 2, 2, 2)), gpublas.ErrShape, "c is 2 x 2; want 3 x 2, as b"},
		{gpublas.Symm(b.h, gpublas.Right, up, 1, m(0, 2, 2, 2), m(6, 3, 2, 2), 0, m(8, 3, 2, 2)), gpublas.ErrOverlap, "overlaps with b"},
		{gpublas.Trmm(b.h, gpublas.Left, up, no, unit, 1, m(0, 2, 2, 2), m(2, 2, 2, 2)), gpublas.ErrOverlap, "gpublas: Trmm: b, 2 x 2 with a stride of 2, overlaps with a"},
		{gpublas.Trsm(b.h, gpublas.Right, up, no, unit, 1, m(0, 2, 2, 2), m(4, 2, 3, 3)), gpublas.ErrShape, "b is 2 x 3; want it to fit a, which is 2 x 2"},
		{gpublas.Symv(b.h, up, 1, m(0, 2, 2, 2), v(4, 3, 1), 0, v(8, 2, 1)), gpublas.ErrShape, "x has 3 elements; want 2, as a has rows"},
		{gpublas.Trmv(b.h, up, no, unit, m(0, 2, 2, 2), v(3, 2, 1)), gpublas.ErrOverlap, "overlaps with x"},
		{gpublas.Trsv(b.h, up, no, unit, m(36, 2, 2, 4), v(3, 2, 1)), gpublas.ErrShort, "the buffer of a has 4 elements"},
	})
	must(t, gpublas.Trsv(b.h, up, no, unit, m(0, 0, 0, 1), v(3, 0, 1)))
	must(t, gpublas.Trsm(b.h, gpublas.Left, up, no, unit, 1, m(0, 0, 0, 1), m(3, 0, 5, 5)))
}

func ExampleTrsm() {
	dev, err := gridstride.Open()
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	h, err := gpublas.New(dev.Stream())
	if err != nil {
		panic(err)
	}
	defer h.Close()
	a, err := gridstride.CopyOf(dev, []float64{2, 0, 1, 4}) // the triangle 2; 1 4
	if err != nil {
		panic(err)
	}
	defer a.Free()
	b, err := gridstride.CopyOf(dev, []float64{2, 9})
	if err != nil {
		panic(err)
	}
	defer b.Free()
	err = gpublas.Trsm(h, gpublas.Left, gpublas.Lower, gpublas.NoTrans, gpublas.NonUnit, 1, gpublas.MatrixOf(2, 2, a), gpublas.MatrixOf(2, 1, b))
	if err != nil {
		panic(err)
	}
	x, err := b.Read(context.Background(), dev.Stream(), nil)
	fmt.Println(x, err)
	// Output: [1 2] <nil>
}
