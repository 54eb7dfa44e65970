package copies

import (
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// TestPipeline has one warp of each block copy what another reads.
func TestPipeline(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	k := load(t, LoadPipeline, dev)
	for _, n := range []int{0, 1, 31, 33, 1000} {
		for _, blocks := range []int{1, 3} {
			a, r := make([]int32, n), rand.New(rand.NewPCG(3, uint64(n)))
			for i := range a {
				a[i] = r.Int32()
			}
			got, err := run(t.Context(), dev, gridstride.Grid(blocks).Block(64), a, n, k.Launch)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range got {
				if x != a[i]+1 {
					t.Fatalf("%d elements, %d blocks: element %d is %d, want %d", n, blocks, i, x, a[i]+1)
				}
			}
		}
	}
}

// results runs a kernel of one block, or of several alike, that has nothing to read.
func results(t *testing.T, blocks int, launch func(s *gridstride.Stream, cfg gridstride.Config, out gridstride.Buffer[int32]) error, dev *gridstride.Device) []int32 {
	t.Helper()
	out, err := gridstride.Make[int32](dev, 64*blocks)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	if err := launch(dev.Stream(), gridstride.Grid(blocks).Block(64), out); err != nil {
		t.Fatal(err)
	}
	got, err := out.Read(t.Context(), dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestTokens has fewer threads in each phase than in the one before.
func TestTokens(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	for i, got := range results(t, 2, load(t, LoadTokens, dev).Launch, dev) {
		var want int32
		for round := range 16 {
			if left := 64 - 4*round; i%64 < left-4 {
				want += int32(round * ((i%64 + 1) % left))
			}
		}
		if got != want {
			t.Errorf("thread %d got %d, want %d", i, got, want)
		}
	}
}

// TestTransactions ends a phase with its last byte.
func TestTransactions(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	for i, got := range results(t, 1, load(t, LoadTransactions, dev).Launch, dev) {
		if got != 4 {
			t.Errorf("thread %d saw the end of the phase in step %d, want 4", i, got)
		}
	}
}
