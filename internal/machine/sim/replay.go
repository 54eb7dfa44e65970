package sim

import (
	"context"
	"errors"
	"sync"
)

// Replay is a launch that can return to a moment of its past, and run again from there. It has an
// observer, so it is deterministic, and the same happens again.
//
// An observer may leave the launch at any event by a panic, which comes out of Run. The blocks, warps
// and memory then stay as they are at that event, for Blocks to show, until Return. The launch cannot
// go on from there without one.
//
// One goroutine at a time may use a Replay, and nothing else may use its machine.
type Replay struct {
	m      *Machine
	r      *launch
	images images
	heap   HeapChanges
}

// MaxReplayed is the most bytes of writable memory that a machine may have for a Replay, which keeps a
// copy.
const MaxReplayed = 1 << 30

// ErrTooMuchMemory is the error of a launch whose memory is too large to keep a copy.
var ErrTooMuchMemory = errors.New("too much memory to go back in time")

// NewReplay prepares a launch as Machine.Launch does, with the same errors. l must have an observer.
func (m *Machine) NewReplay(ctx context.Context, e *Entry, l Launch) (*Replay, error) {
	if l.Observer == nil {
		panic("BUG: a Replay without an observer")
	}
	if err := m.checkLaunch(e, &l); err != nil {
		return nil, err
	}
	p := &Replay{m: m}
	l.Heap = &p.heap
	if err := p.images.begin(m.Mark()); err != nil {
		return nil, err
	}
	p.r = m.newLaunch(ctx, e, l)
	return p, nil
}

// Run runs the launch on to its end, or until its observer leaves it. It returns the
// errors that Machine.Launch does.
func (p *Replay) Run(ctx context.Context) error {
	r := p.r
	r.ctx = ctx
	wk := r.workers[0]
	wk.work()
	if int64(wk.blocks) == r.total {
		return wk.first
	}
	return r.failure()
}

// Moment is where a launch was.
type Moment struct {
	next        int64
	idle, polls uint64
	grid        gridMoment
	worker      workerMoment
	blocks      []blockMoment
	clusters    []clusterMoment
	heap        heapMoment
	pages       pages
	state       int // bytes that the moment takes, without pages
}

// Bytes is about how much memory the moment takes.
func (t *Moment) Bytes() int { return t.state + len(t.pages)*imagePage }

type gridMoment struct {
	phase      uint64
	arrived    int64
	idle, gone int
	ending     bool
}

// Note notes the moment, at the start of the launch or when it calls Between. Each noted moment must
// follow the one noted before, or Return or Pass must have been called with that one.
func (p *Replay) Note() *Moment {
	r := p.r
	g := &r.grid
	t := &Moment{
		next: r.next.Load(), idle: r.idle.Load(), polls: r.polls.Load(),
		grid: gridMoment{g.phase.Load(), g.arrived, g.idle, g.gone, g.ending},
	}
	wk := r.workers[0]
	t.worker.note(wk)
	seen := map[*cluster]bool{}
	for _, c := range wk.ctas {
		t.blocks = append(t.blocks, noteBlock(c))
		if !seen[c.cluster] {
			seen[c.cluster] = true
			t.clusters = append(t.clusters, noteCluster(c.cluster))
		}
	}
	for _, c := range wk.spare {
		t.blocks = append(t.blocks, noteContext(c))
	}
	t.heap.note(p)
	t.pages = p.images.note(t.heap.mark)
	p.images.at = t
	t.measure()
	return t
}

// Pass tells that the launch has come to a moment again that was noted before.
func (p *Replay) Pass(t *Moment) { p.images.pass(t) }

// Return puts the launch back to a moment. past has all moments in their order, t
// among them.
func (p *Replay) Return(t *Moment, past []*Moment) {
	r := p.r
	r.next.Store(t.next)
	r.idle.Store(t.idle)
	r.polls.Store(t.polls)
	r.once, r.err = sync.Once{}, nil
	r.stop.Store(false)
	g := &r.grid
	g.phase.Store(t.grid.phase)
	g.arrived, g.idle, g.gone, g.ending = t.grid.arrived, t.grid.idle, t.grid.gone, t.grid.ending
	for i := range t.clusters {
		t.clusters[i].restore()
	}
	for i := range t.blocks {
		t.blocks[i].restore()
	}
	t.worker.restore(r.workers[0])
	t.heap.restore(p)
	p.images.restore(t, past)
}

// Drop forgets a moment, which must be neither the first nor the last; next follows it.
func (p *Replay) Drop(t, next *Moment) { next.pages.inherit(t.pages) }
