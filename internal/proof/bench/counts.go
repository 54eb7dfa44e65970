package bench

import (
	"context"
	"errors"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/device/option"
	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/counters"
	"github.com/gridstride/gridstride/internal/machine/report"
)

// counts runs the rows' variants once more on a simulated device that counts, and puts what one run
// does into its row. On a GPU there is nothing to count.
func (ss *bencher) counts(ctx context.Context, rows []Row) (err error) {
	if !ss.simulated() {
		return nil
	}
	var c counter
	cfg := &checked.Config{Options: check.Options{Tools: []report.Tool{report.Memcheck}, Orders: 1, Profile: true, TimeLimit: ss.o.TimeLimit},
		Report: c.add}
	dev, err := gridstride.Open(gridstride.Use("sim"), option.Checks(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	counting := &bencher{dev: dev, s: dev.Stream(), o: ss.o}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].whole() == rows[0].whole() {
			n++
		}
		if err := counting.count(ctx, &c, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// count counts what the rows of one problem do.
func (ss *bencher) count(ctx context.Context, c *counter, rows []Row) (err error) {
	p, err := ss.problem(rows[0].whole())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.free()) }()
	for i := range rows {
		for _, e := range p.candidates {
			if e.variant != rows[i].Variant || e.launch == nil {
				continue
			}
			ss.progress("%s, %s: counting %s", ss.o.What, rows[i].shape(ss.o.What), e.variant)
			c.take()
			if err := e.launch(ss.s, 0, rows[i].ran); err != nil {
				return err
			}
			if err := ss.s.Wait(ctx); err != nil {
				return err
			}
			rows[i].Counts = c.take()
		}
	}
	return nil
}

// counter adds up what launches do.
type counter struct {
	mu    sync.Mutex
	total counters.Counts
}

// add adds what a launch did.
func (c *counter) add(r *report.Report) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range r.Profiles {
		c.total.Add(&p.Total)
	}
	return nil
}

// take gives the counts and starts anew.
func (c *counter) take() *counters.Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.total
	c.total = counters.Counts{}
	return &taken
}
