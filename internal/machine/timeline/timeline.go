// Package timeline makes an execution of a kernel a value that one can go through in both directions.
//
//	t, err := timeline.New(ctx, machine, entry, launch, timeline.Options{})
//	err = t.Seek(ctx, 1000)                  // before the 1000th instruction of a warp
//	for _, b := range t.Blocks() { … }       // where the warps are, and their registers
//	found, err := t.Forward(ctx, watch)      // to the next event that watch is interested in
//	found, err = t.Backward(ctx, watch)      // to the last one before
//	w, err := t.LastAccess(ctx, place, timeline.Writes...) // who wrote this?
//
// Time is the number of warp instructions that have run, of the launch in one order of blocks, warps
// and lanes (sim.Launch.Order and Seed). Such an execution is deterministic. So a timeline keeps only
// the state at some moments, and goes anywhere by putting the launch back to the moment before and
// running it again from there. This is how rr goes backwards (O'Callahan et al., "Engineering Record
// and Replay for Deployability", 2017); a simulator needs no recording.
//
// Moments are noted between the turns of warps, at most one in Options.Every instructions. When they
// take more than Options.Memory, every second one is dropped, and moments are noted half as often.
package timeline

import (
	"context"
	"io"
	"math"
	"sort"

	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Time is a place in an execution: the number of warp instructions that have run.
type Time uint64

const never Time = math.MaxUint64

// Options bound what a timeline keeps. A zero field takes a default.
type Options struct {
	// Every is the least number of warp instructions between two moments; 1<<16 by default.
	Every Time
	// Memory is how many bytes the moments may take, apart from the first and the last; 256 MiB by
	// default.
	Memory int
}

const (
	defaultEvery  = 1 << 16
	defaultMemory = 256 << 20
	// comparedPerStep is how many bytes of global memory are compared for a moment, at most, for each
	// instruction that runs between two: so that noting takes a small part of the time.
	comparedPerStep = 64
	// patience is how many instructions run between two looks at whether a search is to end.
	patience = 1 << 12
)

// Timeline is an execution of a kernel, at one time of it. One goroutine at a time may use it, and
// nothing else may use its machine meanwhile.
type Timeline struct {
	replay  *sim.Replay
	moments []*moment
	every   Time
	memory  int
	kept    int // bytes of the moments
	dropped int

	now    Time
	known  Time // the latest time that it has been at
	end    Time // when the launch ends; never if that is not known yet
	ended  bool // now is the end
	failed error
	next   Next
	out    output

	run run
}

// Next is the instruction that runs next.
type Next struct {
	Block *event.Block
	Warp  int
	Mask  uint32 // the lanes that run it
	Site  *event.Site
	Frame uint64
}

// moment is a moment of the launch with its time.
type moment struct {
	at      Time
	state   *sim.Moment
	printed int64
}

// run is the run of the launch under way.
type run struct {
	ctx   context.Context
	until Time
	also  event.Observer // sees every event
	watch Watch
	// What watch finds counts if it is not before min, and before below.
	min, below Time
	last       bool // the last that it finds is wanted, and else the first
	found      bool
	at         Time // of what was found
	stop       bool // at the next instruction
	left       int  // the index of the moment that comes next
}

// left is the panic with which the observer leaves a launch.
type left struct{}

// New makes the timeline of a launch, at its start. The timeline sets Observer, Steps, Between and
// KeepGoing of l. The kernel's output goes to l.Output once, however often it runs again. The errors are
// sim.Machine.NewReplay's.
func New(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, o Options) (*Timeline, error) {
	t := &Timeline{every: o.Every, memory: o.Memory, end: never}
	if t.every == 0 {
		t.every = defaultEvery
	}
	if t.memory == 0 {
		t.memory = defaultMemory
	}
	if used, _ := m.Used(); Time(used/comparedPerStep) > t.every {
		t.every = Time(used / comparedPerStep)
	}
	if l.Output != nil {
		t.out.to = l.Output
		l.Output = &t.out
	}
	l.Observer, l.Steps, l.StepsWhile, l.KeepGoing, l.Between = (*observer)(t), true, nil, true, t.between
	var err error
	if t.replay, err = m.NewReplay(ctx, e, l); err != nil {
		return nil, err
	}
	t.note()
	return t, t.Seek(ctx, 0)
}

// Now is the time at which the timeline is.
func (t *Timeline) Now() Time { return t.now }

// Known is the latest time at which it has been.
func (t *Timeline) Known() Time { return t.known }

// Ended reports whether it is at the end of the launch, and why that was no good end: a *event.Fault
// of a thread, the first of all, or a *event.Stuck.
func (t *Timeline) Ended() (bool, error) {
	if !t.ended {
		return false, nil
	}
	return true, t.failed
}

// Next is the instruction that runs next. It is the zero Next at the end.
func (t *Timeline) Next() Next { return t.next }

// Blocks are the blocks in flight. They are valid until the timeline goes elsewhere.
func (t *Timeline) Blocks() []sim.BlockView { return t.replay.Blocks() }

// Kept says what a timeline keeps: how many moments, their size in bytes, with how many
// instructions between two at least, and how many it has dropped.
func (t *Timeline) Kept() (moments, bytes int, every Time, dropped int) {
	return len(t.moments), t.kept, t.every, t.dropped
}

// Seek goes to a time, or to the end of the launch if that is before it.
func (t *Timeline) Seek(ctx context.Context, at Time) error {
	return t.from(ctx, t.before(at), run{until: at})
}

// before is the index of the last moment that is not after a time.
func (t *Timeline) before(at Time) int {
	return sort.Search(len(t.moments), func(i int) bool { return t.moments[i].at > at }) - 1
}

// from runs the launch again from a moment. If ctx ends meanwhile, the timeline is at the last
// instruction of the run, and the error is the context's cause.
func (t *Timeline) from(ctx context.Context, i int, r run) error {
	m := t.moments[i]
	past := make([]*sim.Moment, len(t.moments))
	for k := range past {
		past[k] = t.moments[k].state
	}
	t.replay.Return(m.state, past)
	t.now, t.ended, t.failed, t.next, t.out.at = m.at, false, nil, Next{}, m.printed
	r.ctx, r.left = ctx, i+1
	t.run = r
	if t.launch() {
		if t.now < t.run.until && !t.run.stop {
			return context.Cause(ctx)
		}
		return nil
	}
	t.ended, t.end, t.next = true, t.now, Next{}
	return nil
}

// launch runs the launch. It reports whether the observer has left it.
func (t *Timeline) launch() (gone bool) {
	defer func() {
		t.known = max(t.known, t.now)
		switch r := recover().(type) {
		case nil:
		case left:
			gone = !t.ended
		default:
			panic(r)
		}
	}()
	// The context ends runs at an instruction, where the state can be shown.
	t.failed = t.replay.Run(context.WithoutCancel(t.run.ctx))
	return false
}

// between notes moments.
func (t *Timeline) between() {
	if i := t.run.left; i < len(t.moments) {
		if m := t.moments[i]; m.at == t.now {
			t.replay.Pass(m.state)
			t.run.left++
		}
		return
	}
	if t.now-t.moments[len(t.moments)-1].at >= t.every {
		t.note()
		t.run.left = len(t.moments)
	}
}

func (t *Timeline) note() {
	m := &moment{at: t.now, state: t.replay.Note(), printed: t.out.at}
	t.moments = append(t.moments, m)
	if t.kept += m.state.Bytes(); t.kept > t.memory && len(t.moments) > 2 {
		t.thin()
	}
}

// thin drops every second moment but the last.
func (t *Timeline) thin() {
	var keep []*moment
	last := len(t.moments) - 1
	t.kept = 0
	for i, m := range t.moments {
		if i%2 == 1 && i < last {
			t.replay.Drop(m.state, t.moments[i+1].state)
			t.dropped++
			continue
		}
		keep = append(keep, m)
	}
	for _, m := range keep {
		t.kept += m.state.Bytes()
	}
	t.moments, t.every = keep, 2*t.every
}

// output writes what the kernel prints when it is printed first.
type output struct {
	to       io.Writer
	at, most int64
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n := len(b)
	o.at += int64(n)
	if skip := o.most - (o.at - int64(n)); skip > 0 {
		b = b[min(skip, int64(n)):]
	}
	o.most = max(o.most, o.at)
	if len(b) > 0 {
		if _, err := o.to.Write(b); err != nil {
			return 0, err
		}
	}
	return n, nil
}
