// Package picture draws up what an execution of a kernel looks like, from its events: the data of
// the tour's pictures, which a page draws. Nothing here is measured in seconds.
//
//	warps     a Recorder's Warps: each warp's instructions over time, with the lanes that run them
//	accesses  a Recorder's Accesses: the addresses of each warp instruction that accesses memory
//	grid      a Recorder's Grid: the blocks in the multiprocessors of a small GPU
//	race      Race: two accesses that nothing orders, in two orders
//	tree      a Recorder's Tree, which flows makes: which thread's value was added to which
//	pipeline  a Recorder's Pipeline: copies and products under way, and the waits for them
//
// The clock of the pictures is logical. Each warp has its own, which counts its instructions. A warp
// that waits at a barrier or an mbarrier waits until the last one has come. This is how a block would run if each
// warp had its own scheduler and each instruction took as long as any other.
package picture

import (
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The bounds of what a Recorder keeps. It counts what it drops.
const (
	MaxSpans    = 20_000
	MaxAccesses = 4_000
	MaxWarps    = 256
	// maxAccessesOfSite bounds the accesses of one instruction, so that a loop does not take the room
	// of all others.
	maxAccessesOfSite = 96
)

// Pictures has the data of the pictures of a launch.
type Pictures struct {
	Warps    []Warp   `json:"warps"`
	Meets    []Meet   `json:"meets"`
	Accesses []Access `json:"accesses"`
	Grid     *Grid    `json:"grid"`
	// Tree and Pipeline are nil if nothing was combined, or if there were no products and no copies.
	Tree     *Tree     `json:"tree,omitempty"`
	Pipeline *Pipeline `json:"pipeline,omitempty"`
	Length   int       `json:"length"` // the latest clock of a warp
	Dropped  Dropped   `json:"dropped"`
	Shared   []Shared  `json:"shared"` // the arrays in shared memory
	Buffers  []Buffer  `json:"buffers"`
}

// Dropped counts what the bounds left out.
type Dropped struct {
	Instructions int `json:"instructions"`
	Accesses     int `json:"accesses"`
	Warps        int `json:"warps"`
}

// Warp is a warp's instructions.
type Warp struct {
	Block   int    `json:"block"` // the linear index
	Index   int    `json:"index"` // in the block
	Threads int    `json:"threads"`
	Spans   []Span `json:"spans"`
}

// Span is instructions of a warp that follow each other, of one source line, by the same lanes.
type Span struct {
	At    int    `json:"at"` // the clock before the first
	Count int    `json:"n"`  // how many
	Line  int    `json:"line"`
	Lanes uint32 `json:"lanes"`
	Waits bool   `json:"waits,omitempty"` // it waits at a barrier, and runs nothing
}

// Meet is a barrier of a block that is complete.
type Meet struct {
	Block int `json:"block"`
	At    int `json:"at"`
	Line  int `json:"line"`
}

// Shared is an array in shared memory, by its place in a block's shared memory.
type Shared struct {
	Name string `json:"name"`
	At   int    `json:"at"`
	Size int    `json:"size"`
}

// Buffer is a buffer of global memory that a parameter points to.
type Buffer struct {
	Name string `json:"name"`
	Addr uint64 `json:"-"`
	Size uint64 `json:"size"`
	Elem int    `json:"elem"` // bytes of an element
}

// Lines tells the line of the learner's text for an instruction; 0 if it has none there.
type Lines func(s *event.Site) int

// Recorder observes a launch, which must send its steps. It is not for use from several goroutines.
type Recorder struct {
	lines    Lines
	pictures Pictures
	warps    map[key]*clock
	sites    map[*event.Site]int
	spans    int
	blocks   int // of the grid
	resident int // blocks of a multiprocessor
	flows    *flows
	pipeline *pipeline
}

type key struct{ block, warp int }

type clock struct {
	now  int
	warp int // in pictures.Warps; -1 if it is dropped
}

// New makes a Recorder of a launch of e, whose pointers point to buffers.
func New(e *event.Kernel, buffers []Buffer, lines Lines) *Recorder {
	r := &Recorder{
		lines: lines, warps: map[key]*clock{}, sites: map[*event.Site]int{}, flows: newFlows(e, lines), pipeline: newPipeline(lines),
	}
	r.pictures = Pictures{Warps: []Warp{}, Meets: []Meet{}, Accesses: []Access{}, Shared: []Shared{}, Buffers: buffers}
	for _, v := range e.Shared {
		r.pictures.Shared = append(r.pictures.Shared, Shared{v.Name, v.Offset, v.Size})
	}
	return r
}

// Pictures returns what it has seen.
func (r *Recorder) Pictures() *Pictures {
	for _, c := range r.warps {
		r.pictures.Length = max(r.pictures.Length, c.now)
	}
	r.pictures.Grid = r.grid()
	r.pictures.Tree, r.pictures.Pipeline = r.flows.tree.pruned(), r.pipeline.pipeline(r.pictures.Length)
	return &r.pictures
}

// Observe implements event.Observer.
func (r *Recorder) Observe(e event.Event) {
	switch e := e.(type) {
	case *event.BlockStart:
		r.blocks, r.resident = max(r.blocks, e.Block.Linear+1), resident(e.Block)
	case *event.Step:
		at := r.clockOf(e.Block, e.Index).now
		r.flows.step(e, at)
		r.pipeline.step(&e.Warp, at)
		r.step(&e.Warp)
	case *event.BarrierComplete:
		r.meet(e)
	case *event.Access:
		r.flows.access(e)
		if e.Agent != nil {
			r.pipeline.access(e, r.now(&e.Warp))
		}
		r.access(&e.Warp, string(e.Kind), e.Space, e.Addrs, e.Size)
	case *event.Atomic:
		r.atomic(e)
	case *event.WarpSync:
		r.flows.exchange(e, r.now(&e.Warp))
	case *event.AgentOp:
		r.pipeline.told(e, r.now(&e.Warp)+1)
	}
}

// now is the clock of the instruction that a warp has begun last.
func (r *Recorder) now(w *event.Warp) int { return max(r.clockOf(w.Block, w.Index).now-1, 0) }

// atomic notes an atomic. A warp that has waited for an mbarrier goes on when the last one has arrived.
func (r *Recorder) atomic(e *event.Atomic) {
	r.flows.atomic(e, r.now(&e.Warp))
	switch {
	case !strings.HasPrefix(e.Op, "mbarrier"):
	case e.Agent != nil:
		r.pipeline.arrived(e)
	default:
		c := r.clockOf(e.Block, e.Index)
		if at := r.pipeline.signal(e, c.now); at > c.now {
			line := r.lines(e.Site)
			r.add(c, Span{At: c.now, Count: at - c.now, Line: line, Lanes: e.Mask, Waits: true})
			r.pipeline.run(&e.Warp, Work{At: c.now, Count: at - c.now, Line: line, Kind: "wait"})
			c.now = at
		}
	}
	r.access(&e.Warp, string(event.AtomicRMW), e.Space, e.Addrs, e.Size)
}

// clockOf finds the clock of a warp.
func (r *Recorder) clockOf(b *event.Block, index int) *clock {
	k := key{b.Linear, index}
	c := r.warps[k]
	if c == nil {
		c = &clock{warp: -1}
		if len(r.pictures.Warps) < MaxWarps {
			c.warp = len(r.pictures.Warps)
			threads := min(abi.WarpSize, b.Threads()-index*abi.WarpSize)
			r.pictures.Warps = append(r.pictures.Warps, Warp{Block: b.Linear, Index: index, Threads: threads})
		} else {
			r.pictures.Dropped.Warps++
		}
		r.warps[k] = c
	}
	return c
}

// step adds an instruction to the last span of its warp, or begins one.
func (r *Recorder) step(w *event.Warp) {
	c := r.clockOf(w.Block, w.Index)
	r.add(c, Span{At: c.now, Count: 1, Line: r.lines(w.Site), Lanes: w.Mask})
	c.now++
}

func (r *Recorder) add(c *clock, s Span) {
	if c.warp < 0 {
		r.pictures.Dropped.Instructions += s.Count
		return
	}
	w := &r.pictures.Warps[c.warp]
	if n := len(w.Spans); n > 0 {
		last := &w.Spans[n-1]
		if last.At+last.Count == s.At && last.Line == s.Line && last.Lanes == s.Lanes && last.Waits == s.Waits {
			last.Count += s.Count
			return
		}
	}
	if r.spans == MaxSpans {
		r.pictures.Dropped.Instructions += s.Count
		return
	}
	r.spans++
	w.Spans = append(w.Spans, s)
}

// meet sets the clocks of the warps that have met at a barrier to the latest of them.
func (r *Recorder) meet(e *event.BarrierComplete) {
	at, line := 0, 0
	for i, lanes := range e.Arrived {
		if lanes != 0 {
			at = max(at, r.clockOf(e.Block, i).now)
		}
	}
	if len(e.Sites) > 0 {
		line = r.lines(e.Sites[0])
	}
	for i, lanes := range e.Arrived {
		if lanes == 0 {
			continue
		}
		if c := r.clockOf(e.Block, i); c.now < at {
			r.add(c, Span{At: c.now, Count: at - c.now, Line: line, Lanes: lanes, Waits: true})
			r.pipeline.run(&event.Warp{Block: e.Block, Index: i}, Work{At: c.now, Count: at - c.now, Line: line, Kind: "wait"})
			c.now = at
		}
	}
	if len(r.pictures.Meets) < MaxSpans {
		r.pictures.Meets = append(r.pictures.Meets, Meet{e.Block.Linear, at, line})
	}
}

// access notes an access to global or shared memory.
func (r *Recorder) access(w *event.Warp, kind string, space ptx.Space, addrs *[abi.WarpSize]uint64, size int) {
	if space != ptx.GlobalSpace && space != ptx.SharedSpace || w.Site == nil {
		return
	}
	if len(r.pictures.Accesses) == MaxAccesses || r.sites[w.Site] == maxAccessesOfSite {
		r.pictures.Dropped.Accesses++
		return
	}
	r.sites[w.Site]++
	a := Access{
		At: max(r.clockOf(w.Block, w.Index).now-1, 0), Block: w.Block.Linear, Warp: w.Index, Line: r.lines(w.Site),
		Kind: kind, Size: size, Lanes: w.Mask,
	}
	if space == ptx.GlobalSpace {
		a.global(addrs, r.pictures.Buffers)
	} else {
		a.shared(addrs)
	}
	r.pictures.Accesses = append(r.pictures.Accesses, a)
}
