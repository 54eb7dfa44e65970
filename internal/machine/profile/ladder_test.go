package profile

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// profileDot profiles a variant of the dot product of n elements.
func profileDot(t *testing.T, variant string, n, grid, block int) *Kernel {
	t.Helper()
	var mu sync.Mutex
	var sum Sum
	text := sourcetext.New(".").Line
	dev, err := gridstride.Open(gridstride.Use("sim"), option.Checks(&checked.Config{
		Options: check.Options{Tools: []report.Tool{report.Memcheck}, Orders: 1, Profile: true, Text: text},
		Report: func(r *report.Report) error {
			mu.Lock()
			defer mu.Unlock()
			for _, p := range r.Profiles {
				sum.Add(p)
			}
			return nil
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	launchDot(t, dev, variant, n, dot.Options{Grid: grid, Block: block})
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	r := sum.Report()
	if len(r.Kernels) != 1 || r.Launches != 1 {
		t.Fatalf("%s: %d kernels, %d launches", variant, len(r.Kernels), r.Launches)
	}
	return r.Kernels[0]
}

func launchDot(t *testing.T, dev *gridstride.Device, variant string, n int, opts dot.Options) {
	t.Helper()
	v, err := dot.VariantNamed[float32](variant)
	must(t, err)
	plan, err := dot.NewPlan(dev, v, n, opts)
	must(t, err)
	a, err := gridstride.CopyOf(dev, slices.Repeat([]float32{1}, n))
	must(t, err)
	stream := dev.NewStream()
	got, err := plan.Dot(context.Background(), stream, a, a)
	must(t, err)
	if got != float64(n) {
		t.Errorf("%s: %v, want %d", variant, got, n)
	}
	stream.Close()
	must(t, a.Free())
	must(t, plan.Free())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lineOf finds the line with a text.
func (k *Kernel) lineOf(t *testing.T, text string) *Line {
	t.Helper()
	i := slices.IndexFunc(k.Lines, func(l *Line) bool { return l.Text == text })
	if i < 0 {
		t.Fatalf("%s has no line %s", k.Name, text)
	}
	return k.Lines[i]
}

// TestLadder holds the profiles of the ladder of dot products to what its steps are about. In the
// tree of a block of 256 threads, with a read of two words and a write of one a level:
//
//	            warps that add at each level      in all
//	divergent   8 8 8 8 8 4 2 1                   47, each with ever fewer lanes
//	conflicting 4 2 1 1 1 1 1 1                   12, which take 8 8 8 8 8 4 2 1 = 47 passes
//	sequential  4 2 1 1 1 1 1 1                   12, which take 12 passes
func TestLadder(t *testing.T) {
	t.Parallel()
	const n, grid, block = 10_007, 5, 256
	// Threads have 8 elements or 7. Of 8, two iterations of the unrolled loop load 4 each. Of 7, the
	// last 3 are loaded by the loop for the remainder. In one warp there are threads of both kinds.
	const divided = 2 * 3
	for _, want := range []struct {
		variant, tree    string
		requests, passes uint64
	}{
		{"divergent", "cache[tid] += cache[tid+s]", 47, 47},
		{"conflicting", "cache[i] += cache[i+s]", 12, 47},
		{"sequential", "cache[tid] += cache[tid+s]", 12, 12},
	} {
		k := profileDot(t, want.variant, n, grid, block)
		tree := k.lineOf(t, want.tree)
		if tree.SharedRequests != 3*grid*want.requests || tree.SharedPasses != 3*grid*want.passes {
			t.Errorf("%s: the tree makes %d requests in %d passes, want %d in %d", want.variant, tree.SharedRequests,
				tree.SharedPasses,
				3*grid*want.requests, 3*grid*want.passes)
		}
		if tree.SharedIdealPasses != tree.SharedRequests {
			t.Errorf("%s: %d passes would do, want one a request: %d", want.variant, tree.SharedIdealPasses,
				tree.SharedRequests)
		}
		if waits := k.Total.BarrierWaits; waits != grid*8*9 {
			t.Errorf("%s: %d warps wait, want 8 of each block for 1+8 levels: %d", want.variant, waits, grid*8*9)
		}
		loads := k.lineOf(t, "sum += a[i] * b[i]")
		requests, sectors := uint64(2*((n+31)/32)+divided), uint64(2*((n+7)/8)+divided)
		if loads.GlobalRequests != requests ||
			loads.GlobalSectors != sectors || loads.GlobalRatio != 1 {
			t.Errorf("%s: the loads are %d requests of %d sectors, ratio %v, want %d of %d, 1", want.variant,
				loads.GlobalRequests, loads.GlobalSectors,
				loads.GlobalRatio, requests, sectors)
		}
	}
}
