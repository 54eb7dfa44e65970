package check

import (
	"testing"

	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// profile runs a kernel for its counts.
func (b *bench) profile(name string, grid, block [3]int, shared int, args ...any) *counters.Profile {
	b.tb.Helper()
	e := b.entry(name)
	l := sim.Launch{Grid: grid, Block: block, Shared: shared, Params: b.params(e, args...)}
	r := b.checkLaunch(name, l, Options{Profile: true, Orders: 1})
	if len(r.Profiles) != 1 {
		b.tb.Fatalf("%d profiles", len(r.Profiles))
	}
	return r.Profiles[0]
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// TestBankConflicts holds the passes to the formula for strided words: gcd(k, 32).
func TestBankConflicts(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	for k := 1; k <= 64; k++ {
		if got, want := b.profile("SharedStride", x(1), x(32), 4*(31*k+1), k).Total.SharedPasses, uint64(gcd(k, 32)); got != want {
			t.Errorf("stride %d: %d passes, want %d", k, got, want)
		}
	}
	for _, c := range []struct {
		kernel string
		width  int
		want   uint64
	}{{"SharedColumn", 32, 32}, {"SharedRow", 32, 1}, {"SharedColumn", 33, 1}, {"SharedRow", 33, 1}} {
		if got := b.profile(c.kernel, x(1), x(32), 4*c.width*32, c.width).Total.SharedPasses; got != c.want {
			t.Errorf("%s of rows of %d: %d passes, want %d", c.kernel, c.width, got, c.want)
		}
	}
	p := b.profile("SharedBroadcast", x(1), x(32), 32, make([]int32, 32)).Total
	if p.SharedRequests != 2 || p.SharedPasses != 2 || p.SharedIdealPasses != 2 {
		t.Errorf("broadcast: %+v, want two requests of one pass", p)
	}
}

// TestSectors holds the sectors of a warp request to the formulas for patterns of 4-byte words.
func TestSectors(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	y := make([]int32, 64*33)
	for _, c := range []struct {
		kernel string
		k, c   int
		want   int
	}{
		{"Pattern", 1, 0, 4}, {"Pattern", 1, 32, 4}, {"Pattern", 1, 64, 4},
		{"Pattern", 1, 1, 5}, {"Pattern", 1, 7, 5}, {"Pattern", 1, 8, 4}, {"Pattern", 1, 9, 5}, {"Pattern", 1, 33, 5},
		{"Pattern", 0, 17, 1}, {"Pattern", 32, 0, 32}, {"Pattern", 64, 0, 32}, {"OddPattern", 33, 0, 16}, {"OddPattern", 66, 0, 16},
	} {
		p := b.profile(c.kernel, x(1), x(32), 0, y, c.k, c.c).Total
		if p.GlobalRequests != 1 || p.GlobalSectors != uint64(c.want) {
			t.Errorf("%s y[%d*t+%d]: %d requests, %d sectors, want 1 and %d", c.kernel, c.k, c.c, p.GlobalRequests, p.GlobalSectors, c.want)
		}
	}
	for k := 1; k <= 64; k++ {
		p := b.profile("Pattern", x(1), x(32), 0, y, k, 0).Total
		if want := uint64(min(4*k, 32)); p.GlobalSectors != want || p.GlobalIdealSectors != 4 {
			t.Errorf("y[%d*t]: %d sectors of %d, want %d of 4", k, p.GlobalSectors, p.GlobalIdealSectors, want)
		}
	}
}

// TestLines compares what lines of a reduction did with what can be counted by hand.
func TestLines(t *testing.T) {
	t.Parallel()
	b := compilePackage(t, "conformance")
	p := b.profile("TreeBarriers", x(3), x(64), 0, make([]int32, 64), make([]int32, 1))
	byText := map[string]counters.LineProfile{}
	var sum counters.Counts
	for _, l := range p.Lines {
		byText[l.Text] = l
		sum.Add(&l.Counts)
	}
	if sum != p.Total {
		t.Errorf("the lines sum to %+v, the total is %+v", sum, p.Total)
	}
	tree, branch := byText["p[t] += p[t+d]"], byText["if t < d {"]
	if tree.SharedRequests != 3*6*3 { // three accesses in six rounds, by the first warp of each block
		t.Errorf("tree: %+v", tree)
	}
	if branch.Branches != 3*6*2 || branch.Divergent != 3*5 {
		t.Errorf("branch: %+v", branch)
	}
	if p.Total.BarrierWaits != 3*2*7 {
		t.Errorf("%d barrier waits, want %d", p.Total.BarrierWaits, 3*2*7)
	}
	e := b.entry("TreeBarriers")
	stats, err := b.m.Launch(t.Context(), e, sim.Launch{Grid: x(3), Block: x(64), Params: b.params(e, make([]int32, 64), make([]int32, 1))})
	if err != nil || stats.Instructions != p.Total.Instructions || stats.LaneInstructions != p.Total.LaneInstructions {
		t.Errorf("the simulator ran %d instructions, %d of lanes (%v); counted %d, %d", stats.Instructions, stats.LaneInstructions, err,
			p.Total.Instructions, p.Total.LaneInstructions)
	}
}

// TestTensorCounts counts products of tensor cores, asynchronous copies and waits.
func TestTensorCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg, kernel string
		threads     int
		args        []any
		want        counters.Counts // of these, what is about tensor cores and copies
	}{
		{"products", "Returned", 32, []any{make([]float64, 32), make([]float64, 32), make([]float64, 64), 32},
			counters.Counts{TensorInstructions: 1, TensorMultiplyAdds: 8 * 8 * 4}},
		{"warpgroups", "Product", 128, []any{make([]uint16, 64*16+1), make([]uint16, 16*16), make([]float32, 64*16), 0},
			counters.Counts{TensorInstructions: 4, TensorMultiplyAdds: 64 * 16 * 16, CopyWaits: 4}},
		{"async", "Copied", 64, []any{make([]float32, 64), make([]float32, 64), 0},
			counters.Counts{Copies: 2, CopiedBytes: 256, CopyWaits: 2}},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			t.Parallel()
			p := compilePackage(t, c.pkg).profile(c.kernel, x(1), x(c.threads), 0, c.args...).Total
			got := counters.Counts{TensorInstructions: p.TensorInstructions, TensorMultiplyAdds: p.TensorMultiplyAdds,
				Copies: p.Copies, CopiedBytes: p.CopiedBytes, CopyWaits: p.CopyWaits}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestBytesInFlight compares the longest chain of instructions, and the time that copies are under
// way along it, with the numbers in the comments of testdata/flight.ptx.
func TestBytesInFlight(t *testing.T) {
	t.Parallel()
	b := loadPTX(t, "flight.ptx")
	for kernel, c := range map[string]struct {
		threads int
		want    counters.Counts
	}{
		"groups": {32, counters.Counts{ChainInstructions: 16, FlightBytes: 7*512 + 7*512, MostBytesInFlight: 1024}},
		"bulk":   {64, counters.Counts{ChainInstructions: 16, FlightBytes: 4 * 256, MostBytesInFlight: 256}},
	} {
		p := b.profile(kernel, x(1), x(c.threads), 0, make([]uint32, 64)).Total
		got := counters.Counts{ChainInstructions: p.ChainInstructions, FlightBytes: p.FlightBytes, MostBytesInFlight: p.MostBytesInFlight}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", kernel, got, c.want)
		}
	}
}
