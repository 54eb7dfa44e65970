package main

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

func (z *sizes) sorting() []*problem {
	grid := gridstride.Grid
	return []*problem{
		newProblem("Bitonic", grid(over(z.many, 4*sorted)).Block(block), z.bitonic),
		newProblem("SortWarps", grid(over(z.many, block)).Block(block), z.sortWarps),
		newProblem("Merge", grid(over(z.many, 8*block)).Block(block), z.merge),
		newProblem("FFT", grid(over(z.many, 2*transform)).Block(block), z.fft),
	}
}

// inGroups are elements, sorted by groups of n. A rest of fewer elements stays unsorted.
func inGroups[T int32 | float32](x []T, n int) []T {
	out := slices.Clone(x)
	for first := 0; first+n <= len(x); first += n {
		slices.Sort(out[first : first+n])
	}
	return out
}

func (z *sizes) bitonic(w *workshop) {
	host := integers[int32](over(z.many, 4*sorted)*sorted, -1<<30, 1<<30)
	in, out := copyOf(w, host), resultOf[int32](w, len(host))
	want := inGroups(host, sorted)
	w.want = func(i int) float64 { return float64(want[i]) }
	w.args([]any{in, out}, []any{in, out})
}

func (z *sizes) sortWarps(w *workshop) {
	host := uniform(over(z.many, block)*block, -1, 1)
	in, out := copyOf(w, host), resultOf[float32](w, len(host))
	want := inGroups(host, 32)
	w.exact = true
	w.want = func(i int) float64 { return float64(want[i]) }
	w.args([]any{in, out}, []any{in, out})
}

func (z *sizes) merge(w *workshop) {
	host := integers[int32](z.many, -1<<30, 1<<30)
	in, out := copyOf(w, host), resultOf[int32](w, z.many/8*8)
	want := inGroups(host, 8)
	w.want = func(i int) float64 { return float64(want[i]) }
	w.args([]any{in, out}, []any{in, out, int32(z.many)})
}

func (z *sizes) fft(w *workshop) {
	x := uniform(2*over(z.many, 2*transform)*transform, -1, 1)
	host, hr := make([]gpu.Float32x2, len(x)/2), make([]gpu.Float32x2, transform/2)
	for i := range host {
		host[i] = gpu.Float32x2{X: x[2*i], Y: x[2*i+1]}
	}
	for k := range hr {
		sin, cos := math.Sincos(-2 * math.Pi * float64(k) / transform)
		hr[k] = gpu.Float32x2{X: float32(cos), Y: float32(sin)}
	}
	in, roots, out := copyOf(w, host), copyOf(w, hr), resultOf[gpu.Float32x2](w, len(host))
	w.want = func(i int) float64 {
		first, f, sum := i/2/transform*transform, i/2%transform, 0i
		for k, v := range host[first : first+transform] {
			sum += complex(float64(v.X), float64(v.Y)) * cmplx.Rect(1, -2*math.Pi*float64(f*k%transform)/transform)
		}
		if i%2 == 0 {
			return real(sum)
		}
		return imag(sum)
	}
	w.args([]any{in, out, roots}, []any{in, out, roots})
}
