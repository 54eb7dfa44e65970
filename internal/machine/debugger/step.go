package debugger

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// unit is the threads that take a step.
type unit int

const (
	laneUnit unit = iota
	warpUnit
	blockUnit
	anyUnit // whichever warp runs next
)

var unitNames = map[string]unit{"lane": laneUnit, "warp": warpUnit, "block": blockUnit, "any": anyUnit}

// takes are the lanes of an event that are of the unit.
func (u unit) takes(f Focus, w *event.Warp) uint32 {
	switch {
	case u == anyUnit:
		return w.Mask
	case w.Block.Linear != f.Block:
		return 0
	case u == blockUnit:
		return w.Mask
	case w.Index != f.Warp:
		return 0
	case u == warpUnit:
		return w.Mask
	}
	return w.Mask & (1 << f.Lane)
}

// stride is how far a step goes.
type stride struct {
	unit
	instruction bool // to the next instruction, and else to the next one of another line
	back        bool
	level       Level
}

// Level says which calls a step ends in: inlined calls count as others.
type Level int

// The levels.
const (
	Into Level = iota // any
	Over              // the call of the thread, or one around it
	Out               // one around it
)

// outside is a test for instructions that are not of a level, for the thread in focus.
func (s *Session) outside(l Level) func(w *event.Warp) bool {
	_, g, ok := s.group()
	if l == Into || !ok || g.Site == nil {
		return func(*event.Warp) bool { return false }
	}
	depth := len(g.Site.Stack)
	if l == Out {
		depth--
	}
	return func(w *event.Warp) bool {
		switch i := slices.IndexFunc(g.Frames, func(f sim.FrameView) bool { return f.ID == w.Frame }); {
		case i < 0:
			return true // a call from here
		case i > 0:
			return false
		}
		return len(w.Site.Stack) > depth
	}
}

// step lets a unit take one step, back or forth. It ends also when the unit's threads have ended, and at
// a breakpoint for them in a call that is stepped over.
func (s *Session) step(ctx context.Context, how stride) error {
	u, back, from, outside := how.unit, how.back, s.where(), s.outside(how.level)
	var to arrival
	now := s.line.Now()
	wanted := func(at timeline.Time) bool { return at > now != back && at != now }
	left := s.alive(u)
	watch := func(at timeline.Time, e event.Event) timeline.Hit {
		switch e := e.(type) {
		case *event.Step:
			lanes := u.takes(s.focus, &e.Warp)
			if lanes == 0 || !how.instruction && !s.otherLine(from, e.Site) {
				return timeline.Miss
			}
			stop := arrival{"", AtStep, 0, Focus{e.Block.Linear, e.Index, s.lane(u, lanes)}, true}
			if outside(&e.Warp) {
				if stop = s.breakpoint(e, lanes); !stop.found || back {
					return timeline.Miss
				}
			}
			if wanted(at) {
				to = stop
			}
			return timeline.At
		case *event.Exit:
			lanes := u.takes(s.focus, &e.Warp)
			if lanes == 0 || u == anyUnit || back || at < now {
				return timeline.Miss
			}
			if left -= bits.OnesCount32(lanes); left <= 0 {
				to = arrival{why: "the threads have ended", reason: AtStep}
				return timeline.After
			}
		}
		return timeline.Miss
	}
	if back {
		found, err := s.line.Backward(ctx, watch)
		if err == nil && !found {
			return fmt.Errorf("nothing before this")
		}
		return s.arrived(to, err)
	}
	keep := s.focus
	_, err := s.line.Forward(ctx, watch)
	err = s.arrived(to, err)
	if !to.found && s.line.Next().Block != nil {
		s.focus = keep
	}
	return err
}

// lane is the lane that stays in view, if it is among lanes.
func (s *Session) lane(u unit, lanes uint32) int {
	if u <= warpUnit && lanes>>s.focus.Lane&1 != 0 {
		return s.focus.Lane
	}
	return firstLane(lanes)
}

// otherLine reports whether an instruction begins another line than from.
func (s *Session) otherLine(from *event.Site, at *event.Site) bool {
	if placeOf(at).file == "" {
		return true
	}
	return s.code.starts(at) && placeOf(at) != placeOf(from)
}

// alive is how many threads of a unit have not ended.
func (s *Session) alive(u unit) (n int) {
	for _, b := range s.line.Blocks() {
		if b.Linear != s.focus.Block {
			continue
		}
		for i := range b.Warps {
			w := &b.Warps[i]
			switch {
			case u == blockUnit:
				n += bits.OnesCount32(w.Live)
			case w.Index != s.focus.Warp:
			case u == warpUnit:
				n += bits.OnesCount32(w.Live)
			default:
				n += int(w.Live >> s.focus.Lane & 1)
			}
		}
	}
	return n
}

// group is the lanes that the thread in focus is among; ok is false if it has not started or has ended.
func (s *Session) group() (b sim.BlockView, g sim.GroupView, ok bool) {
	for _, b := range s.line.Blocks() {
		if b.Linear != s.focus.Block || s.focus.Warp >= len(b.Warps) {
			continue
		}
		for _, g := range b.Warps[s.focus.Warp].Groups {
			if g.Mask>>s.focus.Lane&1 != 0 {
				return b, s.exact(g), true
			}
		}
		return b, sim.GroupView{}, false
	}
	return sim.BlockView{}, sim.GroupView{}, false
}

// exact is a group with the instruction that it runs next. The running group may be at any instruction
// of its basic block.
func (s *Session) exact(g sim.GroupView) sim.GroupView {
	if next := s.line.Next(); g.Running && next.Site != nil {
		g.Site = next.Site
	}
	return g
}

// where is the instruction at which the thread in focus is; nil if it has not started or has ended.
func (s *Session) where() *event.Site {
	if _, g, ok := s.group(); ok {
		return g.Site
	}
	return nil
}

func firstLane(m uint32) int { return bits.TrailingZeros32(m) & 31 }
