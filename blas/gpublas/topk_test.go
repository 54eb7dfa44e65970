package gpublas_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
)

// element is one of a product's row.
type element struct {
	value  float32
	column int32
}

// largestOf are the k largest elements of a row, followed by the filling after the last.
func largestOf(row []float32, k int) []element {
	var all []element
	for i, x := range row {
		if x == x {
			all = append(all, element{x, int32(i)})
		}
	}
	slices.SortStableFunc(all, func(a, b element) int { return cmp.Compare(b.value+0, a.value+0) })
	all = append(all[:min(k, len(all))], slices.Repeat([]element{{0, -1}}, max(0, k-len(all)))...)
	return all
}

// TestTopK holds what is chosen to a sort of the elements of the product: of strips, of ties,
// infinities and NaN, and of products without terms or columns.
func TestTopK(t *testing.T) {
	t.Parallel()
	b, r := newBench[float32](t, gputest.Device(t)), rand.New(rand.NewPCG(5, 6))
	b.h.SetStrip()
	special := []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for _, c := range []struct{ m, n, k, chosen int }{{3, 600, 5, 10}, {2, 33, 7, 40}, {1, 300, 0, 256}, {2, 0, 3, 1}, {0, 5, 2, 3}, {5, 257, 4, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x, y := integers[float32](r, c.m*c.k), integers[float32](r, c.k*c.n)
			for i := range y {
				if r.IntN(60) == 0 {
					y[i] = special[i%len(special)]
				}
			}
			half := func(x []float32) gridstride.Buffer[gpu.BFloat16] {
				return bufferOf(t, b.dev, converted(x, func(x float32) gpu.BFloat16 { return gpu.BFloat16Of(x) }))
			}
			for _, trans := range []gpublas.Transpose{gpublas.NoTrans, gpublas.Trans} {
				matrixA, matrixB := gpublas.MatrixOf(c.m, c.k, half(x)), gpublas.MatrixOf(c.k, c.n, half(y))
				if trans == gpublas.Trans {
					matrixB = gpublas.MatrixOf(c.n, c.k, matrixB.Data)
				}
				product := gpublas.MatrixOf(c.m, c.n, bufferOf(t, b.dev, make([]float32, c.m*c.n)))
				p := gpublas.ProductOf(gpublas.BF16, matrixA, matrixB)
				p.TransB, p.Alpha = trans, -2
				must(t, p.To(b.h, product))
				values, columns := bufferOf(t, b.dev, make([]float32, c.m*c.chosen)), bufferOf(t, b.dev, make([]int32, c.m*c.chosen))
				must(t, p.TopKTo(b.h, c.chosen, values, columns))
				all, err1 := product.Data.Read(t.Context(), b.h.Stream(), nil)
				gotValues, err2 := values.Read(t.Context(), b.h.Stream(), nil)
				gotColumns, err3 := columns.Read(t.Context(), b.h.Stream(), nil)
				must(t, err1)
				must(t, err2)
				must(t, err3)
				for i := range c.m {
					for j, want := range largestOf(all[i*c.n:][:c.n], c.chosen) {
						if got := (element{gotValues[i*c.chosen+j], gotColumns[i*c.chosen+j]}); got != want {
							t.Fatalf("transposed %v, row %d: number %d is %v, want %v", trans, i, j, got, want)
						}
					}
				}
			}
		})
	}
	words, at := bufferOf(t, b.dev, make([]float32, 12)), bufferOf(t, b.dev, make([]int32, 2))
	x := gpublas.MatrixOf(2, 2, words.Slice(0, 4))
	p := gpublas.ProductOf(gpublas.TF32, x, x)
	other, batch, added := p, p, p
	other.B, batch.Count, added.Beta = gpublas.MatrixOf(1, 2, words), 2, 1
	b.refused([]refusal{
		{other.TopKTo(b.h, 1, words.Slice(4, 12), at), gpublas.ErrShape, "gpublas: Product.TopKTo: a product of 2 x 2 and 1 x 2"},
		{p.TopKTo(b.h, 257, words.Slice(4, 12), at), gridstride.ErrRange, "gpublas: Product.TopKTo: k is 257; want 1 to 256"},
		{p.TopKTo(b.h, 2, words.Slice(4, 12), at), gpublas.ErrShort, "gpublas: Product.TopKTo: the buffer for the result has 2 elements, too few for 4"},
		{p.TopKTo(b.h, 1, words, at), gpublas.ErrOverlap, "gpublas: Product.TopKTo: the result overlaps with a factor"},
		{batch.TopKTo(b.h, 1, words.Slice(4, 12), at), gpublas.ErrShape, "gpublas: Product.TopKTo: Count is 2; want 1"},
		{added.TopKTo(b.h, 1, words.Slice(4, 12), at), gpublas.ErrShape, "gpublas: Product.TopKTo: the product has a Beta or an Epilogue"},
	})
}
