package cudadev

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// TestGraphDependencies fills buffers in the nodes of graphs. The driver's graph has the dependencies that
// the nodes have, and no others: a checking driver finds a race exactly where two nodes that nothing
// orders fill the same buffer.
func TestGraphDependencies(t *testing.T) {
	if strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") {
		t.Skip("a real driver does not check")
	}
	type node struct {
		fills int // which buffer
		after []int
	}
	for name, c := range map[string]struct {
		nodes []node
		race  bool
	}{
		"two roots":               {[]node{{0, nil}, {0, nil}}, true},
		"two buffers":             {[]node{{0, nil}, {1, nil}}, false},
		"a chain":                 {[]node{{0, nil}, {0, []int{0}}, {0, []int{1}}}, false},
		"a diamond":               {[]node{{0, nil}, {1, []int{0}}, {2, []int{0}}, {0, []int{1, 2}}}, false},
		"its sides":               {[]node{{0, nil}, {1, []int{0}}, {1, []int{0}}, {0, []int{1, 2}}}, true},
		"a side that is left out": {[]node{{0, nil}, {1, []int{0}}, {2, []int{0}}, {2, []int{1}}}, true},
		"a later root":            {[]node{{0, nil}, {1, []int{0}}, {1, nil}}, true},
	} {
		b, found := checkingBackend(t)
		var buffers [3]uint64
		for i := range buffers {
			var err error
			buffers[i], err = b.Alloc(400)
			must(t, err)
		}
		var nodes []device.Node
		for _, n := range c.nodes {
			nodes = append(nodes, device.Node{Name: "fill", Deps: n.after, Queue: func(s device.Stream) error {
				return s.Fill(buffers[n.fills], []byte{1, 2, 3, 4}, 100)
			}})
		}
		x, err := b.Instantiate(nodes)
		must(t, err)
		s, err := b.NewStream()
		must(t, err)
		must(t, x.Launch(s))
		must(t, s.Wait(t.Context()))
		if got := found(); strings.Contains(got, "no dependency between") != c.race {
			t.Errorf("%s: found %q, want a race: %t", name, got, c.race)
		}
		x.Retire()
		s.Retire()
	}
}

// checkingBackend opens a driver that compares the work of streams. found returns the findings as text.
func checkingBackend(t *testing.T) (b *Backend, found func() string) {
	t.Helper()
	var mu sync.Mutex
	var said []string
	d, err := simdriver.Open(simdriver.Config{Devices: 1, Version: 13000, Memory: 64 << 20, Checks: &checked.Config{
		Options: check.Options{Tools: []report.Tool{report.Racecheck}},
		Report: func(r *report.Report) error {
			mu.Lock()
			defer mu.Unlock()
			for _, f := range r.Findings {
				said = append(said, f.Summary)
			}
			return nil
		},
	}})
	must(t, err)
	cuda.UseStandIn(d)
	defer cuda.UseStandIn(standIn)
	b, _ = open(t)
	return b, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(said, "\n")
	}
}
