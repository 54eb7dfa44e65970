package sim

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// worker runs blocks of a launch on a goroutine. It starts a further block before its others have
// ended only when all of those wait for something, so that memory stays small and caches warm. From
// then on they take turns.
type worker struct {
	m      *Machine
	launch *launch
	index  int
	segs   []*memory.Segment // see segShared and the constants after it
	rows   []uintptr         // where each access of segs read its last row: see nextRow

	borrowed []uint32 // the entries of segs that hold the current block's shared memory
	frames   map[*function][]*frame
	ctas     []*cta // resident blocks
	spare    []*cta // contexts of blocks that ended
	turn     int    // of ctas, the block whose turn it is
	within   bool   // the launch has been put back into that turn
	running  *warp  // whose turn it is in that block; nil between turns

	order  Order
	random *rand.Rand
	source *rand.PCG // of random
	grain  int       // see slice
	obs    event.Observer
	engine engine // nil while the interpreter runs alone
	cold   bool   // the machine's engine may run this launch, but has not loaded the kernel yet
	native *native.Context

	keepGoing bool
	first     error // of a launch that keeps going
	faults    int
	looks     uint64 // at clocks

	// Scratch of single instructions.
	fence    atomic.Uint32
	waste    [16]byte
	local    memory.Segment
	laneList [abi.WarpSize]uint8
	sources  [abi.WarpSize]uint8
	atomics  atomicResults
	events   events

	sent uint64 // events
	spun int    // turns in a row in which a resident block only polled

	phase   uint64 // how often the grid has met, as far as this worker has seen
	waiting int    // of ctas, those that wait for the grid

	completed bool // a barrier completed in this turn
	instrs    uint64
	lanes     uint64
	blocks    int
}

// nowhere is the segment that holds no address.
var nowhere = &memory.Segment{}

func newWorker(r *launch, index int) *worker {
	wk := &worker{
		m: r.m, launch: r, index: index,
		segs:   make([]*memory.Segment, segCache+r.entry.memos),
		rows:   make([]uintptr, segCache+r.entry.memos),
		frames: map[*function][]*frame{},
		order:  r.Order, obs: r.Observer, keepGoing: r.KeepGoing && r.Observer != nil,
		source: rand.NewPCG(r.Seed, uint64(index)),
	}
	wk.random = rand.New(wk.source)
	wk.cold = wk.obs == nil && r.entry.warmth.load != nil
	wk.warmUp(0)
	wk.grain = wk.random.IntN(maxGrain + 1)
	for i := range wk.segs {
		wk.segs[i] = nowhere
	}
	wk.segs[segParam] = r.params
	wk.local.Name = "local memory"
	return wk
}

// reset prepares the worker of a launch that has ended for another one.
func (wk *worker) reset() {
	for i := range wk.segs {
		wk.segs[i] = nowhere
	}
	wk.segs[segParam] = wk.launch.params
	wk.borrowed = wk.borrowed[:0]
	wk.looks, wk.instrs, wk.lanes, wk.blocks, wk.turn = 0, 0, 0, 0, 0
	wk.phase, wk.waiting, wk.sent, wk.spun = 0, 0, 0, 0
	wk.warmUp(0)
}

// work runs blocks until the grid is done or the launch has failed.
func (wk *worker) work() {
	defer wk.leaveGrid()
	for !wk.launch.stopped() && wk.choose() {
		c := wk.ctas[wk.turn]
		st, err := wk.guarded(c)
		if st != yielded || err != nil {
			wk.spun = 0
		}
		switch {
		case err != nil:
			wk.launch.fail(err)
		case st == finished:
			wk.retire(wk.turn)
		case st == waiting && wk.admit():
			wk.turn = len(wk.ctas) - 1
		case st == waiting && wk.waiting == len(wk.ctas):
			wk.awaitGrid()
		case st == stuck && wk.launch.threadFailed() && c.endWaiting():
		case st == stuck:
			wk.stuck(c)
		case st == parted && c.cluster.dead():
			wk.stuck(c)
		case st == yielded && wk.patient() && wk.admit():
			wk.turn, wk.spun = len(wk.ctas)-1, 0
		case st == yielded:
			wk.turn++
			wk.giveWay()
		case st == interrupted && len(wk.ctas) < fewResident && wk.admit():
			wk.turn = len(wk.ctas) - 1
		case st == interrupted, st == waiting, st == parted:
			wk.turn++
		}
	}
}

// choose sets wk.turn to the block that takes the next turn. It returns false if there is none. A launch
// that was put back into a turn goes on with that one.
func (wk *worker) choose() bool {
	if wk.within {
		wk.within = false
		return true
	}
	wk.passGrid()
	if len(wk.ctas) == 0 && !wk.admit() {
		return false
	}
	wk.turn %= len(wk.ctas)
	if wk.order == Random {
		wk.turn = wk.random.IntN(len(wk.ctas))
	}
	return true
}

// How long a worker whose blocks all poll sleeps: longer every round, up to the longest.
const (
	shortestSleep = 5 * time.Microsecond
	longestSleep  = 200 * time.Microsecond
	sleptInstrs   = 20 // nanoseconds that count as an instruction of the budget
)

// patient reports whether a worker has waited long enough for the others to start another block
// while its own poll: that block may wait for the same.
func (wk *worker) patient() bool {
	return len(wk.launch.workers) < 2 || wk.spun/len(wk.ctas) >= 8
}

// giveWay lets the other workers run after a round in which all blocks of this one polled. What
// they wait for is done by a block of another worker, which may have no processor. A worker that is
// alone does not sleep.
func (wk *worker) giveWay() {
	wk.spun++
	rounds := wk.spun / len(wk.ctas)
	if rounds == 0 || len(wk.launch.workers) < 2 || wk.launch.stopped() {
		return
	}
	pause := min(shortestSleep<<min(rounds, 10), longestSleep)
	time.Sleep(pause)
	if wk.launch.Budget > 0 {
		wk.launch.spend(uint64(pause)/sleptInstrs, false, true)
	}
}

// guarded gives a block a turn and catches the fault that ends it.
func (wk *worker) guarded(c *cta) (st status, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unwind:
			err = r.err
		default:
			panic(r)
		}
	}()
	return c.turn(), nil
}

// admit makes the blocks of the next cluster of the grid resident, if there is one and room for it.
func (wk *worker) admit() bool {
	size := wk.launch.clusterSize()
	if len(wk.ctas)+size > wk.launch.resident {
		return false
	}
	n, ok := wk.launch.nextCluster()
	if !ok {
		return false
	}
	if size == 1 {
		wk.admitAlone(n)
		return true
	}
	of := &cluster{ctas: make([]*cta, size), live: size}
	ranks := wk.ranks()
	for range ranks {
		wk.ctas = append(wk.ctas, wk.unused())
	}
	started := wk.ctas[len(wk.ctas)-size:]
	for i, rank := range ranks {
		started[i].start(wk.launch.member(n, rank), of)
	}
	return true
}

// admitAlone makes a block resident that is its own cluster.
func (wk *worker) admitAlone(linear int) {
	c := wk.unused()
	wk.ctas = append(wk.ctas, c)
	c.alone.live, c.alone.awaited = 1, nil
	c.start(linear, &c.alone)
}

// unused is a context for a block.
func (wk *worker) unused() (c *cta) {
	if n := len(wk.spare); n > 0 {
		c, wk.spare = wk.spare[n-1], wk.spare[:n-1]
		return c
	}
	return wk.newCTA()
}

// retire puts the i-th resident block aside, which has ended.
func (wk *worker) retire(i int) {
	c := wk.ctas[i]
	wk.blocks++
	if wk.obs != nil {
		wk.obs.Observe(&event.BlockEnd{Block: &c.Block})
	}
	wk.drop(i)
}

func (wk *worker) drop(i int) {
	c := wk.ctas[i]
	c.cluster.ctas[c.Rank()] = nil
	c.cluster.live--
	wk.ctas[i] = wk.ctas[len(wk.ctas)-1]
	wk.ctas = wk.ctas[:len(wk.ctas)-1]
	wk.spare = append(wk.spare, c)
}

// slice is how long something runs in a random order, at most 2 to the power of n instructions. One
// launch changes often between blocks, warps and lanes, another seldom.
func (wk *worker) slice(n int) int { return 1 + wk.random.IntN(1<<min(n, wk.grain)) }

// blockFuel is how long a block's turn is.
func (wk *worker) blockFuel() int {
	switch {
	case wk.order == Random:
		return wk.slice(16)
	case wk.launch.Interleave:
		return 1
	}
	return blockFuel
}

// turnFuel is how long a warp's turn is.
func (wk *worker) turnFuel() int {
	switch {
	case wk.order == Random:
		return wk.slice(8)
	case wk.launch.Interleave:
		return 1
	}
	if b := wk.launch.Budget; b > 0 && b < turnFuel {
		return int(b)
	}
	return turnFuel
}

// account adds up what a warp's turn did and looks after the things that need looking after now and
// then.
func (wk *worker) account(w *warp, instrs uint64) {
	wk.instrs += instrs
	wk.lanes += w.lanes
	w.lanes = 0
	wk.warmUp(instrs)
	if wk.launch.Budget > 0 {
		wk.launch.spend(instrs, w.progress || wk.completed, (w.spinning || w.polls > 0) && !w.anew)
	}
	w.progress, w.anew, wk.completed = false, false, false
	select {
	case <-wk.launch.ctx.Done():
		wk.launch.fail(context.Cause(wk.launch.ctx))
	default:
	}
	if runtime.GOARCH == "wasm" { // its goroutines do not preempt each other
		runtime.Gosched()
	}
}

// wasted is memory for accesses that have none. It reads as zero.
func (wk *worker) wasted() unsafe.Pointer {
	wk.waste = [16]byte{}
	return unsafe.Pointer(&wk.waste)
}
