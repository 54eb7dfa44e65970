package debugger

import (
	"context"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// stop is a breakpoint or a watchpoint.
type stop struct {
	id    int
	text  string // as it was asked for
	at    place  // of a breakpoint
	on    timeline.Place
	kinds []event.AccessKind
	only  filter
}

// filter are the threads that a stop is for; -1 is any.
type filter struct{ block, warp, thread int }

var everybody = filter{-1, -1, -1}

// lanes are the lanes of a warp that the filter takes.
func (f *filter) lanes(w *event.Warp) uint32 {
	if f.block >= 0 && f.block != w.Block.Linear || f.warp >= 0 && f.warp != w.Index {
		return 0
	}
	switch first := w.Thread(0); {
	case f.thread < 0:
		return w.Mask
	case f.thread < first || f.thread > w.Thread(31):
		return 0
	default:
		return w.Mask & (1 << (f.thread - first))
	}
}

// arrival is why and where a run of the launch has stopped.
type arrival struct {
	why    string
	reason Reason
	stop   int // the number of the breakpoint or watchpoint
	focus  Focus
	found  bool // it is of a thread, which focus is
}

// watch is a watch for all stops, and for faults. wanted says at which times it may stop, and arrive gets
// why it does.
func (s *Session) watch(wanted func(timeline.Time) bool, arrive func(arrival)) timeline.Watch {
	return func(at timeline.Time, e event.Event) timeline.Hit {
		switch e := e.(type) {
		case *event.Step:
			to := s.breakpoint(e, 0xffffffff)
			if s.catches(at) {
				to = arrival{s.first.text(), AtFinding, 0, Focus{e.Block.Linear, e.Index, firstLane(e.Mask)}, true}
			}
			if to.found {
				if wanted(at) {
					arrive(to)
				}
				return timeline.At
			}
		case *event.Access, *event.Atomic:
			for _, p := range s.stops {
				if a, ok := p.accessed(at, e); ok {
					if wanted(at + 1) {
						arrive(arrival{fmt.Sprintf("watchpoint %d: %s", p.id, s.accessText(&a)), AtAccess, p.id, Focus{a.Index, a.Warp, a.Lane}, true})
					}
					return timeline.After
				}
			}
		case *event.Fault:
			if wanted(at) {
				w := e.Thread[0] + s.launch.Launch.Block[0]*(e.Thread[1]+s.launch.Launch.Block[1]*e.Thread[2])
				arrive(arrival{"fault: " + e.What(), AtFault, 0, Focus{s.linear(e.Block), w / 32, w % 32}, true})
			}
			return timeline.At
		}
		return timeline.Miss
	}
}

// breakpoint is the first breakpoint that stops some lanes of a warp at an instruction.
func (s *Session) breakpoint(e *event.Step, among uint32) arrival {
	for _, p := range s.stops {
		if lanes := s.breaks(p, e) & among; lanes != 0 {
			return arrival{fmt.Sprintf("breakpoint %d", p.id), AtBreakpoint, p.id, Focus{e.Block.Linear, e.Index, firstLane(lanes)}, true}
		}
	}
	return arrival{}
}

// breaks are the lanes that a breakpoint stops at an instruction.
func (s *Session) breaks(p *stop, e *event.Step) uint32 {
	if p.at.line == 0 || p.at != placeOf(e.Site) && p.at != ptxPlace(e.Site) {
		return 0
	}
	if p.at.file != "" && !s.code.starts(e.Site) {
		return 0
	}
	return p.only.lanes(&e.Warp)
}

// accessed is the access that a watchpoint stops after.
func (p *stop) accessed(at timeline.Time, e event.Event) (a timeline.Access, ok bool) {
	if p.on.Size == 0 {
		return a, false
	}
	return a, timeline.Accesses(p.on, timeline.After, &a, p.kinds...)(at, e) != timeline.Miss
}

// linear is the number of a block by its index.
func (s *Session) linear(index [3]int) int {
	g := s.launch.Launch.Grid
	return index[0] + g[0]*(index[1]+g[1]*index[2])
}

// forward runs the launch to the next stop, and shows it.
func (s *Session) forward(ctx context.Context) error {
	var to arrival
	now := s.line.Now()
	if err := s.locate(ctx); err != nil {
		return s.arrived(to, err)
	}
	_, err := s.line.Forward(ctx, s.watch(func(at timeline.Time) bool { return at > now }, func(a arrival) { to = a }))
	if ended, _ := s.line.Ended(); ended && err == nil && s.catches(s.line.Now()) {
		to = arrival{why: s.first.text(), reason: AtFinding}
	}
	return s.arrived(to, err)
}

// backward runs the launch back to the last stop before now, or to its start.
func (s *Session) backward(ctx context.Context) error {
	var to arrival
	now := s.line.Now()
	if err := s.locate(ctx); err != nil {
		return s.arrived(to, err)
	}
	found, err := s.line.Backward(ctx, s.watch(func(at timeline.Time) bool { return at < now }, func(a arrival) { to = a }))
	if err == nil && !found {
		to = arrival{why: "the start", reason: AtStart}
		err = s.line.Seek(ctx, 0)
	}
	return s.arrived(to, err)
}

// arrived makes the session look at the thread that has stopped, and shows it.
func (s *Session) arrived(to arrival, err error) error {
	s.follow()
	s.last = to
	if err != nil {
		s.last = arrival{reason: Interrupted}
		s.showPosition()
		return fmt.Errorf("stopped: %w", err)
	}
	if to.found {
		s.focus = to.focus
	}
	if to.reason == AtFinding {
		s.finding = s.first.finding
	}
	if to.why != "" {
		fmt.Fprintln(s.out, to.why)
	}
	s.showPosition()
	return nil
}

// follow makes the focus the first thread that runs next, unless there is none.
func (s *Session) follow() {
	s.listed = place{}
	if n := s.line.Next(); n.Block != nil {
		s.focus = Focus{n.Block.Linear, n.Warp, firstLane(n.Mask)}
	}
}

// addStop adds a stop and says so.
func (s *Session) addStop(p *stop) {
	p.id = s.nextID
	s.nextID++
	s.stops = append(s.stops, p)
	fmt.Fprintf(s.out, "%d: %s\n", p.id, p.text)
}

// removeStop removes a stop by its number, or all for 0.
func (s *Session) removeStop(id int) error {
	n := len(s.stops)
	s.stops = slices.DeleteFunc(s.stops, func(p *stop) bool { return id == 0 || p.id == id })
	if len(s.stops) == n {
		return fmt.Errorf("there is no breakpoint %d", id)
	}
	return nil
}
