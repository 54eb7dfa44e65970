package debugger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// Reason says why a session has stopped.
type Reason string

// The reasons. A session that was told to go to a time has none.
const (
	AtStart      Reason = "start"
	AtStep       Reason = "step"
	AtBreakpoint Reason = "breakpoint"
	AtAccess     Reason = "access" // a watchpoint
	AtFault      Reason = "fault"
	AtFinding    Reason = "finding"
	AtEnd        Reason = "end"
	Interrupted  Reason = "interrupted"
)

// Position is where a session is.
type Position struct {
	Time   timeline.Time
	Focus  Focus
	Reason Reason
	Text   string // more about the reason: a report for a finding
	Stop   int    // the number of the breakpoint or watchpoint, 0 for none
	Ended  bool   // the launch has
	Err    error  // why it has ended, if not well
}

// Position is where the session is, and why it has stopped there.
func (s *Session) Position() Position {
	p := Position{Time: s.line.Now(), Focus: s.focus, Reason: s.last.reason, Text: s.last.why, Stop: s.last.stop}
	if p.Ended, p.Err = s.line.Ended(); p.Ended && p.Reason != AtFinding {
		p.Reason = AtEnd
	}
	return p
}

// Goto goes to a time, or to the end of the launch if that is before it. If it is there already, it looks
// at a thread that runs next.
func (s *Session) Goto(ctx context.Context, at timeline.Time) error {
	if ended, _ := s.line.Ended(); s.line.Now() == at || ended && at > s.line.Now() {
		s.follow()
		return nil
	}
	err := s.line.Seek(ctx, at)
	s.follow()
	s.last = arrival{}
	return err
}

// Kept says how many moments the timeline keeps, in how many bytes, and how many it has dropped.
func (s *Session) Kept() (moments, bytes, dropped int) {
	moments, bytes, _, dropped = s.line.Kept()
	return moments, bytes, dropped
}

// Look puts a thread into focus.
func (s *Session) Look(f Focus) error {
	l := &s.launch.Launch
	blocks, threads := l.Grid[0]*l.Grid[1]*l.Grid[2], l.Block[0]*l.Block[1]*l.Block[2]
	if f.Block < 0 || f.Block >= blocks || f.Warp < 0 || f.Lane < 0 || f.Lane >= abi.WarpSize || f.Warp > (threads-1-f.Lane)/abi.WarpSize {
		return fmt.Errorf("there is no lane %d of warp %d of block %d", f.Lane, f.Warp, f.Block)
	}
	s.focus = f
	return nil
}

// Step lets the thread in focus take a step, to another line or to another instruction.
func (s *Session) Step(ctx context.Context, level Level, instruction, back bool) error {
	if ended, _ := s.line.Ended(); ended {
		if !back {
			return nil
		}
		return s.step(ctx, stride{anyUnit, instruction, back, Into})
	}
	return s.step(ctx, stride{laneUnit, instruction, back, level})
}

// Warps are a thread of each warp in flight: the one in focus, one that runs next, or else the first
// that has not ended. They are in the order of blocks.
func (s *Session) Warps() (list []Focus) {
	for _, b := range s.line.Blocks() {
		for i := range b.Warps {
			if w := &b.Warps[i]; w.Live != 0 {
				list = append(list, Focus{b.Linear, w.Index, s.laneOf(b.Linear, w)})
			}
		}
	}
	slices.SortFunc(list, func(a, b Focus) int { return cmp.Or(a.Block-b.Block, a.Warp-b.Warp) })
	return list
}

func (s *Session) laneOf(block int, w *sim.WarpView) int {
	if s.focus.Block == block && s.focus.Warp == w.Index && w.Live>>s.focus.Lane&1 != 0 {
		return s.focus.Lane
	}
	for _, g := range w.Groups {
		if g.Running {
			return firstLane(g.Mask)
		}
	}
	return firstLane(w.Live)
}

// Call is a call under way.
type Call struct {
	Name string
	File string // as PTX names it; "" if it is not known
	Line int
	PTX  int // the line of the PTX; 0 if it is not known
}

// Calls are the calls of the thread in focus, the innermost first: calls of functions that are inlined,
// and of functions in PTX. There are none if the thread has not started or has ended.
func (s *Session) Calls() (list []Call) {
	_, g, ok := s.group()
	if !ok || g.Site == nil {
		return nil
	}
	at := placeOf(g.Site)
	list = append(list, Call{g.Site.Func, at.file, at.line, ptxPlace(g.Site).line})
	for _, p := range g.Site.Stack {
		list[len(list)-1].Name = "inlined in " + g.Site.Func
		list = append(list, Call{g.Site.Func, p.File, p.Line, 0})
	}
	for _, f := range g.Frames[1:] {
		list = append(list, Call{Name: f.Func})
	}
	return list
}

// Files are the source files that instructions are of, as PTX names them.
func (s *Session) Files() []string { return slices.Clone(s.code.files) }

// Break adds a breakpoint at the first line from a line on that has instructions, of a file, or of the
// PTX where file is "". Lines before the file's first one with instructions have none. only are the
// threads to stop: "block 1 thread 5".
func (s *Session) Break(file string, line int, only string) (id, at int, err error) {
	p := place{file, line}
	if first := s.code.after(place{file, 0}); line < first {
		return 0, 0, fmt.Errorf("%v has no instruction of the kernel; the first line that has is %d", p, first)
	}
	if !s.code.lines[p] {
		if p.line = s.code.after(p); p.line == 0 {
			return 0, 0, s.code.missing(place{file, line})
		}
	}
	b := &stop{at: p, only: everybody, text: strings.TrimSpace(fmt.Sprintf("break at %v %s", p, only))}
	if err := s.filter(&b.only, strings.Fields(only)); err != nil {
		return 0, 0, err
	}
	s.addStop(b)
	return b.id, p.line, nil
}
