package bench

import (
	"context"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/check"
	"github.com/gridstride/gridstride/internal/checking"
)

// counts runs each variant once more on a simulated device that counts, and puts what one run does into its row. On a GPU there is nothing to
// count.
func (m *measuring) counts(ctx context.Context, rows []Row) error {
	if !m.simulated() {
		return nil
	}
	var mu sync.Mutex
	var total check.Counts
	cfg := &checking.Config{
		Options: check.Options{Tools: []check.Tool{check.Memcheck}, Orders: 1, Profile: true},
		Report: func(r *check.Report) {
			mu.Lock()
			defer mu.Unlock()
			for _, p := range r.Profiles {
				add(&total, &p.Total)
			}
		},
	}
	dev, err := gridstride.Open(gridstride.Use("sim"), checking.Option(cfg).(gridstride.Option))
	if err != nil {
		return err
	}
	defer dev.Close()
	o := *m.o
	if o.DType == "float64" {
		return count[float64](ctx, dev, &o, rows, m.progress, func() *check.Counts { return take(&mu, &total) })
	}
	return count[float32](ctx, dev, &o, rows, m.progress, func() *check.Counts { return take(&mu, &total) })
}

// count runs the entries of the rows on dev; taken gives what was counted since it was last called.
func count[T float](ctx context.Context, dev *gridstride.Device, o *Options, rows []Row, progress func(string, ...any), taken func() *check.Counts) error {
	p, err := newProblem[T](dev, o)
	if err != nil {
		return err
	}
	all, err := p.entries()
	if err == nil {
		s := dev.Stream()
		for i := range rows {
			for _, e := range all {
				if e.variant != rows[i].Variant || e.launch == nil {
					continue
				}
				progress("%s %s: counting", o.What, e.variant)
				taken()
				if err := e.launch(s, 0); err != nil {
					return err
				}
				if err := s.Wait(ctx); err != nil {
					return err
				}
				rows[i].Counts = taken()
			}
		}
	}
	if e := p.free(); err == nil {
		err = e
	}
	return err
}

// take gives the counts and starts anew.
func take(mu *sync.Mutex, total *check.Counts) *check.Counts {
	mu.Lock()
	defer mu.Unlock()
	c := *total
	*total = check.Counts{}
	return &c
}

// add adds what one launch did to sum.
func add(sum, c *check.Counts) {
	sum.Instructions += c.Instructions
	sum.LaneInstructions += c.LaneInstructions
	sum.GlobalRequests += c.GlobalRequests
	sum.GlobalSectors += c.GlobalSectors
	sum.GlobalIdealSectors += c.GlobalIdealSectors
	sum.SharedRequests += c.SharedRequests
	sum.SharedPasses += c.SharedPasses
	sum.SharedIdealPasses += c.SharedIdealPasses
	sum.Atomics += c.Atomics
	sum.BarrierWaits += c.BarrierWaits
	sum.Branches += c.Branches
	sum.Divergent += c.Divergent
}
