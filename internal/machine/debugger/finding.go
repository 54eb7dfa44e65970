package debugger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/report/format"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/timeline"
)

// findFirst goes to the first instruction at which the checks find something wrong, in the order of
// the session, and shows the finding. tool is one of the checks, "" for all.
func (s *Session) findFirst(ctx context.Context, tool report.Tool) error {
	f, undone, err := s.toFirst(ctx, tool)
	if err != nil {
		return s.arrived(arrival{}, err)
	}
	s.follow()
	s.last = arrival{reason: AtEnd}
	if f != nil {
		s.finding = f
		s.last = arrival{why: format.Finding(f), reason: AtFinding}
		fmt.Fprint(s.out, s.last.why)
		s.showPosition()
		return nil
	}
	fmt.Fprintf(s.out, "the checks find nothing in %s order; gridstride check tries others\n", s.order)
	for _, why := range undone {
		fmt.Fprintf(s.out, "could not decide: %s\n", why)
	}
	s.showPosition()
	return nil
}

// toFirst goes to the first instruction at which the checks find something wrong. If there is none it
// goes to the end, and says what the checks could not decide.
func (s *Session) toFirst(ctx context.Context, tool report.Tool) (f *report.Finding, undone []string, err error) {
	o := s.launch.Options
	o.LaunchedFrom = ""
	if o.Tools = nil; tool != "" {
		o.Tools = []report.Tool{tool}
	}
	for known := 0; ; {
		w, err := s.search(ctx, o, known)
		if err != nil {
			return nil, nil, err
		}
		if list := w.report.Failures(); len(list) > 0 {
			list[0].Count = 0 // it is of one order, and this far
			return list[0], nil, nil
		}
		if w.found <= known {
			return nil, w.report.Undone, nil
		}
		known = w.found // only notes
	}
}

// first is the first finding of the checks, and when it is.
type first struct {
	at      timeline.Time
	finding *report.Finding // nil if there is none
}

func (f *first) text() string { return strings.TrimRight(format.Finding(f.finding), "\n") }

// Catch makes runs stop at the first finding of the checks, or no longer. The first run after that goes
// through the whole launch to find it.
func (s *Session) Catch(on bool) { s.catch = on }

// catches reports whether runs stop at a time for a finding.
func (s *Session) catches(at timeline.Time) bool {
	return s.catch && s.first != nil && s.first.finding != nil && s.first.at == at
}

// locate finds out when the first finding is, if runs are to stop there. The session does not move.
func (s *Session) locate(ctx context.Context) error {
	if !s.catch || s.first != nil {
		return nil
	}
	now := s.line.Now()
	f, _, err := s.toFirst(ctx, "")
	if err == nil {
		s.first = &first{s.line.Now(), f}
	}
	return errors.Join(err, s.line.Seek(context.WithoutCancel(ctx), now))
}

// searcher is the checks until they have found something new.
type searcher struct {
	*check.Watcher
	report *report.Report // nil before that
	found  int
}

// Observe implements event.Observer.
func (w *searcher) Observe(e event.Event) {
	if w.report == nil {
		w.Watcher.Observe(e)
	}
}

// search goes to where the checks find more than known findings, or to the end.
func (s *Session) search(ctx context.Context, o check.Options, known int) (*searcher, error) {
	if err := s.line.Seek(ctx, 0); err != nil {
		return nil, err
	}
	w := &searcher{Watcher: check.NewWatcher(s.launch.Machine, s.launch.Entry, s.launch.Launch, s.set.Order, s.record, o)}
	found, err := s.line.First(ctx, w, func() bool {
		if w.report == nil && w.Found() > known {
			w.found = w.Found()
			w.report = w.Report() // while memory is as it is now
		}
		return w.report != nil
	})
	if err == nil && !found {
		w.found = w.Found()
		w.report = w.Report()
	}
	return w, err
}

// side is a thread of the finding, as a focus.
func (s *Session) side(w *report.Witness) (Focus, bool) {
	if w.Thread == nil || w.Host {
		return Focus{}, false
	}
	return Focus{s.linear(w.Thread.Block), w.Thread.Warp, w.Thread.Lane}, true
}

// otherSide is the thread of the finding that does not run next.
func (s *Session) otherSide() (Focus, bool) {
	n := s.line.Next()
	for i := range s.finding.Witnesses {
		f, ok := s.side(&s.finding.Witnesses[i])
		if ok && !(n.Block != nil && f.Block == n.Block.Linear && f.Warp == n.Warp && n.Mask>>f.Lane&1 != 0) {
			return f, true
		}
	}
	return Focus{}, false
}

// other goes back from a race to its other access: to the last access to the same bytes by the other
// thread.
func (s *Session) other(ctx context.Context) error {
	p, err := s.raced()
	if err != nil {
		return err
	}
	first, ok := s.otherSide()
	if !ok {
		return fmt.Errorf("the finding has no other thread")
	}
	var a timeline.Access
	at, found, err := s.line.Last(ctx, by(first, timeline.Accesses(p, timeline.At, &a), &a))
	switch {
	case err != nil:
		return s.arrived(arrival{}, err)
	case !found:
		return fmt.Errorf("thread %s has not accessed %s before now", threadText(s, first), s.placeText(p))
	}
	err = s.line.Seek(ctx, at)
	return s.arrived(arrival{why: "the other side: " + s.accessText(&a), focus: first, found: true}, err)
}
