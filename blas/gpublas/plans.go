package gpublas

import (
	"errors"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/level2"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/triangle"
)

// plans are the kernels for one element type. A field loads its kernels when it is first called.
// triangle also calls the levels.
type plans[T Float] struct {
	level1   func() (*level1.Plan[T], error)
	level2   func() (*level2.Plan[T], error)
	level3   func() (*level3.Plan[T], error)
	triangle func() (*triangle.Plan[T], error)
	binned   func() (*binned.Plan[T], error)
}

func newPlans[T Float](dev *gridstride.Device) *plans[T] {
	p := &plans[T]{
		level1: sync.OnceValues(func() (*level1.Plan[T], error) { return level1.NewPlan[T](dev) }),
		level2: sync.OnceValues(func() (*level2.Plan[T], error) { return level2.NewPlan[T](dev) }),
		level3: sync.OnceValues(func() (*level3.Plan[T], error) { return level3.NewPlan[T](dev) }),
		binned: sync.OnceValues(func() (*binned.Plan[T], error) { return binned.NewPlan[T](dev) }),
	}
	p.triangle = sync.OnceValues(func() (*triangle.Plan[T], error) {
		p1, err1 := p.level1()
		p2, err2 := p.level2()
		p3, err3 := p.level3()
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		return triangle.NewPlan(dev, p1, p2, p3)
	})
	return p
}

// Launch is a [level3.Engine]'s.
func (p *plans[T]) Launch(s *gridstride.Stream, w onepass.Work, x level3.Product[T, T]) error {
	plan, err := p.level3()
	if err != nil {
		return err
	}
	return plan.Launch(s, w, x)
}

// plansOf is the handle's plans for a type.
func plansOf[T Float](h *Handle) *plans[T] {
	if p, ok := any(h.singles).(*plans[T]); ok {
		return p
	}
	return any(h.doubles).(*plans[T])
}

// of is a function of a plan, whose kernels it loads.
func of[P, F any](plan func() (*P, error), function func(p *P) F) func() (F, error) {
	return func() (f F, err error) {
		p, err := plan()
		if err != nil {
			return f, err
		}
		return function(p), nil
	}
}
