package sim

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// Order is the order in which blocks start, warps of a block take turns, and lanes of one
// instruction act if it matters (atomics, stores to one address).
type Order int

// The orders. Random is decided by Launch.Seed, and also interrupts warps, and lanes that went
// different ways, at random places.
const (
	Ascending Order = iota
	Descending
	Random
)

// Launch says how to run a kernel.
type Launch struct {
	Grid, Block [3]int // every dimension at least 1
	// Cluster is the blocks of a cluster in each dimension. Zero takes what the kernel requires,
	// else one.
	Cluster [3]int
	Shared  int    // bytes of dynamic shared memory
	Params  []byte // Entry.ParamSize bytes
	Seed    uint64 // for Random
	Order   Order
	// Flip lets lanes that went different ways at a branch run in the other order: a Descending
	// order takes them as an Ascending one does, and the other way round.
	Flip bool
	// Interleave gives other lanes, warps and blocks a turn after every basic block.
	Interleave bool
	// Budget is how many warp instructions the grid may run without progress (memory changed, a
	// barrier completed, a thread ended) before the launch ends with ErrNoProgress. 0 is no limit.
	// It is a 32nd of that where all threads only poll, again and again at the same addresses.
	Budget uint64
	// Observer, when not nil, sees every event, and makes the run deterministic.
	Observer event.Observer
	// Steps sends the observer a Step for every instruction too.
	Steps bool
	// StepsWhile, when not nil, stops the Steps while it is false. The observer may change it at
	// any event.
	StepsWhile *bool
	// ProductSteps sends the observer a Step for each instruction with Site.Product in any case.
	ProductSteps bool
	// KeepGoing, with an observer, makes a fault an event and not the end: a bad load gives zero, a
	// bad store or atomic does nothing, a block that is stuck is given up. Launch still returns the
	// first error, at the end.
	KeepGoing bool
	// MaxFaults ends a launch that keeps going at that number of faults. 0 is no limit. The error
	// then wraps ErrTooManyFaults besides the first.
	MaxFaults int
	// Between, when not nil, is called between the turns of two warps: the moments at which a Replay can
	// note where it is.
	Between func()
	// Output is where the kernel's printf goes; nil throws it away. It gets the text of a call in
	// one Write, and never two at once.
	Output io.Writer
	// Heap, when not nil, says that the launch will run again from the memory that it found. Memory
	// that was allocated before the launch then stays when the kernel frees it, until KeepHeap.
	// DropHeap gives back the memory that the launch allocated.
	Heap *HeapChanges
}

// Stats counts the work of a launch.
type Stats struct {
	Instructions     uint64 // warp instructions: one counts once, however many lanes run it
	LaneInstructions uint64 // the same, counted for every lane that ran it
	Blocks           int    // blocks that ran to their end
	Elapsed          time.Duration
}

// launch is a launch under way.
type launch struct {
	Launch
	m        *Machine
	ctx      context.Context // ends the launch; workers look at it after each turn of a warp
	entry    *Entry
	id       uint64
	params   *memory.Segment
	resident int // blocks a worker may have in flight
	workers  []*worker

	total    int64        // blocks of the grid
	clusters int64        // of the grid
	next     atomic.Int64 // clusters handed out
	factor   int64        // for Random: cluster i is i*factor+offset mod clusters
	offset   int64

	printing sync.Mutex // held while Output is written
	grid     gridBarrier

	stop atomic.Bool
	// Instructions since the last progress, kept when there is a Budget: of all kinds, and those
	// since when all threads poll.
	idle, polls atomic.Uint64
	once        sync.Once
	err         error // why the launch failed; read after the workers have ended
}

// Launch runs a kernel and returns when it has ended. The error is a *LimitError, *Fault or *Stuck
// (which wraps the context's cause when it ended), or plain. The machine stays usable after any
// error.
func (m *Machine) Launch(ctx context.Context, e *Entry, l Launch) (Stats, error) {
	start := time.Now()
	if err := m.checkLaunch(e, &l); err != nil {
		return Stats{}, err
	}
	if ctx.Err() != nil {
		return Stats{}, fmt.Errorf("launch %s: %w", e.Name, context.Cause(ctx))
	}
	r := m.newLaunch(ctx, e, l)
	r.execute()
	stats := Stats{}
	for _, wk := range r.workers {
		stats.Instructions += wk.instrs
		stats.LaneInstructions += wk.lanes
		stats.Blocks += wk.blocks
	}
	stats.Elapsed = time.Since(start)
	if int64(stats.Blocks) == r.total { // a context that ended in the last moment is too late
		err := r.workers[0].first
		r.retire()
		return stats, err
	}
	return stats, r.failure()
}

// WithTimeLimit gives the launches that get the context so long, together; no limit where that is
// not above 0. The cause of its end then wraps ErrTimeLimit.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w of %v", event.ErrTimeLimit, limit))
}

// newLaunch makes a launch, of one that has ended where that had blocks of the same kind: its
// workers have all that a small launch would spend its time on making.
func (m *Machine) newLaunch(ctx context.Context, e *Entry, l Launch) *launch {
	total := int64(l.Grid[0]) * int64(l.Grid[1]) * int64(l.Grid[2])
	workers := m.cfg.Workers
	if l.Observer != nil {
		workers = 1
	}
	clusters := total / int64(l.clusterSize())
	workers = int(min(int64(workers), clusters))
	r, _ := e.ended.Get().(*launch)
	if r == nil || !r.suits(&l, workers) {
		r = &launch{m: m, entry: e, params: memory.NewSegment(memory.ParamWindow, int64(len(l.Params)))}
		r.grid.moved.L = &r.grid.mu
		r.params.Name, r.params.ReadOnly = "kernel parameters", true
	}
	r.Launch, r.ctx, r.id, r.total, r.clusters = l, ctx, m.launches.Add(1), total, clusters
	copy(r.params.Mem, l.Params)
	if l.Order == Random {
		r.factor, r.offset = permutation(r.clusters, l.Seed)
	}
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	r.resident = max(l.clusterSize(), m.cfg.Limits.ResidentThreads/threads/workers)
	if e.Cooperative {
		r.resident = int(total)
	}
	for _, wk := range r.workers {
		wk.reset()
	}
	for i := len(r.workers); i < workers; i++ {
		r.workers = append(r.workers, newWorker(r, i))
	}
	return r
}

// suits says whether a launch that has ended can be used for another one.
func (r *launch) suits(l *Launch, workers int) bool {
	return l.Observer == nil && l.Order == r.Order && l.Block == r.Block && l.Cluster == r.Cluster && l.Shared == r.Shared &&
		uint64(len(l.Params)) == r.params.Size && workers == len(r.workers)
}

// retire puts a launch that came to its end aside for another one. One that was observed is not:
// who observed it may still hold its blocks.
func (r *launch) retire() {
	if r.Observer != nil || r.Order == Random {
		return
	}
	r.Params, r.Output, r.Heap, r.ctx = nil, nil, nil, nil
	r.once, r.err = sync.Once{}, nil
	r.next.Store(0)
	r.stop.Store(false)
	r.grid.reset()
	r.idle.Store(0)
	r.polls.Store(0)
	r.entry.ended.Put(r)
}

// execute runs the workers, the first on this goroutine.
func (r *launch) execute() {
	var others sync.WaitGroup
	for _, wk := range r.workers[1:] {
		others.Go(wk.work)
	}
	r.workers[0].work()
	others.Wait()
}

func (r *launch) stopped() bool { return r.stop.Load() }

// fail ends the launch. The first error counts.
func (r *launch) fail(err error) {
	r.once.Do(func() { r.err = err })
	r.stop.Store(true)
	r.grid.wake()
}

// failure is the launch's error once the workers have ended.
func (r *launch) failure() error {
	err := r.err
	if err == nil {
		err = r.workers[0].first
	}
	switch err.(type) {
	case nil, *event.Fault, *event.Stuck:
		return err
	}
	if err == event.ErrTooManyFaults {
		return fmt.Errorf("%w; %w", r.workers[0].first, err)
	}
	return r.whereabouts(err)
}

// nextCluster hands out the next cluster of the grid, by its number.
func (r *launch) nextCluster() (n int, ok bool) {
	i := r.next.Add(1) - 1
	if i >= r.clusters {
		return 0, false
	}
	switch r.Order {
	case Descending:
		i = r.clusters - 1 - i
	case Random:
		hi, lo := bits.Mul64(uint64(i), uint64(r.factor))
		i = (int64(bits.Rem64(hi, lo, uint64(r.clusters))) + r.offset) % r.clusters
	}
	return int(i), true
}

// clusterSize is how many blocks a cluster of the launch has.
func (l *Launch) clusterSize() int { return l.Cluster[0] * l.Cluster[1] * l.Cluster[2] }

// pollShare is how much sooner a launch is given up in which all threads poll: checked, each poll
// of a warp takes a microsecond and more.
const pollShare = 32

// spend keeps account of the budget.
func (r *launch) spend(instrs uint64, progress, polls bool) {
	switch {
	case progress:
		r.idle.Store(0)
		r.polls.Store(0)
		return
	case !polls:
		r.polls.Store(0)
	case r.polls.Add(instrs) > r.Budget/pollShare:
		r.fail(event.ErrNoProgress)
		return
	}
	if r.idle.Add(instrs) > r.Budget {
		r.fail(event.ErrNoProgress)
	}
}

// permutation returns factor and offset of a permutation i*factor+offset mod n.
func permutation(n int64, seed uint64) (factor, offset int64) {
	x := splitmix(seed)
	factor = int64(x % uint64(n))
	for gcd(factor, n) != 1 {
		factor = (factor + 1) % n
		if n == 1 {
			return 0, 0
		}
	}
	return factor, int64(splitmix(x) % uint64(n))
}

// splitmix is a step of the generator SplitMix64 (Steele, Lea, Flood 2014).
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
