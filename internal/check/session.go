package check

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/counters"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// session is one run of a launch in one order: the observer that hands events to the tools.
type session struct {
	o     *Options
	entry *sim.Entry
	l     *sim.Launch
	order int
	book  *book

	*siteTable
	blocks  map[*sim.Block]*blockState
	spare   []*blockState
	ended   int
	extents []sim.Extent

	race *racecheck
	init *initcheck
	sync *synccheck

	counter *counters.Counter // nil unless the run is counted as well

	events uint64
	tick   func()
}

// blockState is what the tools know of a block in flight.
type blockState struct {
	*sim.Block
	linear int32
	warps  []warpState
	race   raceBlock
	init   initBlock
	sync   syncBlock
}

// warpState is what the tools know of a warp of a block in flight.
type warpState struct {
	exited uint32 // lanes that have ended

	race raceWarp
	init initWarp
	sync syncWarp
}

// siteTable numbers instructions, for all runs of a launch.
type siteTable struct {
	sites  map[*sim.Site]int32
	siteAt []*sim.Site // by number; 0 is none
}

// site gives an instruction its number.
func (s *siteTable) site(at *sim.Site) int32 {
	id, ok := s.sites[at]
	if !ok {
		id = int32(len(s.siteAt))
		s.sites[at] = id
		s.siteAt = append(s.siteAt, at)
	}
	return id
}

// Observe implements sim.Observer.
func (s *session) Observe(e sim.Event) {
	if s.events++; s.events&(1<<16-1) == 0 && s.tick != nil {
		s.tick()
	}
	switch e := e.(type) {
	case *sim.Access:
		s.access(e)
	case *sim.Step:
		s.step(e)
	case *sim.Branch:
		s.branch(e)
	case *sim.Atomic:
		s.atomic(e)
	case *sim.BarrierArrive:
		s.arrive(e)
	case *sim.BarrierComplete:
		s.complete(e)
	case *sim.WarpSync:
		s.warpSync(e)
	case *sim.Fence:
		if s.race != nil {
			s.race.fence(s.state(&e.Warp), e)
		}
	case *sim.Exit:
		st := s.state(&e.Warp)
		st.warps[e.Index].exited |= e.Mask
		if s.sync != nil {
			s.sync.exit(st, e)
		}
	case *sim.BlockStart:
		s.start(e.Block)
	case *sim.BlockEnd:
		s.end(e.Block)
	case *sim.Fault:
		s.fault(e)
	case *sim.Stuck:
		s.stuck(e)
	}
}

// finish puts down what was found in the run.
func (s *session) finish() {
	if s.init != nil {
		s.init.finish()
	}
	s.book.finish()
}

func (s *session) state(w *sim.Warp) *blockState { return s.blocks[w.Block] }

func (s *session) start(b *sim.Block) {
	var st *blockState
	if n := len(s.spare); n > 0 {
		st, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		st = &blockState{warps: make([]warpState, (b.Threads()+sim.WarpSize-1)/sim.WarpSize)}
	}
	st.Block, st.linear = b, int32(b.Linear)
	s.blocks[b] = st
	for i := range st.warps {
		st.warps[i].exited = 0
	}
	if s.race != nil {
		s.race.start(st)
	}
	if s.init != nil {
		s.init.start(st)
	}
	if s.sync != nil {
		s.sync.start(st)
	}
}

func (s *session) end(b *sim.Block) {
	if st := s.blocks[b]; st != nil {
		delete(s.blocks, b)
		s.spare = append(s.spare, st)
		s.ended++
	}
}

// accessible drops the lanes whose access was a fault.
func (s *session) accessible(w *sim.Warp, space ptx.Space, addrs *[sim.WarpSize]uint64, size int) uint32 {
	if space == ptx.SharedSpace {
		limit := uint64(w.Block.Shared)
		mask := w.Mask
		for m := w.Mask; m != 0; m &= m - 1 {
			if a := addrs[laneOf(m)]; a >= limit || limit-a < uint64(size) || a&uint64(size-1) != 0 {
				mask &^= m & -m
			}
		}
		return mask
	}
	mask := w.Mask
	var x *sim.Extent
	for m := w.Mask; m != 0; m &= m - 1 {
		a := addrs[laneOf(m)]
		if x == nil || a-x.Addr >= uint64(x.Size) {
			x = s.extent(a)
		}
		if x == nil || uint64(x.Size)-(a-x.Addr) < uint64(size) || a&uint64(size-1) != 0 {
			mask &^= m & -m
		}
	}
	return mask
}

// extent finds the allocation that holds an address.
func (s *session) extent(addr uint64) *sim.Extent {
	lo, hi := 0, len(s.extents)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.extents[mid].Addr <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	if x := &s.extents[lo-1]; addr-x.Addr < uint64(x.Size) {
		return x
	}
	return nil
}

func (s *session) access(e *sim.Access) {
	if e.Space != ptx.SharedSpace && e.Space != ptx.GlobalSpace {
		if s.init != nil && e.Space == ptx.LocalSpace {
			s.init.local(s.state(&e.Warp), e)
		}
		return
	}
	lanes := s.accessible(&e.Warp, e.Space, e.Addrs, e.Size)
	st := s.state(&e.Warp)
	s.book.saw(report.Memcheck, bits.OnesCount32(e.Mask))
	if s.race != nil {
		s.book.saw(report.Racecheck, bits.OnesCount32(lanes))
		s.race.access(st, e, lanes)
	}
	if s.init != nil {
		s.book.saw(report.Initcheck, bits.OnesCount32(lanes))
		s.init.access(st, e, lanes)
	}
	if s.sync != nil {
		st.warps[e.Index].sync.active |= e.Mask
	}
}

func (s *session) atomic(e *sim.Atomic) {
	if e.Space != ptx.SharedSpace && e.Space != ptx.GlobalSpace {
		return
	}
	lanes := s.accessible(&e.Warp, e.Space, e.Addrs, e.Size)
	st := s.state(&e.Warp)
	s.book.saw(report.Memcheck, bits.OnesCount32(e.Mask))
	if s.race != nil {
		s.book.saw(report.Racecheck, bits.OnesCount32(lanes))
		s.race.atomic(st, e, lanes)
	}
	if s.init != nil {
		s.book.saw(report.Initcheck, bits.OnesCount32(lanes))
		s.init.atomic(st, e, lanes)
	}
	if s.sync != nil {
		st.warps[e.Index].sync.active |= e.Mask
	}
}

func (s *session) step(e *sim.Step) {
	if s.init != nil {
		s.init.step(s.state(&e.Warp), e)
	}
	if s.sync != nil && s.sync.jumps != nil && e.Site.Instr.Op == "bra" && e.Site.Instr.Guard == nil {
		s.sync.jumped(&s.state(&e.Warp).warps[e.Index].sync, e.Site, e.Mask)
	}
}

func (s *session) branch(e *sim.Branch) {
	st := s.state(&e.Warp)
	if s.sync != nil {
		s.sync.branch(st, e)
	}
	if s.race != nil {
		s.race.moved(&st.warps[e.Index].race, s.site(e.Site))
	}
}

func (s *session) arrive(e *sim.BarrierArrive) {
	st := s.state(&e.Warp)
	if s.race != nil {
		s.race.arrive(st, e)
	}
	if s.sync != nil {
		s.book.saw(report.Synccheck, 1)
		s.sync.arrive(st, e)
	}
}

func (s *session) complete(e *sim.BarrierComplete) {
	st := s.blocks[e.Block]
	if s.sync != nil {
		s.sync.complete(st, e)
	}
	if s.race != nil {
		s.race.complete(st, e)
	}
}

func (s *session) warpSync(e *sim.WarpSync) {
	st := s.state(&e.Warp)
	known := ^uint32(0) // lanes whose absence is somebody else's finding, or nobody's
	if s.sync != nil && e.Op != "activemask" {
		s.book.saw(report.Synccheck, 1)
		known = s.sync.warpSync(st, e)
	}
	if s.race != nil && e.Op == "bar" {
		s.race.warpSync(st, e)
	}
	if s.init != nil {
		s.init.warpSync(st, e, known)
	}
}

func laneOf(m uint32) int { return bits.TrailingZeros32(m) & 31 }
