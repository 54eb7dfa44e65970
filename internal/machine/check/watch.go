package check

import (
	"github.com/gridstride/gridstride/internal/machine/check/memcheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Watcher is the checks at one run of a launch that somebody else runs, as a debugger that wants to stop
// at what they find. It is the launch's observer, or one of them.
type Watcher struct {
	launch *launch
	run    *tool.Run
	record *memcheck.Recorder
}

// NewWatcher prepares the checks for a run in the i-th order. l is the launch with the parameters that
// memcheck.NewRecorder gives with record.
func NewWatcher(m *sim.Machine, e *sim.Entry, l sim.Launch, i int, record *memcheck.Recorder, o Options) *Watcher {
	o.setDefaults(e)
	o.Touched = nil
	if o.Init != nil {
		o.Init = o.Init.Clone()
	}
	c := newLaunch(m, e, &l, &o)
	c.book.Begin(0, orderRun(i, o.Seed).Name)
	w := &Watcher{launch: c, run: tool.NewRun(c.book, 0), record: record}
	c.use(w.run)
	return w
}

// Observe implements event.Observer.
func (w *Watcher) Observe(e event.Event) { w.run.Observe(e) }

// Found is how many findings there are so far.
func (w *Watcher) Found() int {
	n := w.run.Found()
	if w.record.Written() {
		n++
	}
	return n
}

// Report ends the checks and returns what they have found.
func (w *Watcher) Report() *report.Report {
	w.record.Look(w.launch.book)
	for _, why := range w.run.Finish() {
		w.launch.report.AddUndone(why)
	}
	w.launch.fill()
	return w.launch.report
}

// SetOrder makes a launch run in the i-th order of a check, and returns the order's name. seed is the
// seed of the random orders.
func SetOrder(l *sim.Launch, i int, seed uint64) (name string) {
	order := orderRun(i, seed)
	l.Order, l.Seed = sim.Random, order.Seed
	if i < fixedOrders {
		l.Order, l.Flip, l.Interleave = sim.Order(i%2), i/2 == 1, i/2 == 2
	}
	return order.Name
}
