package gpublas_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
)

// TestGraph captures whole calls and launches the graph a hundred times. The results have
// the calls' bits, also when calls and launches take turns.
func TestGraph(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open() // without the checks, for its many launches
	must(t, err)
	t.Cleanup(func() { must(t, dev.Close()) })
	b := newBench[float32](t, dev)
	r := rand.New(rand.NewPCG(27, 4))
	random := func(n int) gridstride.Buffer[float32] {
		host := make([]float32, n)
		for i := range host {
			host[i] = r.Float32() - 0.5
		}
		return b.buffer(host)
	}
	const rows, inner, cols = 37, 41, 35
	x, y := random(10_001), random(10_001)
	left, right := gpublas.MatrixOf(rows, inner, random(rows*inner)), gpublas.MatrixOf(inner, cols, random(inner*cols))
	sums, product := b.buffer(make([]float32, 3)), b.buffer(make([]float32, rows*cols))
	calls := func(*gridstride.Stream) error {
		return errors.Join(
			gpublas.DotTo(b.h, gpublas.VectorOf(x), gpublas.VectorOf(y), sums.Slice(0, 1)),
			gpublas.Nrm2To(b.h, gpublas.VectorOf(x), sums.Slice(1, 2)),
			gpublas.DotExactTo(b.h, gpublas.VectorOf(x), gpublas.VectorOf(y), sums.Slice(2, 3)),
			gpublas.Gemm(b.h, gpublas.NoTrans, gpublas.NoTrans, 1, left, right, 0, gpublas.MatrixOf(rows, cols, product)),
		)
	}
	s := b.h.Stream()
	must(t, calls(s))
	wantSums, wantProduct := b.read(sums), b.read(product)
	must(t, errors.Join(sums.Zero(s), product.Zero(s)))
	g, err := s.Capture(calls)
	must(t, err)
	exec, err := g.Instantiate()
	must(t, err)
	for i := range 100 {
		must(t, exec.Launch(s))
		if i%25 != 0 {
			continue
		}
		if got := b.read(sums); !slices.Equal(got, wantSums) {
			t.Fatalf("launch %d: sums %v, want %v", i, got, wantSums)
		}
		if got := b.read(product); !slices.Equal(got, wantProduct) {
			t.Fatalf("launch %d: another product", i)
		}
		must(t, calls(s))
		must(t, errors.Join(sums.Zero(s), product.Zero(s)))
	}
	_, err = s.Capture(func(*gridstride.Stream) error {
		_, err := gpublas.Dot(t.Context(), b.h, gpublas.VectorOf(x), gpublas.VectorOf(y))
		return err
	})
	if !errors.Is(err, gridstride.ErrCapture) {
		t.Errorf("a call that waits: %v", err)
	}
	if got, err := gpublas.Dot(t.Context(), b.h, gpublas.VectorOf(x), gpublas.VectorOf(y)); err != nil || got != wantSums[0] {
		t.Errorf("after it: %v, %v, want %v", got, err, wantSums[0])
	}
	must(t, errors.Join(exec.Close(), g.Close()))
}
