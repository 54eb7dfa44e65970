package tool

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Run is one run of a launch in one order: the observer that hands events to the tools.
type Run struct {
	*Book
	Order int
	// Ended is how many blocks have ended.
	Ended int
	// Tick is called now and then.
	Tick func()

	tools  []Tool
	on     Events
	blocks map[*event.Block]*Block
	spare  []*Block
	slots  int
	events uint64
	last   *Block        // the block that block found last
	extent memory.Extent // the allocation that holds found last
}

// Block is a block in flight.
type Block struct {
	*event.Block
	// Slot tells blocks in flight apart. It is small, so that tools can index a slice with it. When
	// the block has ended, another block gets its slot.
	Slot int
	// Exited are the lanes of each warp that have ended.
	Exited []uint32
}

// Warps is the number of warps of the block.
func (b *Block) Warps() int { return len(b.Exited) }

// Existing are the lanes of a warp that have a thread.
func (b *Block) Existing(warp int) uint32 {
	if n := b.Threads() - warp*abi.WarpSize; n < abi.WarpSize {
		return 1<<n - 1
	}
	return ^uint32(0)
}

// NewRun makes a run without tools. The tools will add their findings to the book.
func NewRun(b *Book, order int) *Run {
	return &Run{Book: b, Order: order, blocks: map[*event.Block]*Block{}}
}

// Use makes tools watch the run.
func (r *Run) Use(tools ...Tool) {
	for _, t := range tools {
		r.tools = append(r.tools, t)
		t.Watch(&r.on)
	}
}

// Watch adds what is done at events, by something that is no tool.
func (r *Run) Watch(add func(on *Events)) { add(&r.on) }

// Steps says whether the tools need to see every instruction, and if so while what, nil for always.
func (r *Run) Steps() (need bool, while *bool) {
	if len(r.on.Step) == 1 {
		while = r.on.StepWhile[0]
	}
	return len(r.on.Step) > 0, while
}

// ProductSteps says whether the tools need to see every instruction that has to do with products.
func (r *Run) ProductSteps() bool { return len(r.on.Product) > 0 }

// Observe implements event.Observer.
func (r *Run) Observe(e event.Event) {
	if r.events++; r.events&(1<<16-1) == 0 && r.Tick != nil {
		r.Tick()
	}
	switch e := e.(type) {
	case *event.Access:
		r.access(e)
	case *event.Step:
		tell(r.on.Product, r.block(e.Block), e)
		tell(r.on.Step, r.block(e.Block), e)
	case *event.Skip:
		tell(r.on.Skip, r.block(e.Block), e)
	case *event.Branch:
		tell(r.on.Branch, r.block(e.Block), e)
	case *event.Call:
		tell(r.on.Call, r.block(e.Block), e)
	case *event.Return:
		tell(r.on.Return, r.block(e.Block), e)
	case *event.Atomic:
		r.atomic(e)
	case *event.BarrierArrive:
		tell(r.on.Arrive, r.block(e.Block), e)
	case *event.BarrierComplete:
		tell(r.on.Complete, r.block(e.Block), e)
	case *event.ClusterPass:
		tell(r.on.Pass, r.block(e.Block), e)
	case *event.ClusterComplete:
		var blocks []*Block
		for _, b := range e.Blocks {
			blocks = append(blocks, r.blocks[b])
		}
		for _, f := range r.on.Cluster {
			f(blocks)
		}
	case *event.GridComplete:
		for _, f := range r.on.Grid {
			f()
		}
	case *event.WarpSync:
		tell(r.on.WarpSync, r.block(e.Block), e)
	case *event.Malloc:
		r.allocated(e)
		tell(r.on.Malloc, r.block(e.Block), e)
	case *event.ProxyFence:
		tell(r.on.Proxy, r.block(e.Block), e)
	case *event.Fence:
		tell(r.on.Fence, r.block(e.Block), e)
	case *event.AgentOp:
		tell(r.on.AgentOp, r.block(e.Block), e)
	case *event.Exit:
		b := r.block(e.Block)
		b.Exited[e.Index] |= e.Mask
		tell(r.on.Exit, b, e)
	case *event.BlockStart:
		r.start(e.Block)
	case *event.BlockEnd:
		r.end(e.Block)
	case *event.Fault:
		for _, f := range r.on.Fault {
			f(e)
		}
	case *event.Stuck:
		r.Stuck(e)
	}
}

// InFlight is a block that has not ended.
func (r *Run) InFlight(b *event.Block) *Block { return r.blocks[b] }

// block is InFlight, for the block of an event: often the same block as before.
func (r *Run) block(at *event.Block) *Block {
	if r.last == nil || r.last.Block != at {
		r.last = r.blocks[at]
	}
	return r.last
}

// tell tells the tools of an event.
func tell[E any](tools []func(*Block, E), b *Block, e E) {
	for _, f := range tools {
		f(b, e)
	}
}

// Stuck tells the tools of threads that wait for each other, or that run for ever.
func (r *Run) Stuck(e *event.Stuck) {
	for _, f := range r.on.Stuck {
		f(e)
	}
}

func (r *Run) start(at *event.Block) {
	var b *Block
	if n := len(r.spare); n > 0 {
		b, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		b = &Block{Slot: r.slots, Exited: make([]uint32, (at.Threads()+abi.WarpSize-1)/abi.WarpSize)}
		r.slots++
	}
	b.Block = at
	clear(b.Exited)
	r.blocks[at], r.last = b, nil
	for _, f := range r.on.Start {
		f(b)
	}
}

func (r *Run) end(at *event.Block) {
	if b := r.blocks[at]; b != nil {
		delete(r.blocks, at)
		r.last = nil
		r.spare = append(r.spare, b)
		r.Ended++
	}
}

func (r *Run) access(e *event.Access) {
	switch e.Space {
	case ptx.SharedSpace, ptx.GlobalSpace:
		b, lanes := r.block(e.Block), e.Mask
		if !r.holds(e) {
			lanes = r.accessible(&e.Warp, e.Space, e.Addrs, e.Size)
		}
		for _, f := range r.on.Access {
			f(b, e, lanes)
		}
	case ptx.LocalSpace:
		tell(r.on.Local, r.block(e.Block), e)
	}
}

func (r *Run) atomic(e *event.Atomic) {
	if e.Space != ptx.SharedSpace && e.Space != ptx.GlobalSpace {
		return
	}
	b, lanes := r.block(e.Block), r.accessible(&e.Warp, e.Space, e.Addrs, e.Size)
	for _, f := range r.on.Atomic {
		f(b, e, lanes)
	}
}

// holds reports whether the lanes of an access are rows, and memory has all of them.
func (r *Run) holds(e *event.Access) bool {
	for i := range e.Rows {
		from, size := e.Rows[i].Range(e.Addrs, e.Size)
		if e.Space == ptx.SharedSpace {
			if limit := uint64(e.Block.Shared); from >= limit || limit-from < size || from&uint64(e.Size-1) != 0 {
				return false
			}
			continue
		}
		if from-r.extent.Addr >= uint64(r.extent.Size) {
			x := r.Extent(from)
			if x == nil {
				return false
			}
			r.extent = *x
		}
		if uint64(r.extent.Size)-(from-r.extent.Addr) < size || from&uint64(e.Size-1) != 0 {
			return false
		}
	}
	return len(e.Rows) > 0
}

// accessible drops the lanes whose access was a fault.
func (r *Run) accessible(w *event.Warp, space ptx.Space, addrs *[abi.WarpSize]uint64, size int) uint32 {
	if space == ptx.SharedSpace {
		limit := uint64(w.Block.Shared)
		mask := w.Mask
		for m := w.Mask; m != 0; m &= m - 1 {
			if a := addrs[LaneOf(m)]; a >= limit || limit-a < uint64(size) || a&uint64(size-1) != 0 {
				mask &^= m & -m
			}
		}
		return mask
	}
	mask := w.Mask
	var x *memory.Extent
	for m := w.Mask; m != 0; m &= m - 1 {
		a := addrs[LaneOf(m)]
		if x == nil || a-x.Addr >= uint64(x.Size) {
			x = r.Extent(a)
		}
		if x == nil || uint64(x.Size)-(a-x.Addr) < uint64(size) || a&uint64(size-1) != 0 {
			mask &^= m & -m
		}
	}
	return mask
}

// Finish puts what the tools have found into the book, and says why some could not decide.
func (r *Run) Finish() (undecided []string) {
	for _, t := range r.tools {
		r.saw(t)
		if why := t.Finish(); why != "" {
			undecided = append(undecided, why)
		}
	}
	return undecided
}

// Found is how many findings there are so far.
func (r *Run) Found() int {
	n := len(r.findings)
	for _, t := range r.tools {
		n += t.Pending()
	}
	return n
}
