package gridstride

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/graph"
)

// GraphExec is a graph that is ready to be launched, as often as asked, on any stream of its
// device. Its launches run one after the other, also those on different streams. Work that is to
// run at the same time is instantiated twice.
//
// Its methods may be used by any number of goroutines.
type GraphExec struct{ *graphExec }

// graphExec is the state of a GraphExec. It outlives one that is garbage, until it is closed.
type graphExec struct {
	dev  *Device
	mu   sync.Mutex
	exec device.Exec
	of   *graph.Graph
	work *graph.Snapshot // nil once it is closed
}

// Instantiate makes the graph, as it is now, ready to be launched. Kernels that have to be compiled
// are compiled now. The GraphExec lives until its Close, until it is garbage, or until the device
// is closed.
//
// Errors: ErrClosed; ErrFreed for a buffer of a node that the program has freed; ErrLimit for a
// launch that asks for more than the device allows; the driver's, which must be of CUDA 12.0.
func (g *Graph) Instantiate() (*GraphExec, error) {
	if g.dev.closed.Load() {
		return nil, g.dev.closedError("instantiate")
	}
	work, err := g.nodes.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("instantiate: %w", err)
	}
	if err := work.Freed(); err != nil {
		work.Close()
		return nil, fmt.Errorf("instantiate: %w", err)
	}
	exec, err := g.dev.backend.Instantiate(work.Nodes)
	if err != nil {
		work.Close()
		return nil, fmt.Errorf("instantiate: %w", err)
	}
	x := &GraphExec{&graphExec{dev: g.dev, exec: exec, of: g.nodes, work: work}}
	runtime.AddCleanup(x, (*graphExec).end, x.graphExec)
	return x, nil
}

// Launch queues a run of the graph on s and returns before it has run. The graph runs after what
// was queued on s before, and what is queued on s afterwards runs after the graph. On a stream that
// is being captured its nodes become the capture's.
//
// Errors: ErrFreed for a buffer of a node that the program has freed since, ErrClosed,
// ErrWrongDevice, ErrArgument for a nil stream. What goes wrong in a kernel is returned by the next
// wait on s.
func (x *GraphExec) Launch(s *Stream) error {
	const op = "launch of a graph"
	defer runtime.KeepAlive(x)
	if err := s.hold(op); err != nil {
		return err
	}
	defer s.release()
	if s.dev != x.dev {
		return device.Errorf(ErrWrongDevice, "%s: the stream is on device %d, the graph for device %d", op, s.dev.id, x.dev.id)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(op); err != nil {
		return err
	}
	if err := x.work.Freed(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if c := s.captured.Load(); c != nil {
		return c.recorder.Splice(x.work)
	}
	return x.exec.Launch(s.queue)
}

// usable is the error of an operation on what is closed. It needs x.mu.
func (x *graphExec) usable(op string) error {
	switch {
	case x.dev.closed.Load():
		return x.dev.closedError(op)
	case x.work == nil:
		return device.Errorf(ErrClosed, "%s: it is closed", op)
	}
	return nil
}

// Set changes the arguments of a node, from the next Launch on: those that are queued run as they
// were. f queues on the stream that it is given what the node is to do: the same operations as
// before in the same order, launches of the same kernels, with other arguments, grids or buffers.
//
//	err := exec.Set(node, func(s *gridstride.Stream) error { return scale.Launch(s, cfg, x, 4) })
//
// node is of the graph that was instantiated, or of the last that Update was given: what Add has
// returned, or one of [Graph.Nodes].
//
// Errors: f's; ErrCapture for other operations, as for what cannot be captured; ErrArgument for a
// node of another graph; ErrFreed, ErrClosed. With an error nothing changes.
func (x *GraphExec) Set(node *Node, f func(s *Stream) error) error {
	const op = "set"
	defer runtime.KeepAlive(x)
	work, _, err := x.dev.record(f)
	if err != nil {
		return err
	}
	defer work.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(op); err != nil {
		return err
	}
	switch {
	case node == nil || node.g == nil || node.g.nodes != x.of || node.first+node.size > len(x.work.Nodes):
		return device.Errorf(ErrArgument, "%s: the node is not one of what was instantiated", op)
	case len(work.Nodes) != node.size:
		return device.Errorf(ErrCapture, "%s: %d operations for a node of %d: only arguments change", op, len(work.Nodes), node.size)
	}
	next, err := x.work.Replace(node.first, work)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	changed := make([]int, node.size)
	for i := range changed {
		changed[i] = node.first + i
	}
	return x.become(op, next, changed, x.of)
}

// Update makes x run another graph of the same device, as it is now, from the next Launch on. Where
// it has the same operations and dependencies as the one before, which a second capture of the same
// calls has, that is cheaper than to instantiate it.
//
// Errors: as for Instantiate, and ErrWrongDevice.
func (x *GraphExec) Update(g *Graph) error {
	const op = "update"
	defer runtime.KeepAlive(x)
	if g == nil || g.dev != x.dev {
		return device.Errorf(ErrWrongDevice, "%s: the graph is not for %v", op, x.dev)
	}
	next, err := g.nodes.Snapshot()
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.usable(op); err != nil {
		next.Close()
		return err
	}
	if err := next.Freed(); err != nil {
		next.Close()
		return fmt.Errorf("%s: %w", op, err)
	}
	return x.become(op, next, nil, g.nodes)
}

// become gives the nodes' places to others. It takes next over, and needs x.mu.
func (x *graphExec) become(op string, next *graph.Snapshot, changed []int, of *graph.Graph) error {
	if err := x.exec.Update(next.Nodes, changed); err != nil {
		next.Close()
		return fmt.Errorf("%s: %w", op, err)
	}
	old := x.work
	x.work, x.of = next, of
	old.Close() // what queued launches use is given back when they have run
	return nil
}

// Close gives the graph up without waiting: launches that are queued still run, and more are
// refused. A second Close does nothing. The error is nil: a GraphExec is an io.Closer.
func (x *GraphExec) Close() error {
	defer runtime.KeepAlive(x)
	x.end()
	return nil
}

func (x *graphExec) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.work == nil {
		return
	}
	x.exec.Retire()
	x.work.Close()
	x.work = nil
}
