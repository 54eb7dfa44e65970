package binned

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestHost: the bits equal package blas's, for every grid, at odd sizes and places, with
// increments, and with terms that are hard for sums.
func TestHost(t *testing.T) {
	t.Parallel()
	t.Run("float32", testHost[float32])
	t.Run("float64", testHost[float64])
}

func testHost[T operand.Float](t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	w, err := onepass.NewWork(dev)
	must(t, err)
	out, err := gridstride.Make[T](dev, 4)
	must(t, err)
	all := terms[T](17*tile + 7)
	compare := func(name string, blocks, first, n, inc int) {
		t.Helper()
		p, err := newPlan[T](dev, blocks)
		must(t, err)
		x, err := gridstride.CopyOf(dev, all[name])
		must(t, err)
		vector := func(first int) (operand.Vector[T], []T) {
			step := max(inc, -inc)
			var terms []T
			for i := range n {
				terms = append(terms, all[name][first+i*step])
			}
			return operand.Vector[T]{Data: x.Slice(first, first+max((n-1)*step+1, 0)), N: n, Inc: inc}, terms
		}
		vx, px := vector(first)
		vy, py := vector(first / 2)
		must(t, errors.Join(p.Sum(s, w, vx, out), p.Dot(s, w, vx, vy, out.Slice(1, 2)),
			p.Asum(s, w, vx, out.Slice(2, 3)), p.Nrm2(s, w, vx, out.Slice(3, 4))))
		got, err := out.Read(t.Context(), s, nil)
		must(t, err)
		for i, want := range []T{blas.SumReproducible(px), blas.DotReproducible(px, py), blas.AsumReproducible(px), blas.Nrm2Reproducible(px)} {
			if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want)) {
				t.Errorf("%s of %s, %d blocks, %d elements from %d by %d: %v, want %v", []string{"sum", "dot", "asum", "nrm2"}[i], name, blocks, n, first, inc, got[i], want)
			}
		}
		must(t, x.Free())
	}
	for name := range all {
		compare(name, maxBlocks, 0, 17*tile+7, 1)
	}
	compare("normal", 1, 0, 17*tile, 1)
	compare("normal", 2, 4, 17*tile-1, 1)
	compare("normal", maxBlocks, 0, 0, 1)
	compare("normal", maxBlocks, 3, 1, 1)
	compare("normal", maxBlocks, 2, 31, -2)
	compare("normal", maxBlocks, 5, 3333, 3)
	must(t, errors.Join(out.Free(), w.Free()))
}

func terms[T operand.Float](n int) map[string][]T {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[string][]T{}
	low, high, width := -149, 127, 16
	if math.Float64bits(float64(T(1)/3)) == math.Float64bits(1.0/3) {
		low, high, width = -1074, 1023, 32
	}
	add := func(name string, term func(i int) float64) {
		x := make([]T, n)
		for i := range x {
			x[i] = T(term(i))
		}
		all[name] = x
	}
	add("normal", func(int) float64 { return r.NormFloat64() })
	add("rising", func(i int) float64 { return math.Ldexp(r.Float64()-0.5, low+(high-low)*i/n) })
	add("halves below", func(i int) float64 {
		if i%1000 == 999 {
			return math.Ldexp(1, 2+2*width)
		}
		return float64(4*r.IntN(5) - 10)
	})
	for at, special := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		add(fmt.Sprint("special ", special), func(i int) float64 {
			if i == 40+at*n/3 {
				return special
			}
			return float64(i)
		})
	}
	return all
}
