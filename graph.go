package gridstride

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/graph"
)

// Graph is work of a device as nodes with dependencies, to be launched many times: a CUDA graph. A
// node is an operation: a launch of a kernel, a copy, a filling, a call of the host. Launching a
// graph costs the host one call, however many nodes there are, and the device less than launching
// each.
//
// [Stream.Capture] makes a graph of what a function queues, and [NewGraph] one to add nodes to.
// [Graph.Instantiate] makes it ready to be launched on any stream of its device:
//
//	g, err := s.Capture(func(s *gridstride.Stream) error {
//		return errors.Join(scale.Launch(s, cfg, x, 3), add.Launch(s, cfg, x, y))
//	})
//	…
//	exec, err := g.Instantiate()
//	…
//	for range 100 {
//		err = exec.Launch(s)
//	}
//
// A graph keeps the buffers, textures, pinned memory and modules that its nodes use from being
// given back, until it is closed or garbage, and so does each GraphExec. The program can still free
// them: then a launch is refused with ErrFreed. Its methods may be used by any number of
// goroutines.
type Graph struct {
	dev   *Device
	nodes *graph.Graph
}

// Node is an operation of a graph, or several that [Graph.Add] has added as one.
type Node struct {
	g           *Graph
	first, size int
	last        []int // operations that the nodes after it depend on
}

// NewGraph makes a graph without nodes for the device, for [Graph.Add].
func NewGraph(dev *Device) *Graph {
	g := &Graph{dev: dev, nodes: graph.New()}
	runtime.AddCleanup(g, (*graph.Graph).Close, g.nodes)
	return g
}

// Device is the device that the graph is for.
func (g *Graph) Device() *Device { return g.dev }

// Add adds the work that f queues on the stream it is given: one operation, or several, which
// together are the node. They run after the nodes of after, and otherwise at the same time as those
// that nothing orders. [Stream.Capture] says what f may do. The stream is for f alone.
//
//	a, err := g.Add(func(s *gridstride.Stream) error { return left.Launch(s, cfg, x) })
//	b, err := g.Add(func(s *gridstride.Stream) error { return right.Launch(s, cfg, y) })
//	c, err := g.Add(func(s *gridstride.Stream) error { return sum.Launch(s, cfg, x, y) }, a, b)
//
// Errors: as for Capture, and ErrArgument for a node of another graph. With an error the graph
// stays as it was.
func (g *Graph) Add(f func(s *Stream) error, after ...*Node) (*Node, error) {
	deps, err := g.ends(after)
	if err != nil {
		return nil, err
	}
	work, last, err := g.dev.record(f)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	return g.append(work, last, deps)
}

// AddGraph adds the nodes of another graph of the same device, as they are now, as one node: so the
// capture of a stream becomes a part of a graph. They run after the nodes of after.
//
// Errors: ErrClosed, ErrLimit, ErrWrongDevice, ErrArgument for a node of another graph.
func (g *Graph) AddGraph(child *Graph, after ...*Node) (*Node, error) {
	deps, err := g.ends(after)
	switch {
	case err != nil:
		return nil, err
	case child == nil || child.dev != g.dev:
		return nil, device.Errorf(ErrWrongDevice, "add graph: the graph is not for %v", g.dev)
	}
	work, err := child.nodes.Snapshot()
	if err != nil {
		return nil, err
	}
	defer work.Close()
	return g.append(work, work.Ends(), deps)
}

// ends are the last operations of some nodes.
func (g *Graph) ends(after []*Node) ([]int, error) {
	var deps []int
	for i, n := range after {
		if n == nil || n.g != g {
			return nil, device.Errorf(ErrArgument, "add: node %d to run after is of another graph", i)
		}
		deps = append(deps, n.last...)
	}
	slices.Sort(deps)
	return slices.Compact(deps), nil
}

// append adds work as a node. last are the operations that it ends with.
func (g *Graph) append(work *graph.Snapshot, last, deps []int) (*Node, error) {
	first, err := g.nodes.Append(work, deps)
	if err != nil {
		return nil, err
	}
	n := &Node{g: g, first: first, size: len(work.Nodes), last: deps}
	if n.size > 0 {
		n.last = nil
	}
	for _, i := range last {
		n.last = append(n.last, first+i)
	}
	return n, nil
}

// record makes nodes of the work that f queues on a new stream.
func (d *Device) record(f func(*Stream) error) (work *graph.Snapshot, last []int, err error) {
	if d.closed.Load() {
		return nil, nil, d.closedError("add")
	}
	nodes := graph.New()
	defer nodes.Close()
	c := newCapture(nodes, nil)
	s := &Stream{dev: d, queue: c.first.recorder}
	s.captured.Store(c.first)
	c.streams = append(c.streams, s)
	if last, err = c.run(s, f); err != nil {
		return nil, nil, err
	}
	work, err = nodes.Snapshot()
	return work, last, err
}

// Nodes are the graph's operations, each as a node, in an order in which they can run.
func (g *Graph) Nodes() []*Node {
	list := make([]*Node, g.nodes.Len())
	for i := range list {
		list[i] = &Node{g: g, first: i, size: 1, last: []int{i}}
	}
	return list
}

// Close lets go of the memory and modules that the graph keeps. Each GraphExec keeps them further.
// The error is nil: a Graph is an io.Closer.
func (g *Graph) Close() error {
	g.nodes.Close()
	return nil
}

// String names the node's operations and where the program has queued them: "launch of dot.Partial
// at main.go:12".
func (n *Node) String() string {
	const most = 4
	var parts []string
	for i := range min(n.size, most) {
		op := n.g.nodes.Node(n.first + i)
		parts = append(parts, fmt.Sprintf("%s at %v", op.Name, &op.At))
	}
	if n.size > most {
		parts = append(parts, fmt.Sprintf("%d more", n.size-most))
	}
	return strings.Join(parts, ", ")
}
