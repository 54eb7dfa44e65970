package timeline

import (
	"context"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Hit says whether a search is to stop at an event, and where.
type Hit int

// The answers.
const (
	Miss Hit = iota
	// At stops before the instruction of the event runs.
	At
	// After stops when the instruction has run.
	After
)

// Watch looks at an event of a search. at is the time before the event's instruction. A Step precedes
// what the instruction does. A Watch may note what it has seen: after a
// search, the last event that it stopped at is the one found.
type Watch func(at Time, e event.Event) Hit

// observer sees the events of a timeline's launch.
type observer Timeline

// Observe implements event.Observer.
func (o *observer) Observe(e event.Event) {
	t := (*Timeline)(o)
	r := &t.run
	switch e := e.(type) {
	case *event.Step:
		t.step(e)
		return
	case *event.Stuck:
		if r.also != nil {
			r.also.Observe(e)
		}
		t.ended, t.end, t.failed = true, t.now, e
		panic(left{})
	}
	if r.also != nil {
		r.also.Observe(e)
	}
	if r.watch != nil && t.now > 0 {
		t.found(t.now-1, r.watch(t.now-1, e))
	}
}

// step is an instruction about to run.
func (t *Timeline) step(e *event.Step) {
	r := &t.run
	if t.now >= r.until || r.stop || t.now%patience == 0 && r.ctx.Err() != nil {
		t.leave(e)
	}
	if r.also != nil {
		r.also.Observe(e)
	}
	if r.watch != nil {
		t.found(t.now, r.watch(t.now, e))
		if r.stop {
			t.leave(e)
		}
	}
	t.now++
}

// leave leaves the launch at an instruction.
func (t *Timeline) leave(e *event.Step) {
	t.next = Next{e.Block, e.Index, e.Mask, e.Site, e.Frame}
	panic(left{})
}

// found takes the answer of a watch about an event of the instruction that runs at a time.
func (t *Timeline) found(at Time, h Hit) {
	r := &t.run
	if h == After {
		at++
	}
	if h == Miss || at < r.min || at >= r.below {
		return
	}
	r.found, r.at = true, at
	if !r.last {
		r.stop = true
	}
}

// Forward goes to the first event after now that watch stops at, or to the end. It reports whether
// there was one. If ctx ends, the timeline is at the last instruction of the search.
func (t *Timeline) Forward(ctx context.Context, watch Watch) (found bool, err error) {
	return t.forward(ctx, t.before(t.now), run{watch: watch, min: t.now + 1})
}

func (t *Timeline) forward(ctx context.Context, moment int, r run) (found bool, err error) {
	r.until, r.below = never, never
	if err := t.from(ctx, moment, r); err != nil || !t.run.found {
		return false, err
	}
	if at := t.run.at; t.now != at {
		return true, t.Seek(ctx, at)
	}
	return true, nil
}

// First runs the launch from its start and goes to the first instruction at which found holds. also sees
// every event, before the call of found. If it never holds the timeline is at the end.
func (t *Timeline) First(ctx context.Context, also event.Observer, found func() bool) (bool, error) {
	watch := func(Time, event.Event) Hit {
		if found() {
			return At
		}
		return Miss
	}
	return t.forward(ctx, 0, run{watch: watch, also: also})
}

// Backward goes to the last event before now that watch stops at. It reports whether there was one;
// if not, or if ctx ends, the timeline does not move.
func (t *Timeline) Backward(ctx context.Context, watch Watch) (found bool, err error) {
	at, found, err := t.Last(ctx, watch)
	if found {
		err = t.Seek(ctx, at)
	}
	return found, err
}

// Last is the time at which Backward would stop. The timeline does not move.
func (t *Timeline) Last(ctx context.Context, watch Watch) (at Time, found bool, err error) {
	now := t.now
	for i := t.before(now); i >= 0 && !found && err == nil; i-- {
		until := now
		if i+1 < len(t.moments) {
			until = min(now, t.moments[i+1].at)
		}
		err = t.from(ctx, i, run{until: until, watch: watch, below: now, last: true})
		found, at = t.run.found && err == nil, t.run.at
	}
	if back := t.Seek(context.WithoutCancel(ctx), now); err == nil {
		err = back
	}
	return at, found, err
}
