package gpublas_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
)

// TestReproducible: the bits equal package blas's, in any order of the elements.
func TestReproducible(t *testing.T) {
	t.Parallel()
	t.Run("float32", testReproducible[float32])
	t.Run("float64", testReproducible[float64])
}

func testReproducible[T gpublas.Float](t *testing.T) {
	t.Parallel()
	b := newBench[T](t, gputest.Device(t))
	r := rand.New(rand.NewPCG(5, 6))
	host := make([]T, 3000)
	for i := range host {
		host[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(40)))
	}
	for range 2 {
		x := b.buffer(host)
		got, err := gpublas.SumReproducible(t.Context(), b.h, gpublas.VectorOf(x))
		must(t, err)
		if want := blas.SumReproducible(host); got != want {
			t.Errorf("the sum is %v, want %v", got, want)
		}
		y := gpublas.VectorOf(x.Slice(1, 2999))
		got, err = gpublas.DotReproducible(t.Context(), b.h, gpublas.VectorOf(x.Slice(0, 2998)), y)
		must(t, err)
		if want := blas.DotReproducible(host[:2998], host[1:2999]); got != want {
			t.Errorf("the product is %v, want %v", got, want)
		}
		for name, sums := range map[string]struct {
			device func(context.Context, *gpublas.Handle, gpublas.Vector[T]) (T, error)
			host   func([]T) T
		}{"absolute values": {gpublas.AsumReproducible[T], blas.AsumReproducible[T]}, "norm": {gpublas.Nrm2Reproducible[T], blas.Nrm2Reproducible[T]}} {
			got, err := sums.device(t.Context(), b.h, gpublas.VectorOf(x))
			must(t, err)
			if want := sums.host(host); got != want {
				t.Errorf("the %s: %v, want %v", name, got, want)
			}
		}
		r.Shuffle(len(host), func(i, j int) { host[i], host[j] = host[j], host[i] })
	}
}
