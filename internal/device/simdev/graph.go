package simdev

import (
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// exec is a graph that is ready to be launched. A launch queues its nodes on the stream one after
// the other. To the checks they are on branches that nothing orders but the graph.
type exec struct {
	b *Backend

	mu       sync.Mutex // held while it is launched: its launches run one after the other
	nodes    []device.Node
	branches *streamcheck.Graph // nil where nothing compares the operations of streams
	last     *stream            // that it was launched on last
	ran      uint64             // the operation of that stream that ended it
	point    streamcheck.Clock  // that the stream reached with it, for the checks
}

// Instantiate implements device.Backend.
func (b *Backend) Instantiate(nodes []device.Node) (device.Exec, error) {
	if b.machine.Load() == nil {
		return nil, device.ErrClosed
	}
	x := &exec{b: b}
	return x, x.Update(nodes, nil)
}

// Update implements device.Exec.
func (x *exec) Update(nodes []device.Node, changed []int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.nodes = slices.Clone(nodes)
	if x.b.checks == nil || !x.b.checks.Ordered() || changed != nil {
		return nil
	}
	deps := make([][]int, len(nodes))
	for i := range nodes {
		deps[i] = nodes[i].Deps
	}
	x.endBranches()
	x.branches = streamcheck.NewGraph(deps)
	return nil
}

// Launch implements device.Exec.
func (x *exec) Launch(on device.Stream) error {
	s := on.(*stream)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last != nil && x.last.worked != s.worked {
		if err := s.after(x.last, x.ran, x.point); err != nil {
			return err
		}
	}
	if err := x.queue(s); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x.last, x.ran, x.point = s, s.queued, s.point()
	return nil
}

// queue queues the nodes.
func (x *exec) queue(s *stream) error {
	if x.branches == nil {
		for i := range x.nodes {
			if err := x.nodes[i].Queue(s); err != nil {
				return err
			}
		}
		return nil
	}
	run := x.branches.Launch(s.line)
	defer run.End()
	for i := range x.nodes {
		branch := &stream{worked: s.worked, line: run.Line(i), at: &x.nodes[i].At}
		if err := x.nodes[i].Queue(branch); err != nil {
			return err
		}
		run.Queued(i)
	}
	return nil
}

// Retire implements device.Exec.
func (x *exec) Retire() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.nodes = nil
	x.endBranches()
}

// endBranches gives the branches back once their operations have run. It needs x.mu.
func (x *exec) endBranches() {
	if g := x.branches; g != nil {
		x.branches = nil
		g.End()
	}
}
