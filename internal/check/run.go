package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gridstride/gridstride/internal/check/initcheck"
	"github.com/gridstride/gridstride/internal/check/memcheck"
	"github.com/gridstride/gridstride/internal/check/racecheck"
	"github.com/gridstride/gridstride/internal/check/synccheck"
	"github.com/gridstride/gridstride/internal/check/tool"
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
	l.Budget = o.Budget
	record, err := memcheck.NewRecorder(m, e, &l)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", o.Kernel, err)
	}
	defer record.Close()
	c := newLaunch(m, e, &l, &o)
	before := takeSnapshot(m)
	var after *snapshot
	for i := range o.Orders {
		if i > 0 {
			before.restore(m)
		}
		if err = c.run(ctx, i, record); err != nil {
			break
		}
		if i == 0 && o.Orders > 1 {
			after = takeSnapshot(m)
		}
	}
	if after != nil {
		after.restore(m)
	}
	c.fill()
	return c.report, err
}

// launch is a launch under the checks.
type launch struct {
	o       *Options
	facts   *tool.Launch
	book    *tool.Book
	initial *initcheck.Init // what the host had written before; nil for all
	guesses racecheck.Guesses
	report  *report.Report
	started time.Time
}

func newLaunch(m *sim.Machine, e *sim.Entry, l *sim.Launch, o *Options) *launch {
	facts := &tool.Launch{
		Launch: l, Machine: m, Entry: e, Tools: o.Tools,
		Kernel: o.Kernel, LaunchedFrom: o.LaunchedFrom, Buffers: o.Buffers, Text: o.Text, Pedantic: o.Pedantic,
	}
	c := &launch{
		o: o, facts: facts, book: tool.NewBook(facts), guesses: racecheck.Guesses{},
		report: &report.Report{Launches: 1}, started: time.Now(),
	}
	if o.Init != nil {
		c.initial = o.Init.Clone()
	}
	return c
}

// use makes the tools that were asked for watch a run. A tool that needs another stands behind it.
func (c *launch) use(run *tool.Run) {
	if c.facts.Has(report.Memcheck) {
		run.Use(memcheck.New(run))
	}
	if c.facts.Has(report.Racecheck) {
		run.Use(racecheck.New(run, c.guesses))
	}
	var sync *synccheck.Check
	if c.facts.Has(report.Synccheck) {
		sync = synccheck.New(run)
		run.Use(sync)
	}
	if sync != nil || c.facts.Has(report.Initcheck) {
		var learns *initcheck.Init
		if run.Order == 0 {
			learns = c.o.Init
		}
		run.Use(initcheck.New(run, c.initial, learns, sync))
	}
}

// run runs the launch in the i-th order. Its error is that of a launch that was refused, or ended by
// its context.
func (c *launch) run(ctx context.Context, i int, record *memcheck.Recorder) error {
	order := orderRun(i, c.o.Seed)
	c.book.Begin(i, order.Name)
	run := tool.NewRun(c.book, i)
	run.Tick = func() { c.progress(run) }
	c.use(run)
	l := *c.facts.Launch
	l.Order, l.Seed = sim.Random, order.Seed
	if i < fixedOrders {
		l.Order, l.Flip, l.Interleave = sim.Order(i%2), i/2 == 1, i/2 == 2
	}
	l.Observer, l.KeepGoing = run, true
	l.Steps, l.StepsWhile = run.Steps()
	var counter *counters.Counter
	if c.o.Profile && i == 0 {
		counter = counters.New()
		l.Observer, l.Steps, l.StepsWhile = sim.Observers{run, counter}, true, nil
	}
	_, order.Cause = c.facts.Machine.Launch(ctx, c.facts.Entry, l)
	record.Look(c.book)
	undecided := run.Finish()
	if counter != nil {
		c.report.Profiles = append(c.report.Profiles,
			counter.Profile(c.o.Kernel, c.facts.Entry, c.facts.Launch, c.o.Text))
	}
	err := c.outcome(run, &order)
	if err == nil {
		for _, why := range undecided {
			c.report.AddUndone(why)
		}
	}
	c.report.Orders = append(c.report.Orders, order)
	return err
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

// outcome sorts a launch's error: what is a finding, what leaves the check undecided, and what
// refused the launch.
func (c *launch) outcome(run *tool.Run, order *report.OrderRun) error {
	var stuck *sim.Stuck
	var bad *sim.Fault
	switch err := order.Cause; {
	case err == nil, errors.As(err, &bad):
		return nil
	case !errors.As(err, &stuck):
		order.Err = err.Error()
		c.report.AddUndone(err.Error())
		return err
	case errors.Is(err, sim.ErrDeadlock):
		return nil
	case errors.Is(err, sim.ErrNoProgress):
		run.Stuck(stuck)
		order.Err = "no progress"
		if !c.facts.Has(report.Synccheck) {
			c.report.AddUndone(fmt.Sprintf("%s, %s: %v", c.o.Kernel, order.Name, sim.ErrNoProgress))
		}
		return nil
	}
	// The context.
	order.Err = stuck.Cause.Error()
	c.report.AddUndone(fmt.Sprintf("%s, %s: %v", c.o.Kernel, order.Name, stuck.Cause))
	return fmt.Errorf("check %s: %w", c.o.Kernel, stuck.Cause)
}

func (c *launch) progress(run *tool.Run) {
	if c.o.Progress == nil {
		return
	}
	g := c.facts.Grid
	c.o.Progress(Progress{
		Order: run.Order, Orders: c.o.Orders, Blocks: run.Ended, Total: g[0] * g[1] * g[2],
		Elapsed:       time.Since(c.started),
		FindingsSoFar: run.Found(), Kernel: c.o.Kernel,
	})
}

// fill makes the report's lists of what the book holds.
func (c *launch) fill() {
	r := c.report
	r.Findings = c.book.Findings()
	r.Allows = allowances(c.book)
	allow(r.Findings, r.Allows)
	for _, t := range report.Tools {
		if !c.facts.Has(t) {
			continue
		}
		run := report.ToolRun{Tool: t, Seen: c.book.Seen(t)}
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
