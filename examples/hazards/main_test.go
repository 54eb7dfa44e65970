package main

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/doctest"
)

var update = flag.Bool("update", false, "rewrite the findings in README.md")

const (
	noBarrier  = "missing block barrier"
	noWarpSync = "missing warp sync"
	tooLate    = "barrier too late"
)

func race(cause string, at ...string) gputest.Finding {
	return gputest.Finding{Tool: "racecheck", Kind: "race", Cause: cause, At: at}
}

// findings are the expected findings of the checks for launches of buggy kernels. Any other finding
// fails the test.
var findings = map[string][]gputest.Finding{
	"SumNoBarrier": {race(noBarrier, "cache[tid] = sum", "cache[tid] += cache[tid+s]")},
	"SumHang":      {{Tool: "synccheck", Kind: "barrier", At: []string{"gpu.SyncThreads()"}}},

	"ProductsNoBarrier/1":   {race(noWarpSync, "cache[t] = x[i+t]", "y[i+t] = cache[0] * cache[1]")},
	"ProductsNoBarrier/32":  {race(noBarrier, "cache[t] = x[i+t]", "y[i+t] = cache[0] * cache[1]")},
	"ProductsOneBarrier/1":  {race(tooLate, "cache[t] = x[i+t]", "y[i+t] = cache[0] * cache[1]")},
	"ProductsOneBarrier/32": {race(tooLate, "cache[t] = x[i+t]", "y[i+t] = cache[0] * cache[1]")},

	"SumLastWarp": {
		race(noWarpSync, "cache[tid] += cache[tid+32]", "cache[tid] += cache[tid+16]"),
		race(noWarpSync, "cache[tid] += cache[tid+16]", "cache[tid] += cache[tid+8]"),
		race(noWarpSync, "cache[tid] += cache[tid+8]", "cache[tid] += cache[tid+4]"),
		race(noWarpSync, "cache[tid] += cache[tid+4]", "cache[tid] += cache[tid+2]"),
		race(noWarpSync, "cache[tid] += cache[tid+2]", "cache[tid] += cache[tid+1]"),
		race(noWarpSync), // and the other pairs of these lines
	},
	"SumUninitialized": {{Tool: "initcheck", Kind: "uninitialized", At: []string{"cache[tid] += cache[tid+s]"}}},
	"SumHalves":        {}, // no access is wrong: the result is
}

// TestBugs launches the buggy kernels: each must be found, for its reason and at its places.
func TestBugs(t *testing.T) {
	t.Parallel()
	for _, h := range hazards {
		for _, p := range h.bug {
			t.Run(p.name, func(t *testing.T) {
				want, ok := findings[p.name]
				if !ok {
					t.Fatal("nothing says what must be found")
				}
				if len(want) > 0 {
					gputest.Expect(t, want...)
				}
				if _, _, err := p.run(t.Context(), gputest.Device(t)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestRepaired launches the repaired kernels: nothing may be found, and the results must be right.
func TestRepaired(t *testing.T) {
	t.Parallel()
	for _, h := range hazards {
		for _, p := range h.repaired {
			t.Run(p.name, func(t *testing.T) {
				got, want, err := p.run(t.Context(), gputest.Device(t))
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, %v; want %v", got, err, want)
				}
			})
		}
	}
}

// TestLostElements shows what SumHalves loses, and that SumAnySize loses nothing, at every block
// size.
func TestLostElements(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	for block := 1; block <= 256; block += 1 + block/16 {
		n := 2 * block // two blocks of one element a thread: x[i] is i+1
		for _, p := range []program{sum("SumHalves", LoadSumHalves, block, n), sum("SumAnySize", LoadSumAnySize, block, n)} {
			got, want, err := p.run(t.Context(), dev)
			if err != nil {
				t.Fatal(err)
			}
			if p.name == "SumHalves" {
				want[0] -= lost(0, block) + lost(block, block)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s with blocks of %d threads: %d, want %d", p.name, block, got, want)
			}
		}
	}
}

// lost adds the elements that a block of block threads loses. Its elements are first+1, first+2, …:
// if an odd number n remains to add, it loses the partial sum in the last of n places.
func lost(first, block int) int32 {
	part := make([]int32, block)
	for i := range part {
		part[i] = int32(first + i + 1)
	}
	var sum int32
	for n := block; n > 1; n /= 2 {
		if n%2 == 1 {
			sum += part[n-1]
		}
		for i := range n / 2 {
			part[i] += part[i+n/2]
		}
	}
	return sum
}

// TestReadme holds README.md to what is printed. A block "text kernel=NAME" is the report of the
// launch of that name. With the word "first" it is the first finding of several.
func TestReadme(t *testing.T) {
	t.Parallel()
	if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
		t.Skip("the README shows what the simulator finds, and does not travel to GPU machines")
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := doctest.Parse("README.md", string(text))
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]program{}
	for _, h := range hazards {
		for _, p := range h.bug {
			programs[p.name] = p
		}
	}
	for _, b := range blocks {
		name, ok := b.Arg("kernel")
		if !ok {
			continue
		}
		p, ok := programs[name]
		if !ok {
			t.Errorf("%s: there is no %q", b.Pos(), name)
			continue
		}
		delete(programs, name)
		t.Run(name, func(t *testing.T) {
			gputest.Expect(t, findings[name]...)
			if _, _, err := p.run(t.Context(), gputest.Device(t)); err != nil {
				t.Fatal(err)
			}
			got := gputest.Report(t)
			if first, _, _ := strings.Cut(got, "\n\n"); b.Has("first") {
				got = first + "\n"
			}
			if got != b.Text && *update {
				text = bytes.Replace(text, []byte("kernel="+name+word(b)+"\n"+b.Text), []byte("kernel="+name+word(b)+"\n"+got), 1)
			} else if got != b.Text {
				t.Errorf("%s: the report is\n%s\nthe document says\n%s", b.Pos(), got, b.Text)
			}
		})
	}
	delete(programs, "SumHalves")
	for name := range programs {
		t.Errorf("the document does not show what is found in %s", name)
	}
	if *update {
		if err := os.WriteFile("README.md", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// word is the word after the kernel's name in the first line of a block.
func word(b doctest.Block) string {
	if b.Has("first") {
		return " first"
	}
	return ""
}

// TestShow runs the program: the repaired kernels are right on every device, and the simulator's
// device has no allocations at the end.
func TestShow(t *testing.T) {
	t.Setenv("GRIDSTRIDE_DEVICE", "sim")
	t.Setenv("GRIDSTRIDE_CHECK", "") // gridstride check knows of these bugs: TestBugs
	var out bytes.Buffer
	if err := show(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "  repaired") && !strings.HasSuffix(line, "  right\n") {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(out.String(), "SumHalves                       wrong: [319680], and [500500] is right\n") {
		t.Errorf("the lost elements are not shown:\n%s", &out)
	}
}
