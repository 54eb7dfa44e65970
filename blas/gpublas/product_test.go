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

// TestProduct holds products by each Compute to the host's Gemm, of numbers that are exact in all
// formats.
func TestProduct(t *testing.T) {
	t.Parallel()
	h := newBench[float32](t, gputest.Device(t)).h
	same := func(x float32) float32 { return x }
	double := func(x float32) float64 { return float64(x) }
	testProduct(t, h, gpublas.FP32, same, same)
	testProduct(t, h, gpublas.FP64, double, double)
	testProduct(t, h, gpublas.BF16, func(x float32) gpu.BFloat16 { return gpu.BFloat16Of(x) }, same)
	testProduct(t, h, gpublas.F16, func(x float32) gpu.Float16 { return gpu.Float16Of(x) }, same)
	testProduct(t, h, gpublas.TF32, same, same)
	testProduct(t, h, gpublas.BF16x6, same, same)
	testProduct(t, h, gpublas.Int8, func(x float32) int8 { return int8(x) }, func(x float32) int32 { return int32(x) })
}

func testProduct[T gpublas.Element, S gpublas.Accumulator](t *testing.T, h *gpublas.Handle, by gpublas.Compute[T, S],
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
		p := gpublas.ProductOf(by, matrixA, matrixB)
		p.TransA, p.TransB = gpublas.Transpose(transA), gpublas.Transpose(transB)
		scaled := p
		scaled.Alpha, scaled.Beta = 2, 3
		must(t, scaled.To(h, gpublas.MatrixOf(m, n, devC)))
		must(t, p.To(h, gpublas.MatrixOf(m, n, devC.Slice(m*n, 2*m*n))))
		hostA, hostB := blas.MatrixOf(rowsA, colsA, a[:m*k]), blas.MatrixOf(rowsB, colsB, b)
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 2, hostA, hostB, 3, blas.MatrixOf(m, n, c[:m*n]))
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 1, hostA, hostB, 0, blas.MatrixOf(m, n, c[m*n:]))
		got, err := devC.Read(t.Context(), h.Stream(), nil)
		must(t, err)
		if !slices.Equal(got, converted(c, sum)) {
			t.Errorf("the product by %v, %v, %v, differs from the host's", by, transA, transB)
		}
		p.Beta, p.Count, p.StrideA, p.StrideC = 1, count, m*k, m*n
		must(t, p.To(h, gpublas.MatrixOf(m, n, devC)))
		last := blas.MatrixOf(rowsA, colsA, a[m*k:])
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 1, hostA, hostB, 1, blas.MatrixOf(m, n, c[:m*n]))
		blas.Gemm(blas.Transpose(transA), blas.Transpose(transB), 1, last, hostB, 1, blas.MatrixOf(m, n, c[m*n:]))
		if got, err = devC.Read(t.Context(), h.Stream(), nil); err != nil || !slices.Equal(got, converted(c, sum)) {
			t.Errorf("the batch by %v, %v, %v, differs from the host's, %v", by, transA, transB, err)
		}
	}
}

func TestProductRefused(t *testing.T) {
	t.Parallel()
	b := newBench[float32](t, gputest.Device(t))
	half := func(rows, cols, stride int) gpublas.Matrix[gpu.BFloat16] {
		return gpublas.Matrix[gpu.BFloat16]{Data: bufferOf(t, b.dev, make([]gpu.BFloat16, 12)), Rows: rows, Cols: cols, Stride: stride}
	}
	words := bufferOf(t, b.dev, make([]float32, 12))
	c := gpublas.MatrixOf(2, 2, words)
	same, err := gridstride.Cast[gpu.BFloat16](words)
	must(t, err)
	product := func(x, y gpublas.Matrix[gpu.BFloat16]) gpublas.Product[gpu.BFloat16, float32] {
		return gpublas.ProductOf(gpublas.BF16, x, y)
	}
	batch := product(half(2, 2, 2), half(2, 2, 2))
	batch.Count, batch.StrideA, batch.StrideB, batch.StrideC = -1, 4, 4, 4
	near := batch
	near.Count, near.StrideC = 2, 3
	ended := batch
	ended.Count, ended.Epilogue.Activation = 2, gpublas.ReLU
	b.refused([]refusal{
		{product(half(2, 3, 3), half(2, 2, 2)).To(b.h, c), gpublas.ErrShape, "gpublas: Product.To: c is 2 x 2 for a product of 2 x 3 and 2 x 2"},
		{product(half(2, 3, 3), half(3, 2, 8)).To(b.h, c), gpublas.ErrShort, "the buffer of b has 12 elements"},
		{product(gpublas.MatrixOf(2, 2, same.Slice(6, 10)), half(2, 2, 2)).To(b.h, c), gpublas.ErrOverlap, "overlaps with a"},
		{gpublas.ProductOf(gpublas.TF32, c, gpublas.MatrixOf(2, 2, words.Slice(4, 8))).To(b.h, c), gpublas.ErrOverlap, "overlaps with a"},
		{batch.To(b.h, c), gpublas.ErrShape, "gpublas: Product.To: -1 products with strides 4, 4 and 4; want none below 0"},
		{near.To(b.h, c), gpublas.ErrOverlap, "gpublas: Product.To: the stride of c is 3; want 4 at least"},
		{ended.To(b.h, c), gpublas.ErrShape, "gpublas: Product.To: the epilogue is of 2 products; want 1"},
	})
	one := func(i int) gpublas.Matrix[float32] { return gpublas.MatrixOf(1, 1, words.Slice(i, i+1)) }
	none := product(half(2, 2, 2), half(2, 2, 2))
	none.By = gpublas.Compute[gpu.BFloat16, float32](gpublas.Int8)
	integer := gpublas.MatrixOf(1, 1, bufferOf(t, b.dev, make([]int8, 16)))
	indices := bufferOf(t, b.dev, make([]int32, 12))
	ints := gpublas.ProductOf(gpublas.Int8, integer, integer)
	topK := ints.TopKTo(b.h, 1, indices.Slice(0, 1), indices.Slice(1, 2))
	ints.Epilogue.Activation = gpublas.ReLU
	b.refused([]refusal{
		{gpublas.ProductOf(gpublas.Compute[float32, float32](9), one(0), one(0)).To(b.h, one(1)),
			gpublas.ErrCompute, "gpublas: Product.To: unknown way to compute: there is no Compute 9 from float32 to float32"},
		{none.To(b.h, c), gpublas.ErrCompute, "no Compute 6 from gpu.BFloat16 to float32"},
		{none.TopKTo(b.h, 1, words, indices), gpublas.ErrCompute, "Product.TopKTo: unknown way to compute"},
		{topK, gpublas.ErrCompute, "gpublas: Product.TopKTo: unknown way to compute: the elements are of int32; want float32"},
		{ints.To(b.h, gpublas.MatrixOf(1, 1, indices)), gpublas.ErrCompute, "gpublas: Product.To: unknown way to compute: the epilogue is of float32"},
	})
}
