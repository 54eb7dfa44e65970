package sim

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
)

// warp is 32 lanes of a block. Lanes that are at the same instruction run together, as a group.
// Every lane is in exactly one group until it exits.
type warp struct {
	// The running group, read by every exec.
	lanes.Warp
	mask uint32 // lanes of the running group
	fr   *frame
	at   *bblock

	cta   *cta
	wk    *worker
	index int
	exist uint32 // lanes that have a thread
	live  uint32 // lanes that have not exited

	groups []group
	cur    int // the running group among groups

	// Turns and fairness; see schedule.go.
	fuel     int  // instructions until the running loop looks up
	reserve  int  // fuel put aside by a poll
	polls    int  // polls since the last progress
	polled   bool // the running group polls and should let others run
	nextPoll uint8
	polledAt [4]uint64 // addresses of the last polls
	begun    uint64    // value of instrs when the turn began
	anew     bool      // a poll in this turn was at none of them
	spinning bool      // the last turn ended because every ready group polls
	sticky   bool      // the running group was chosen for fairness: let it run its slice
	sliceEnd uint64    // value of instrs that ends the running group's slice
	progress bool      // memory changed, a barrier completed or a lane exited in this turn

	owed  uint32 // lanes that have arrived at the barrier of the cluster and not waited for it
	agent agent
	// products counts what the warp has come to of wgmma, as all warps of its warpgroup must.
	products uint64
	// committed has the value of products when the warp committed each of its last groups.
	committed [mostLeft + 1]uint64
	// registers is the number of registers of a thread, and setmaxes the instructions that changed
	// it.
	registers int
	setmaxes  []setmax
	tested    *[abi.WarpSize]failedTest // the last test of an mbarrier by each lane; nil before the first
	passed    uint32                    // the lanes that passed the last test
	local     localMemory
	own       *frame                    // the kernel's frame in the last block
	ended     [abi.WarpSize]*event.Site // where lanes exited, unless all exited at endedAt
	endedAt   *event.Site
	frames    uint64 // frames made so far, for identities

	instrs, lanes uint64 // warp and lane instructions run
}

// whole is the mask of all lanes.
const whole = ^uint32(0)

// groupState says whether a group can run.
type groupState uint8

const (
	ready       groupState = iota
	atBarrier              // waits for other warps
	atSync                 // waits for other lanes of the warp
	atRegisters            // waits for registers that another warp gives away
	atProducts             // waits until the other warps of its warpgroup have come to its products
)

// group is lanes at one instruction of one frame.
type group struct {
	mask    uint32
	state   groupState
	polled  bool
	barrier uint8 // id, for atBarrier
	at      *bblock
	fr      *frame
	ran     uint64 // warp.instrs when it last stopped running
}

// turn runs the warp until its fuel is used up or no group can run.
func (w *warp) turn(fuel int) {
	w.fuel, w.spinning, w.begun = fuel, false, w.instrs
	switch {
	case len(w.groups) < 2:
	case w.wk.order == Random:
		w.pickAny()
	case w.wk.launch.Interleave:
		w.yield()
	}
	if w.pick() {
		w.loop()
	}
}

// loop runs the warp's groups until its turn is over. It may begin with the end of a block.
func (w *warp) loop() {
	for {
		b := w.at
		w.Exec = w.mask
		switch {
		case w.wk.engine != nil:
			if b = w.wk.engine.run(w); b == nil { // the turn is over, and another warp's has begun
				return
			}
		case w.wk.obs != nil:
			w.watched(b.code)
		case w.fr.lanes == w.mask:
			w.full(b.code)
		default:
			w.part(b.code)
		}
		w.count(b)
		switch b.end {
		case code.EndFall:
			w.at = b.next
		case code.EndJump:
			if w.wk.obs != nil {
				w.sendStepMask(b.site)
			}
			w.at = b.target
		case code.EndBranch:
			w.branch(b)
		case code.EndOp:
			if b.barrier != nil {
				if done, goesOn := b.barrier.arriveWhole(w, b.op); goesOn {
					continue
				} else if done {
					return
				}
			}
			b.op.run(w, b.op)
			if !w.next() {
				return
			}
			continue
		}
		if (w.fuel <= 0 || len(w.groups) > 1) && !w.next() {
			return
		}
	}
}

// branch sends the lanes of a conditional branch on their ways.
func (w *warp) branch(b *bblock) {
	taken := w.mask & (*predicate(w, b.pred) ^ b.neg)
	if w.wk.obs != nil {
		w.sendBranch(b.site, taken, 0, !b.around)
	}
	switch taken {
	case w.mask:
		w.at = b.target
	case 0:
		w.at = b.next
	default:
		w.split(taken, b.target)
		w.at = b.next
	}
}

// split makes a new ready group of some lanes of the running group.
func (w *warp) split(lanes uint32, at *bblock) {
	w.mask &^= lanes
	w.groups = append(w.groups, group{mask: lanes, at: at, fr: w.fr, ran: w.instrs})
}

// wait makes the running group wait at its instruction.
func (w *warp) wait(s groupState) { w.groups[w.cur].state = s }

// exit ends lanes of the running group.
func (w *warp) exit(lanes uint32) {
	w.mask &^= lanes
	w.live &^= lanes
	w.progress = true
	w.leave(w.fr, lanes, nil)
	for i := range w.groups { // groups that wait for lanes need not wait for these any more
		if w.groups[i].state == atSync {
			w.groups[i].state = ready
		}
	}
	w.wakeForProducts()
	w.cta.exited(popcount(lanes))
}

// start puts the warp at the first instruction of the kernel.
func (w *warp) start(fn *function) {
	w.live, w.Carry, w.owed = w.exist, 0, 0
	w.agent.forget()
	w.products, w.committed = 0, [mostLeft + 1]uint64{}
	w.tested, w.endedAt = nil, nil
	w.frames = 0
	w.polls, w.sticky, w.sliceEnd = 0, false, 0
	w.groups = append(w.groups[:0], group{mask: w.exist, at: fn.blocks[0], fr: w.enter(nil, fn, nil, w.exist)})
	w.cur = 0
}

// runnable says whether a turn would run anything.
func (w *warp) runnable() bool {
	for i := range w.groups {
		if w.groups[i].state == ready {
			return true
		}
	}
	return false
}

// firstLane is the lowest lane of a mask that is not empty.
func firstLane(m uint32) int { return bits.TrailingZeros32(m) & 31 }

// endAt ends lanes and remembers where, for reports.
func (w *warp) endAt(site *event.Site, lanes uint32) {
	if w.wk.obs != nil {
		w.sendExit(site, lanes)
	}
	w.noteEnd(site, lanes)
	w.exit(lanes)
}

func (w *warp) noteEnd(site *event.Site, lanes uint32) {
	if lanes == whole {
		w.endedAt = site
		return
	}
	for i := range w.ended {
		if lanes>>i&1 != 0 {
			w.ended[i] = site
		}
	}
}

// endOf is where a lane exited.
func (w *warp) endOf(lane int) *event.Site {
	if w.endedAt != nil {
		return w.endedAt
	}
	return w.ended[lane]
}
