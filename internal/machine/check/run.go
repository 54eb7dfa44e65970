package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gridstride/gridstride/internal/machine/check/initcheck"
	"github.com/gridstride/gridstride/internal/machine/check/memcheck"
	"github.com/gridstride/gridstride/internal/machine/check/racecheck"
	"github.com/gridstride/gridstride/internal/machine/check/synccheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

const (
	// DefaultBudget is enough for any loop that waits for other blocks, and over in a moment.
	DefaultBudget = 1 << 24
	// DefaultTimeLimit is how long a launch may run under the checks, all orders together.
	DefaultTimeLimit = time.Minute
	// maxFaults is how many bad accesses are looked at.
	maxFaults = 1 << 14
)

// Run runs a launch under the checks, once for each order and each time from the memory it found,
// and reports. It leaves memory as the ascending order makes it. Order, Seed, Budget, Observer,
// Steps, KeepGoing and MaxFaults of l are its own to set.
//
// The error is only of a launch that could not start (a *sim.LimitError, say), of ctx, or of one
// whose first order did not end within the time limit (it wraps event.ErrTimeLimit): then the report
// has what was found so far. Nothing else may use the machine meanwhile.
func Run(ctx context.Context, m *sim.Machine, e *sim.Entry, l sim.Launch, o Options) (*report.Report, error) {
	o.setDefaults(e)
	l.Budget, l.MaxFaults = o.Budget, maxFaults
	record, params, err := memcheck.NewRecorder(&m.Space, &e.Kernel, l.Params)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", o.Kernel, err)
	}
	defer record.Close()
	l.Params = params
	c := newLaunch(m, e, &l, &o)
	defer m.KeepHeap(&c.heap)
	ctx, cancel := sim.WithTimeLimit(ctx, o.TimeLimit)
	defer cancel()
	for i := range o.Orders {
		if i > 0 {
			c.journal.rewind()
		}
		if err = c.run(ctx, i, record); err != nil {
			break
		}
		if i == 0 {
			c.journal.firstEnded()
		}
	}
	if len(c.report.Orders) > 1 {
		c.journal.finish()
		if errors.Is(err, event.ErrTimeLimit) {
			err = nil // the launch has ended; that it is not decided is in the report
		}
	}
	c.fill()
	if o.Init != nil {
		o.Init.Forgive(c.book.Raced)
	}
	return c.report, err
}

// launch is a launch under the checks.
type launch struct {
	o       *Options
	machine *sim.Machine
	entry   *sim.Entry
	launch  *sim.Launch
	facts   *tool.Launch
	book    *tool.Book
	initial *initcheck.Init // the bytes that the host had written before; nil for all
	guesses racecheck.Guesses
	journal *journal
	ended   bool            // some order, at maxFaults
	heap    sim.HeapChanges // of the ascending order
	report  *report.Report
	started time.Time
}

func newLaunch(m *sim.Machine, e *sim.Entry, l *sim.Launch, o *Options) *launch {
	facts := &tool.Launch{
		Entry: &e.Kernel, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: l.Params, Budget: l.Budget,
		Memory: m.Extents(), LocalLimit: m.Config().Limits.LocalBytes, Tools: o.Tools,
		Kernel: o.Kernel, LaunchedFrom: o.LaunchedFrom, Buffers: o.Buffers, Text: o.Text, Pedantic: o.Pedantic,
	}
	c := &launch{
		o: o, machine: m, entry: e, launch: l, facts: facts, book: tool.NewBook(facts), guesses: racecheck.Guesses{},
		journal: newJournal(m), report: &report.Report{Launches: 1}, started: time.Now(),
	}
	if o.Init != nil {
		c.initial = o.Init.Clone()
	}
	return c
}

// use makes the tools that were asked for watch a run. A tool that uses another is added after it.
func (c *launch) use(run *tool.Run) {
	if c.facts.Has(report.Memcheck) {
		run.Use(memcheck.New(run))
	}
	if c.facts.Has(report.Racecheck) {
		run.Use(racecheck.New(run, c.guesses))
	}
	if c.o.Touched != nil && run.Order == 0 {
		run.Use(c.o.Touched)
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

// run runs the launch in the i-th order. It returns an error if the launch was refused, or was
// ended by its context.
func (c *launch) run(ctx context.Context, i int, record *memcheck.Recorder) error {
	order := orderRun(i, c.o.Seed)
	c.book.Begin(i, order.Name)
	run := tool.NewRun(c.book, i)
	run.Tick = func() { c.progress(run) }
	c.use(run)
	if c.o.Orders > 1 {
		c.journal.watch(run)
	}
	l := *c.launch
	SetOrder(&l, i, c.o.Seed)
	l.Observer, l.KeepGoing, l.Heap = run, true, &c.heap
	if i > 0 {
		l.Output, l.Heap = nil, &sim.HeapChanges{}
		defer c.machine.DropHeap(l.Heap)
	}
	l.Steps, l.StepsWhile = run.Steps()
	l.ProductSteps = run.ProductSteps()
	var counter *counters.Counter
	if c.o.Profile && i == 0 {
		counter = counters.New()
		l.Observer, l.Steps, l.StepsWhile = event.Observers{run, counter}, true, nil
	}
	_, order.Cause = c.machine.Launch(ctx, c.entry, l)
	record.Look(c.book)
	undecided := run.Finish()
	if counter != nil {
		c.report.Profiles = append(c.report.Profiles,
			counter.Profile(c.o.Kernel, c.facts.Entry, l.Grid, l.Block, c.o.Text))
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
		o.Budget = DefaultBudget
	}
	if o.TimeLimit == 0 {
		o.TimeLimit = DefaultTimeLimit
	}
	if o.Kernel == "" {
		o.Kernel = e.Name
	}
}

// fixedOrders is the number of orders that are not random. They run first.
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
	var stuck *event.Stuck
	var bad *event.Fault
	switch err := order.Cause; {
	case err == nil:
		return nil
	case errors.Is(err, event.ErrTooManyFaults):
		order.Err = event.ErrTooManyFaults.Error()
		if c.ended = c.facts.Has(report.Memcheck); !c.ended { // which has them as findings
			c.undecided(order, fmt.Sprintf("%v: there are %d", err, maxFaults))
		}
		return nil
	case errors.As(err, &bad):
		return nil
	case !errors.As(err, &stuck):
		order.Err = err.Error()
		c.report.AddUndone(err.Error())
		return err
	case errors.Is(err, event.ErrDeadlock):
		return nil
	case errors.Is(err, event.ErrNoProgress):
		run.Stuck(stuck)
		order.Err = "no progress"
		if !c.facts.Has(report.Synccheck) {
			c.undecided(order, event.ErrNoProgress.Error())
		}
		return nil
	case errors.Is(err, event.ErrTimeLimit):
		order.Err = stuck.Cause.Error()
		c.undecided(order, overTime(stuck))
		return stuck
	}
	// The context.
	order.Err = stuck.Cause.Error()
	c.undecided(order, order.Err)
	return fmt.Errorf("check %s: %w", c.o.Kernel, stuck.Cause)
}

// undecided notes why an order does not tell all.
func (c *launch) undecided(order *report.OrderRun, why string) {
	c.report.AddUndone(fmt.Sprintf("%s, %s: %s", c.o.Kernel, order.Name, why))
}

// overTime says how far a launch has come that took too long.
func overTime(s *event.Stuck) string {
	text := fmt.Sprintf("%v, when %d of %d blocks had ended", s.Cause, s.Ended, s.Total)
	if len(s.Blocks) > 0 && len(s.Blocks[0].Threads) > 0 && s.Blocks[0].Threads[0].Site != nil {
		at := s.Blocks[0].Block
		text += fmt.Sprintf(" and threads of block (%d,%d,%d) were at %s", at[0], at[1], at[2], s.Blocks[0].Threads[0].Site)
	}
	return text + "; a longer one is set with --timeout, or gputest.TimeLimit"
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
	for _, f := range r.Findings {
		if c.ended && f.Tool == report.Memcheck {
			f.Why += fmt.Sprintf("; the launch was ended at %d bad accesses, so what it would do then is not checked", maxFaults)
			break
		}
	}
	r.Allows = allowances(c.book)
	allow(r.Findings, r.Allows)
	r.Findings = c.book.Group(r.Findings)
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
