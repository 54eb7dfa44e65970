package cudadev

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// graphExec is a graph of the driver that is ready to be launched.
//
// The driver makes the graph as it captures a stream. The nodes are queued on that stream, and
// before each the driver is told its dependencies. So a node can be any work of a stream, and no
// stream of the program is captured.
type graphExec struct {
	b *Backend
	// own has the fault records and the print buffer of the graph's kernels, as a stream has them for
	// its own: the graph may be launched on any stream.
	own    *stream
	prints bool

	mu     sync.Mutex // held while the driver is given the graph: its calls are not to meet
	made   *lowered
	handle cuda.GraphExec
	last   *stream // that it was launched on last
}

// Instantiate implements device.Backend.
func (b *Backend) Instantiate(nodes []device.Node) (device.Exec, error) {
	if err := b.hold(); err != nil {
		return nil, err
	}
	defer b.release()
	x := &graphExec{b: b, own: &stream{b: b, gate: newGate(), uses: map[*kernel]*use{}}}
	for i := range nodes {
		x.prints = x.prints || nodes[i].Launch != nil && nodes[i].Launch.Kernel.Prints
	}
	made, err := x.lower(nodes)
	if err == nil {
		x.made = made
		x.handle, err = b.ctx.Instantiate(made.graph)
	}
	if err != nil {
		x.discard()
		return nil, b.fail(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.execs[x] = struct{}{}
	return x, nil
}

// Launch implements device.Exec.
func (x *graphExec) Launch(on device.Stream) error {
	s := on.(*stream)
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last != nil && x.last != s {
		if err := x.follow(s); err != nil {
			return x.b.fail(err)
		}
	}
	x.last = s
	reports := len(x.own.uses) > 0
	if reports {
		s.expect(x) // before it runs, so that no report is missed
	}
	if x.prints {
		x.own.order.Lock()
		defer x.own.order.Unlock()
		x.own.print.queued.Store(true)
	}
	err := s.startInside(func() error { return x.b.ctx.LaunchGraph(x.handle, s.handle) })
	if reports {
		s.expected(x)
	}
	return err
}

// follow makes a stream wait for the launches before, which were on another: the graph's print
// buffer and what it keeps of its kernels is one launch's at a time.
func (x *graphExec) follow(s *stream) error {
	e, err := x.b.idleEvents.get(x.b)
	if err != nil {
		return err
	}
	defer x.b.idleEvents.put(e) // the wait is for this record of it
	if err := x.b.ctx.Record(e, x.last.handle); err != nil {
		return err
	}
	return s.startInside(func() error { return x.b.ctx.StreamWaitEvent(s.handle, e) })
}

// Update implements device.Exec.
func (x *graphExec) Update(nodes []device.Node, changed []int) error {
	if err := x.b.hold(); err != nil {
		return err
	}
	defer x.b.release()
	x.mu.Lock()
	defer x.mu.Unlock()
	if changed != nil && x.setLaunches(nodes, changed) {
		return nil
	}
	made, err := x.lower(nodes)
	if err != nil {
		return x.b.fail(err)
	}
	if err := x.b.ctx.UpdateExec(x.handle, made.graph); err != nil { // of another shape: it takes a new one
		handle, err := x.b.ctx.Instantiate(made.graph)
		if err != nil {
			made.free(x.b)
			return x.b.fail(err)
		}
		old := x.handle
		x.handle = handle
		x.b.afterQueued(func() { _ = x.b.ctx.DestroyExec(old) })
	}
	for i := range nodes {
		x.prints = x.prints || nodes[i].Launch != nil && nodes[i].Launch.Kernel.Prints
	}
	old := x.made
	x.made = made
	x.b.afterQueued(func() { old.free(x.b) })
	return nil
}

// setLaunches changes the launches of some nodes in place, which costs one call each. It reports
// false where another way is needed. It needs x.mu.
func (x *graphExec) setLaunches(nodes []device.Node, changed []int) bool {
	for _, i := range changed {
		l := nodes[i].Launch
		if l == nil || l.Kernel.Cooperative || l.Cluster != [3]int{} || len(x.made.last[i]) != 1 {
			return false
		}
	}
	for _, i := range changed {
		if x.setLaunch(nodes[i].Launch, x.made.last[i][0]) != nil {
			return false
		}
	}
	return true
}

func (x *graphExec) setLaunch(l *device.Launch, n cuda.GraphNode) error {
	k := x.b.kernels.At(l.Kernel.ID)
	if err := k.allowShared(l.Shared); err != nil {
		return err
	}
	u, err := x.own.use(k, l.Kernel)
	if err != nil {
		return err
	}
	p := cuda.NewParams(len(l.Params))
	copy(p.Bytes, l.Params)
	if at := l.Kernel.FaultAt; at >= 0 {
		binary.LittleEndian.PutUint64(p.Bytes[at:], u.record.addr)
	}
	config := cuda.LaunchConfig{Grid: dims(l.Grid), Block: dims(l.Block), Shared: uint32(l.Shared)}
	return x.b.ctx.SetKernelNode(x.handle, n, k.function, config, p, k.offsets)
}

// Retire implements device.Exec.
func (x *graphExec) Retire() {
	x.b.afterQueued(func() {
		x.b.mu.Lock()
		_, live := x.b.execs[x]
		delete(x.b.execs, x)
		x.b.mu.Unlock()
		if live {
			x.end()
		}
	})
}

// end gives the graph back, whose launches have run, and keeps the failure that no wait has
// returned for the next wait on a stream that it was launched on.
func (x *graphExec) end() {
	if x.prints {
		x.own.handle = x.b.home
		x.own.flush(context.Background())
	}
	x.own.mu.Lock()
	x.own.collect(x.own.queued.Load())
	x.own.mu.Unlock()
	x.discard()
}

// discard gives everything back.
func (x *graphExec) discard() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.handle != 0 {
		_ = x.b.ctx.DestroyExec(x.handle)
	}
	if x.made != nil {
		x.made.free(x.b)
	}
	x.handle, x.made = 0, nil
	x.own.freeBuffers()
	x.own.print = printer{}
	x.own.mu.Lock()
	defer x.own.mu.Unlock()
	for _, u := range x.own.uses {
		if u.record != nil {
			x.b.records.put(u.record)
		}
	}
	clear(x.own.uses)
	x.own.recent.Store(nil)
}

// running is the launches of a graph on a stream, by the operations that they are: the first since
// they were last found to have run, and the last.
type running struct{ first, last uint64 }

// expect notes that a graph is about to be launched.
func (s *stream) expect(x *graphExec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.graphs == nil {
		s.graphs = map[*graphExec]*running{}
	}
	if s.graphs[x] == nil {
		s.graphs[x] = &running{first: s.queued.Load() + 1}
	}
	s.graphs[x].last = ^uint64(0)
	s.hasGraphs.Store(true)
}

// expected notes that the graph was launched.
func (s *stream) expected(x *graphExec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.graphs[x]; r != nil {
		r.last = s.queued.Load()
	}
}

// collectGraphs keeps the first failure of the graphs among the first n operations. It needs s.mu.
func (s *stream) collectGraphs(n uint64) {
	for x, r := range s.graphs {
		if r.first > n {
			continue
		}
		if failure := x.own.takeFailure(^uint64(0)); s.failed == nil {
			s.failed = failure
		}
		if r.last <= n && !x.own.print.queued.Load() && x.own.print.pending.Load() == 0 {
			delete(s.graphs, x)
			s.hasGraphs.Store(len(s.graphs) > 0)
		}
	}
}

// printing are the graphs on a stream whose lines may not be printed yet.
func (s *stream) printing() []*graphExec {
	if !s.hasGraphs.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*graphExec
	for x := range s.graphs {
		if x.prints {
			list = append(list, x)
		}
	}
	return slices.Clip(list)
}
