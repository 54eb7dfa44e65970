package gpublas_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
)

// converted are small integers, as elements of another type.
func converted[T, U any](x []T, convert func(x T) U) []U {
	y := make([]U, len(x))
	for i, v := range x {
		y[i] = convert(v)
	}
	return y
}

func bufferOf[T any](t *testing.T, dev *gridstride.Device, host []T) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	must(t, err)
	t.Cleanup(func() { must(t, b.Free()) })
	return b
}

// TestGemmEx holds products by each Compute to the host's Gemm, of numbers that are exact in all
// formats, by handles of both types.
func TestGemmEx(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	h32, h64 := newBench[float32](t, dev).h, newBench[float64](t, dev).h
	same := func(x float32) float32 { return x }
	testGemmEx(t, h32, gpublas.BF16, func(x float32) gpu.BFloat16 { return gpu.BFloat16Of(x) }, same)
	testGemmEx(t, h64, gpublas.F16, func(x float32) gpu.Float16 { return gpu.Float16Of(x) }, same)
	testGemmEx(t, h32, gpublas.TF32, same, same)
	testGemmEx(t, h64, gpublas.BF16x6, same, same)
	testGemmEx(t, h32, gpublas.Int8, func(x float32) int8 { return int8(x) }, func(x float32) int32 { return int32(x) })
}

func testGemmEx[F gpublas.Float, T gpublas.Element, S gpublas.Sum](t *testing.T, h *gpublas.Handle[F], by gpublas.Compute[T, S],
	factor func(x float32) T, sum func(x float32) S,
) {
	t.Helper()
	const m, n, k, count = 33, 31, 18, 2
	dev, r := h.Stream().Device(), rand.New(rand.NewPCG(9, 9))
	for trans := range 4 {
		transA, transB := trans%2 == 1, trans/2 == 1
		rowsA, colsA, rowsB, colsB := m, k, k, n
		if transA {
			rowsA, colsA = k, m
		}
		if transB {
			rowsB, colsB = n, k
		}
		a, b, c := integers[float32](r, count*m*k), integers[float32](r, k*n), integers[float32](r, count*m*n)
		devA, devB := bufferOf(t, dev, converted(a, factor)), bufferOf(t, dev, converted(b, factor))
		devC := bufferOf(t, dev, converted(c, sum))
		matrixA, matrixB := gpublas.MatrixOf(rowsA, colsA, devA), gpublas.MatrixOf(rowsB, colsB, devB)
		must(t, gpublas.GemmEx(h, by, gpublas.Transpose(transA), gpublas.Transpose(transB), 2, matrixA, matrixB, 3, gpublas.MatrixOf(m, n, devC)))
		must(t, gpublas.GemmStridedBatchedEx(h, by, gpublas.Transpose(transA), gpublas.Transpose(transB), 1, matrixA, m*k, matrixB, 0,
			0, gpublas.MatrixOf(m, n, devC.Slice(m*n, 2*m*n)), 0, 1))
		hostA, hostB := blas.NewMatrix(rowsA, colsA, a[:m*k]), blas.NewMatrix(rowsB, colsB, b)
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 2, hostA, hostB, 3, blas.NewMatrix(m, n, c[:m*n]))
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 1, hostA, hostB, 0, blas.NewMatrix(m, n, c[m*n:]))
		got, err := devC.Read(t.Context(), h.Stream(), nil)
		must(t, err)
		if !slices.Equal(got, converted(c, sum)) {
			t.Errorf("GemmEx by %v, %v, %v, differs from the host's", by, transA, transB)
		}
		must(t, gpublas.GemmStridedBatchedEx(h, by, gpublas.Transpose(transA), gpublas.Transpose(transB), 1, matrixA, m*k, matrixB, 0,
			1, gpublas.MatrixOf(m, n, devC), m*n, count))
		last := blas.NewMatrix(rowsA, colsA, a[m*k:])
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 1, hostA, hostB, 1, blas.NewMatrix(m, n, c[:m*n]))
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 1, last, hostB, 1, blas.NewMatrix(m, n, c[m*n:]))
		if got, err = devC.Read(t.Context(), h.Stream(), nil); err != nil || !slices.Equal(got, converted(c, sum)) {
			t.Errorf("GemmStridedBatchedEx by %v, %v, %v, differs from the host's, %v", by, transA, transB, err)
		}
	}
}

func TestGemmExRefused(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	no := gpublas.NoTrans
	half := func(rows, cols, stride int) gpublas.Matrix[gpu.BFloat16] {
		return gpublas.Matrix[gpu.BFloat16]{Data: bufferOf(t, b.dev, make([]gpu.BFloat16, 12)), Rows: rows, Cols: cols, Stride: stride}
	}
	words := bufferOf(t, b.dev, make([]float32, 12))
	c := gpublas.MatrixOf(2, 2, words)
	same, err := gridstride.Cast[gpu.BFloat16](words)
	must(t, err)
	b.refused([]refusal{
		{gpublas.GemmEx(b.h, gpublas.BF16, no, no, 1, half(2, 3, 3), half(2, 2, 2), 0, c), gpublas.ErrShape, "gpublas: GemmEx: c is 2 x 2 for a product of 2 x 3 and 2 x 2"},
		{gpublas.GemmEx(b.h, gpublas.BF16, no, no, 1, half(2, 3, 3), half(3, 2, 8), 0, c), gpublas.ErrShort, "the buffer of b has 12 elements"},
		{gpublas.GemmEx(b.h, gpublas.BF16, no, no, 1, gpublas.MatrixOf(2, 2, same.Slice(6, 10)), half(2, 2, 2), 0, c), gpublas.ErrOverlap, "overlaps with a"},
		{gpublas.GemmEx(b.h, gpublas.TF32, no, no, 1, c, gpublas.MatrixOf(2, 2, words.Slice(4, 8)), 0, c), gpublas.ErrOverlap, "overlaps with a"},
		{gpublas.GemmStridedBatchedEx(b.h, gpublas.BF16, no, no, 1, half(2, 2, 2), 4, half(2, 2, 2), 4, 0, c, 4, -1), gpublas.ErrShape, "gpublas: GemmStridedBatchedEx: -1 products"},
	})
	wrong := gpublas.MatrixOf(1, 1, words.Slice(0, 1))
	one := gpublas.MatrixOf(1, 1, words.Slice(1, 2))
	const none = gpublas.Compute[gpu.BFloat16, float32](gpublas.Int8)
	indices := bufferOf(t, b.dev, make([]int32, 12))
	b.refused([]refusal{
		{gpublas.GemmEx(b.h, gpublas.Compute[float32, float32](9), no, no, 1, wrong, wrong, 0, one),
			gpublas.ErrCompute, "gpublas: GemmEx: unknown way to compute: there is no Compute 9 from float32 to float32"},
		{gpublas.GemmEx(b.h, none, no, no, 1, half(2, 2, 2), half(2, 2, 2), 0, c), gpublas.ErrCompute, "no Compute 4 from gpu.BFloat16 to float32"},
		{gpublas.GemmExEpilogue(b.h, none, no, no, 1, half(2, 2, 2), half(2, 2, 2), 0, c, gpublas.Epilogue{}), gpublas.ErrCompute, "no Compute 4"},
		{gpublas.GemmTopK(b.h, none, no, no, half(2, 2, 2), half(2, 2, 2), 1, words, indices), gpublas.ErrCompute, "GemmTopK: unknown way to compute"},
	})
}
