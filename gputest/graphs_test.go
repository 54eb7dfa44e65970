package gputest_test

import (
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// TestGraphsHaveAnOrder uses one buffer in two nodes of a graph: a finding where no dependency
// orders the two, with the calls that made the nodes, and none where one does.
func TestGraphsHaveAnOrder(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(x *twoStreams) *gridstride.Graph
		found []string // in the finding; empty if none is expected
	}{
		"two nodes": {func(x *twoStreams) *gridstride.Graph {
			g := gridstride.NewGraph(x.dev)
			x.add(g, "double")
			x.add(g, "fill")
			return g
		}, []string{"RACE  write/", "two nodes of a graph with no dependency between", "launch of double", "x.k.Launch(s,", "x.b.Fill(s, 1)",
			"let the second depend on the first: graph.Add(work, first)"}},
		"one after the other": {func(x *twoStreams) *gridstride.Graph {
			g := gridstride.NewGraph(x.dev)
			x.add(g, "fill", x.add(g, "double"))
			return g
		}, nil},
		"three nodes, one of which nothing orders": {func(x *twoStreams) *gridstride.Graph {
			g := gridstride.NewGraph(x.dev)
			first := x.add(g, "fill")
			x.add(g, "nothing", first)
			x.add(g, "nothing", x.add(g, "double", first))
			x.add(g, "double", x.add(g, "nothing"))
			return g
		}, []string{"two nodes of a graph"}},
		"a diamond": {func(x *twoStreams) *gridstride.Graph {
			g := gridstride.NewGraph(x.dev)
			first := x.add(g, "fill")
			left, right := x.add(g, "double", first), x.add(g, "other", first)
			x.add(g, "fill", left, right)
			return g
		}, nil},
		"a capture of two streams": {func(x *twoStreams) *gridstride.Graph {
			return x.capture(func(s *gridstride.Stream) {
				x.after(x.s2, s)
				x.double(s, x.b)
				x.double(x.s2, x.b)
				x.after(s, x.s2)
			})
		}, []string{"two nodes of a graph", "launch of double", "second.After(first.Record())"}},
		"a capture of two streams with an event": {func(x *twoStreams) *gridstride.Graph {
			return x.capture(func(s *gridstride.Stream) {
				x.double(s, x.b)
				x.after(x.s2, s)
				x.double(x.s2, x.b)
				x.after(s, x.s2)
			})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := checkStreams(t, false, func(x *twoStreams) {
				exec := x.instantiate(c.do(x))
				for range 3 {
					must(x, exec.Launch(x.s1))
				}
				x.double(x.s1, x.b)
				must(x, exec.Close())
			})
			if (got != "") != (c.found != nil) {
				t.Fatalf("errors:\n%s", got)
			}
			for _, part := range c.found {
				if !strings.Contains(got, part) {
					t.Errorf("errors:\n%s\nwithout %s", got, part)
				}
			}
		})
	}
}

// TestGraphAndStream launches a graph on a stream, and uses its buffer on another.
func TestGraphAndStream(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		got := checkStreams(t, false, func(x *twoStreams) {
			exec := x.instantiate(x.capture(func(s *gridstride.Stream) { x.double(s, x.b) }))
			must(x, exec.Launch(x.s1))
			if ordered {
				x.after(x.s2, x.s1)
			}
			x.double(x.s2, x.b)
			must(x, exec.Close())
		})
		if strings.Contains(got, "two streams with no event between") == ordered {
			t.Errorf("ordered %t: errors:\n%s", ordered, got)
		}
	}
}

// TestGraphExecHasAnOrder launches one graph on two streams: its launches follow each other.
func TestGraphExecHasAnOrder(t *testing.T) {
	got := checkStreams(t, false, func(x *twoStreams) {
		exec := x.instantiate(x.capture(func(s *gridstride.Stream) { x.double(s, x.b) }))
		must(x, exec.Launch(x.s1))
		must(x, exec.Launch(x.s2))
		must(x, exec.Close())
	})
	if got != "" {
		t.Errorf("errors:\n%s", got)
	}
}

// add adds a node to a graph.
func (x *twoStreams) add(g *gridstride.Graph, what string, after ...*gridstride.Node) *gridstride.Node {
	x.Helper()
	n, err := g.Add(func(s *gridstride.Stream) error {
		switch what {
		case "double":
			x.double(s, x.b)
		case "other":
			x.double(s, x.b.Slice(4, 8))
		case "fill":
			return x.b.Fill(s, 1)
		}
		return nil
	}, after...)
	must(x, err)
	return n
}

// capture captures the first stream.
func (x *twoStreams) capture(do func(s *gridstride.Stream)) *gridstride.Graph {
	x.Helper()
	g, err := x.s1.Capture(func(s *gridstride.Stream) error { do(s); return nil })
	must(x, err)
	return g
}

func (x *twoStreams) instantiate(g *gridstride.Graph) *gridstride.GraphExec {
	x.Helper()
	exec, err := g.Instantiate()
	must(x, err)
	must(x, g.Close())
	return exec
}

// TestGraphsOfManyBranches forks a hundred branches and joins them, three times: no finding.
func TestGraphsOfManyBranches(t *testing.T) {
	dev := gputest.Device(t)
	s := dev.Stream()
	b, err := gridstride.CopyOf(dev, make([]int32, 300))
	must(t, err)
	defer b.Free()
	g := gridstride.NewGraph(dev)
	for round := range 3 {
		var all []*gridstride.Node
		for i := range 100 {
			n, err := g.Add(func(s *gridstride.Stream) error { return b.Slice(i, i+1).Fill(s, int32(round)) }, ends(g, round)...)
			must(t, err)
			all = append(all, n)
		}
		_, err := g.Add(func(s *gridstride.Stream) error { return b.Fill(s, int32(10+round)) }, all...)
		must(t, err)
	}
	exec, err := g.Instantiate()
	must(t, err)
	must(t, exec.Launch(s))
	got, err := b.Read(t.Context(), s, nil)
	must(t, err)
	if got[0] != 12 || got[299] != 12 {
		t.Errorf("got %v", got)
	}
	must(t, exec.Close())
	must(t, g.Close())
}

// ends is the last node of a graph with rounds of 101 nodes.
func ends(g *gridstride.Graph, round int) []*gridstride.Node {
	if round == 0 {
		return nil
	}
	return g.Nodes()[101*round-1 : 101*round]
}
