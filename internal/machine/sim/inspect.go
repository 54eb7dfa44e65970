package sim

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// BlockView is a block in flight of a Replay, where its observer has left it. It and what it refers to
// are valid until the next Run or Return.
type BlockView struct {
	*event.Block
	Warps []WarpView
}

// WarpView is a warp of such a block.
type WarpView struct {
	Index  int
	Exist  uint32 // the lanes that have a thread
	Live   uint32 // those that have not ended
	Groups []GroupView
	Ended  [abi.WarpSize]*event.Site // where lanes ended
	Flight []FlightView
}

// GroupView is lanes of a warp that are at one instruction and do the same.
type GroupView struct {
	Mask   uint32
	State  event.WaitState // Running, or what they wait for
	Detail string          // of those that wait: for whom
	// Site is the instruction that they run next, or wait at. It is the first of its basic block for
	// the lanes whose turn is interrupted.
	Site    *event.Site
	Running bool // it is the group's turn
	Frames  []FrameView
}

// FrameView is a call under way. The innermost is the first of a GroupView's.
type FrameView struct {
	Func string
	ID   uint64 // as in event.Warp
	w    *warp
	f    *frame
}

// FlightView is work of a warp's agent that is not visible yet, as a copy.
type FlightView struct {
	Site   *event.Site
	Lanes  uint32 // for which it is not visible
	Engine event.Engine
	Number uint64 // as in event.Agent
}

// Blocks returns the blocks in flight.
func (p *Replay) Blocks() []BlockView {
	var list []BlockView
	for _, c := range p.r.workers[0].ctas {
		b := BlockView{Block: &c.Block}
		for _, w := range c.warps {
			b.Warps = append(b.Warps, w.view())
		}
		list = append(list, b)
	}
	return list
}

func (w *warp) view() WarpView {
	v := WarpView{Index: w.index, Exist: w.exist, Live: w.live, Ended: w.ended}
	for i := range w.groups {
		g := w.groups[i]
		running := w.wk.running == w && i == w.cur
		if running { // groups has the state when it last stopped
			g.mask, g.at, g.fr = w.mask, w.at, w.fr
		}
		v.add(w, &g, running)
	}
	for _, e := range w.agent.queue {
		v.Flight = append(v.Flight, FlightView{Site: e.in.site, Lanes: e.lanes, Engine: e.engine, Number: e.number})
	}
	return v
}

// add adds a group, and apart from it its lanes that test mbarriers in vain.
func (v *WarpView) add(w *warp, g *group, running bool) {
	if g.mask == 0 {
		return
	}
	one := GroupView{Mask: g.mask, Site: g.at.firstSite(), Running: running}
	one.State, one.Detail = w.stateOf(g)
	for f := g.fr; f != nil; f = f.parent {
		one.Frames = append(one.Frames, FrameView{Func: f.fn.name, ID: f.id, w: w, f: f})
	}
	for m := g.mask; m != 0 && g.state == ready; m &= m - 1 {
		if t := w.waitsFor(firstLane(m)); t != nil {
			tests := one
			tests.Mask, tests.State, tests.Detail = m&-m, event.AtMbarrier, t.detail()
			v.Groups = append(v.Groups, tests)
			one.Mask &^= m & -m
		}
	}
	if one.Mask != 0 {
		v.Groups = append(v.Groups, one)
	}
}

// Register returns what a register of the frame, by its number in the function, holds in a lane, and
// how many bits it has: 1, 32, 64 or 128. ok is false for a register that no instruction names.
func (v *FrameView) Register(number, lane int) (low, high uint64, bits int, ok bool) {
	s, ok := v.f.fn.slots[number]
	switch {
	case !ok:
		return 0, 0, 0, false
	case s.Bits == 128:
		return v.f.get(s.Half(0), lane), v.f.get(s.Half(1), lane), s.Bits, true
	}
	return v.f.get(s, lane), 0, s.Bits, true
}

// Registers are the numbers of the registers that the function's instructions name, sorted.
func (v *FrameView) Registers() []int { return slices.Sorted(maps.Keys(v.f.fn.slots)) }

// Local is the local memory of a lane that the frame and those around it have.
func (v *FrameView) Local(lane int) []byte {
	n := v.f.stack + v.f.fn.frame.size
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.w.local.lane(lane&31)), n)
}
