package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gridstride/gridstride/internal/counters"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// defaultBudget is enough for any loop that waits for other blocks, and over in a moment.
const defaultBudget = 1 << 24

// Run runs a launch under the checks, once for each order and each time from the memory it found,
// and reports. It leaves memory as the ascending order makes it. Order, Seed, Budget, Observer,
// Steps and KeepGoing of l are its own to set.
//
// The error is only of a launch that could not start (a *sim.LimitError, say), or of ctx: then the
// report has what was found so far. Nothing else may use the machine meanwhile.
func Run(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, o Options) (*report.Report, error) {
	o.setDefaults(e)
	record, err := newRecorder(m, e, &l)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", o.Kernel, err)
	}
	defer record.close()
	b := newBook(&o, m, e, &l)
	r := &report.Report{Launches: 1}
	before := takeSnapshot(m)
	var after *snapshot
	started := time.Now()
	for i := range o.Orders {
		if i > 0 {
			before.restore(m)
		}
		run := orderRun(i, o.Seed)
		b.begin(i, run.Name)
		s := newSession(&o, b, i)
		s.tick = func() { s.report(started, r) }
		runErr := s.launch(ctx, m, e, l, run.Seed)
		record.look(b)
		run.Cause = runErr
		s.finish()
		if i == 0 {
			if s.counter != nil {
				r.Profiles = append(r.Profiles, s.counter.Profile(o.Kernel, e, &l, o.Text))
			}
			if o.Orders > 1 {
				after = takeSnapshot(m)
			}
			o.adoptInit(s)
		}
		if refused := s.outcome(runErr, &run, r); refused != nil {
			err = refused
			r.Orders = append(r.Orders, run)
			break
		}
		r.Orders = append(r.Orders, run)
	}
	if after != nil {
		after.restore(m)
	}
	b.fill(r)
	return r, err
}

func (o *Options) setDefaults(e *sim.Entry) {
	if o.Orders <= 0 {
		o.Orders = 2
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	if o.Kernel == "" {
		o.Kernel = e.Name
	}
}

// fixedOrders is how many orders come before the random ones.
const fixedOrders = 6

// orderRun names the i-th order.
func orderRun(i int, seed uint64) report.OrderRun {
	switch i {
	case 0:
		return report.OrderRun{Name: "ascending"}
	case 1:
		return report.OrderRun{Name: "descending"}
	case 2:
		return report.OrderRun{Name: "ascending, branches descending"}
	case 3:
		return report.OrderRun{Name: "descending, branches ascending"}
	case 4:
		return report.OrderRun{Name: "ascending, interleaved"}
	case 5:
		return report.OrderRun{Name: "descending, interleaved"}
	}
	seed += uint64(i - fixedOrders)
	return report.OrderRun{Name: fmt.Sprintf("random seed %d", seed), Seed: seed}
}

func newSession(o *Options, b *book, order int) *session {
	s := &session{
		o: o, entry: b.entry, l: b.l, order: order, book: b, siteTable: b.siteTable,
		blocks: map[*sim.Block]*blockState{}, extents: b.extents,
	}
	if o.has(report.Racecheck) {
		s.race = newRacecheck(s)
	}
	if o.has(report.Synccheck) {
		s.sync = newSynccheck(s)
	}
	if o.has(report.Initcheck) || o.has(report.Synccheck) {
		s.init = newInitcheck(s)
	}
	if o.Profile && order == 0 {
		s.counter = counters.New()
	}
	return s
}

// launch runs the launch in the session's order.
func (s *session) launch(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, seed uint64) error {
	l.Order = sim.Random
	if s.order < fixedOrders {
		l.Order, l.Flip, l.Interleave = sim.Order(s.order%2), s.order/2 == 1, s.order/2 == 2
	}
	l.Seed, l.Budget = seed, s.o.Budget
	l.Observer, l.KeepGoing = s, true
	if s.counter != nil {
		l.Observer = sim.Observers{s, s.counter}
	}
	jumps := s.sync != nil && s.sync.jumps != nil
	l.Steps = s.init != nil || s.counter != nil || jumps
	if s.counter == nil && s.init != nil && !jumps {
		l.StepsWhile = &s.init.tracking
	}
	_, err := m.Launch(ctx, e, l)
	return err
}

// outcome sorts a launch's error: what is a finding, what leaves the check undecided, and what
// refused the launch.
func (s *session) outcome(err error, run *report.OrderRun, r *report.Report) error {
	var stuck *sim.Stuck
	var bad *sim.Fault
	switch {
	case err == nil:
	case errors.As(err, &bad):
	case errors.As(err, &stuck):
		switch {
		case errors.Is(err, sim.ErrDeadlock):
		case errors.Is(err, sim.ErrNoProgress):
			s.stuck(stuck)
			run.Err = "no progress"
			if s.sync == nil {
				r.AddUndone(fmt.Sprintf("%s, %s: %v", s.o.Kernel, run.Name, sim.ErrNoProgress))
			}
		default: // the context
			run.Err = stuck.Cause.Error()
			r.AddUndone(fmt.Sprintf("%s, %s: %v", s.o.Kernel, run.Name, stuck.Cause))
			return fmt.Errorf("check %s: %w", s.o.Kernel, stuck.Cause)
		}
	default:
		run.Err = err.Error()
		r.AddUndone(err.Error())
		return err
	}
	if s.race != nil && s.race.global.full {
		r.AddUndone(fmt.Sprintf("%s: racecheck cannot hold more than %d accesses; give it a smaller problem", s.o.Kernel, maxRecords))
	}
	return nil
}

func (s *session) report(started time.Time, r *report.Report) {
	if s.o.Progress == nil {
		return
	}
	g := s.l.Grid
	s.o.Progress(Progress{
		Order: s.order, Orders: s.o.Orders, Blocks: s.ended, Total: g[0] * g[1] * g[2], Elapsed: time.Since(started),
		FindingsSoFar: len(s.book.findings) + len(s.book.races), AccessesSoFar: s.book.seen[report.Memcheck], Kernel: s.o.Kernel,
	})
}

// fill makes the report's lists of what the book holds.
func (b *book) fill(r *report.Report) {
	r.Findings = b.list()
	r.Allows = b.allowances()
	allow(r.Findings, r.Allows)
	for _, t := range report.Tools {
		if !b.o.has(t) {
			continue
		}
		run := report.ToolRun{Tool: t, Seen: b.seen[t]}
		for _, f := range r.Findings {
			if f.Tool == t && f.Level != report.Note {
				run.Findings++
			}
		}
		r.Tools = append(r.Tools, run)
	}
}

// snapshot is the contents of all memory that kernels can change.
type snapshot struct {
	extents []sim.Extent
	bytes   [][]byte
}

func takeSnapshot(m *sim.Machine) *snapshot {
	s := &snapshot{}
	for _, x := range m.Extents() {
		if x.ReadOnly || x.Size == 0 {
			continue
		}
		b, err := m.Bytes(x.Addr, x.Size)
		if err != nil {
			panic(fmt.Sprintf("BUG: memory at %#x is listed but cannot be read: %v", x.Addr, err))
		}
		s.extents = append(s.extents, x)
		s.bytes = append(s.bytes, append([]byte(nil), b...))
	}
	return s
}

func (s *snapshot) restore(m *sim.Machine) {
	for i, x := range s.extents {
		if b, err := m.Bytes(x.Addr, x.Size); err == nil {
			copy(b, s.bytes[i])
		}
	}
}
