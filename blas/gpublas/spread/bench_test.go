package spread_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/blas/gpublas/spread"
	"github.com/gridstride/gridstride/gpu"
)

// sizes are the elements of a dot product, and the rows and columns of a matrix product: large on
// GPUs, and small enough for simulated devices.
func sizes() (elements, rows int) {
	if onGPU() {
		return 1 << 30, 16384
	}
	return 1 << 18, 96
}

// fill makes n elements on rank r's device, all of them v.
func fill[T any](b *testing.B, h *spread.Handle, r, n int, v T) gridstride.Buffer[T] {
	b.Helper()
	s := h.Group().Stream(r)
	data, err := gridstride.Make[T](s.Device(), n)
	must(b, err)
	must(b, data.Fill(s, v))
	b.Cleanup(func() { must(b, data.Free()) })
	return data
}

// BenchmarkDot is one dot product, spread over one device and more.
func BenchmarkDot(b *testing.B) {
	n, _ := sizes()
	for _, ranks := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(ranks), func(b *testing.B) {
			h := open(b, ranks)
			if h.Group().Ranks() < ranks {
				b.Skip("fewer GPUs")
			}
			var x, y []gpublas.Vector[float32]
			for r := range ranks {
				x = append(x, gpublas.VectorOf(fill(b, h, r, n/ranks, float32(0.5))))
				y = append(y, gpublas.VectorOf(fill(b, h, r, n/ranks, float32(2))))
			}
			for _, f := range []struct {
				name string
				dot  func() (float32, error)
			}{
				{"plain", func() (float32, error) { return spread.Dot(b.Context(), h, x, y) }},
				{"reproducible", func() (float32, error) { return spread.DotReproducible(b.Context(), h, x, y) }},
			} {
				got, err := f.dot() // loads the kernels
				if must(b, err); math.Abs(float64(got)-float64(n)) > 1e-4*float64(n) {
					b.Fatalf("%v, want %v", got, n)
				}
				b.Run(f.name, func(b *testing.B) {
					for b.Loop() {
						_, err := f.dot()
						must(b, err)
					}
				})
			}
		})
	}
}

// BenchmarkProduct is one product of square matrices by bfloat16, spread over one device and more.
func BenchmarkProduct(b *testing.B) {
	_, n := sizes()
	for _, ranks := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(ranks), func(b *testing.B) {
			h := open(b, ranks)
			if h.Group().Ranks() < ranks {
				b.Skip("fewer GPUs")
			}
			var x, y []gpublas.Matrix[gpu.BFloat16]
			var z []gpublas.Matrix[float32]
			for r := range ranks {
				x = append(x, gpublas.MatrixOf(n/ranks, n, fill(b, h, r, n/ranks*n, gpu.FromFloat32[gpu.BFloat16](0.5))))
				y = append(y, gpublas.MatrixOf(n, n/ranks, fill(b, h, r, n/ranks*n, gpu.FromFloat32[gpu.BFloat16](0.25))))
				z = append(z, gpublas.MatrixOf(n/ranks, n, fill(b, h, r, n/ranks*n, float32(0))))
			}
			multiply := func() {
				must(b, spread.ProductOf(gpublas.BF16, x, y).To(h, z))
				must(b, h.Group().Wait(b.Context()))
			}
			multiply() // loads the kernels
			for b.Loop() {
				multiply()
			}
			last, err := z[ranks-1].Data.Slice(n/ranks*n-1, n/ranks*n).Read(b.Context(), h.Group().Stream(ranks-1), nil)
			if must(b, err); float64(last[0]) != float64(n)/8 {
				b.Fatalf("%v, want %v", last[0], n/8)
			}
		})
	}
}
