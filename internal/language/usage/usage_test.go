package usage

import (
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// TestParse reads what ptxas 12.4 and 13.0 print, for two kernels and a function that is none.
func TestParse(t *testing.T) {
	t.Parallel()
	got := parse([]byte(`ptxas info    : 0 bytes gmem, 24 bytes cmem[4]
ptxas info    : Compiling entry function 'Select' for 'sm_90'
ptxas info    : Function properties for Select
    40 bytes stack frame, 36 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 44 bytes smem, 600 bytes cmem[0]
ptxas info    : Function properties for helper
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'Saxpy' for 'sm_90'
ptxas info    : Function properties for Saxpy
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, 592 bytes cmem[0]
`))
	want := map[string]Usage{"Select": {Registers: 32, Stack: 40, Spilled: 36, Shared: 44}, "Saxpy": {Registers: 30}}
	if len(got) != len(want) || got["Select"] != want["Select"] || got["Saxpy"] != want["Saxpy"] {
		t.Errorf("%v, want %v", got, want)
	}
	if all := parse([]byte("ptxas fatal : Unresolved extern function 'x'\n")); len(all) != 0 {
		t.Errorf("%v of a refusal", all)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		u       Usage
		threads int
		want    string
	}{
		{Usage{Registers: 30}, 0,
			"30 registers; 8 blocks of 256 threads on a multiprocessor of sm_90, 100% of its threads"},
		{Usage{Registers: 40, Stack: 16}, 256,
			"40 registers, 16 bytes of stack; 6 blocks of 256 threads on a multiprocessor of sm_90, 75% of its threads, limited by registers"},
		{Usage{Registers: 32, Stack: 40, Spilled: 36, Shared: 100 << 10}, 512,
			"32 registers, 40 bytes of stack (36 spilled), 102400 bytes of shared memory; 2 blocks of 512 threads on a multiprocessor of sm_90, 50% of its threads, limited by shared memory"},
		{Usage{Registers: 20}, 32,
			"20 registers; 32 blocks of 32 threads on a multiprocessor of sm_90, 50% of its threads, limited by the number of blocks"},
		{Usage{Registers: 20}, 768,
			"20 registers; 2 blocks of 768 threads on a multiprocessor of sm_90, 75% of its threads, limited by the size of the blocks"},
		{Usage{Registers: 255}, 256,
			"255 registers; 1 block of 256 threads on a multiprocessor of sm_90, 12% of its threads, limited by registers"},
	} {
		if got := c.u.String() + "; " + occupancy(c.u, c.threads, abi.Target{SM: 90}); got != c.want {
			t.Errorf("%+v, %d threads:\n%s, want\n%s", c.u, c.threads, got, c.want)
		}
	}
}

// TestEstimate looks at the bounds of an estimate: what a thread has at least, and what the directives
// of the kernel leave to it.
func TestEstimate(t *testing.T) {
	t.Parallel()
	perf := func(threads, blocks int) []ptx.Directive {
		return []ptx.Directive{{Name: "reqntid", Args: []int{threads, 1, 1}}, {Name: "minnctapersm", Args: []int{blocks}}}
	}
	for _, c := range []struct {
		live int
		perf []ptx.Directive
		want int
	}{
		{5, nil, 32}, {50, nil, 53}, {1000, nil, 255},
		{100, perf(256, 8), 32}, {100, perf(256, 3), 80}, {100, perf(1024, 1), 64}, {100, perf(33, 1), 98},
	} {
		fn := &ptx.Func{Perf: c.perf, Footprint: ptx.Footprint{Live: c.live, Local: 8, Shared: 4}}
		if got := estimate(fn); got != (Usage{Registers: c.want, Stack: 8, Shared: 4}) {
			t.Errorf("%d live, %v: %+v, want %d registers", c.live, c.perf, got, c.want)
		}
	}
}
