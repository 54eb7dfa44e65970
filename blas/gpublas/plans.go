package gpublas

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/formats"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/level2"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/triangle"
)

// Plans load their kernels when a call first needs them.

func level1Of[T Float](h *Handle) (*level1.Plan[T], error) {
	return handle.PlanOf(h.core, level1.NewPlan[T])
}
func level2Of[T Float](h *Handle) (*level2.Plan[T], error) {
	return handle.PlanOf(h.core, level2.NewPlan[T])
}
func level3Of[T Float](h *Handle) (*level3.Plan[T], error) {
	return handle.PlanOf(h.core, level3.NewPlan[T])
}
func binnedOf[T Float](h *Handle) (*binned.Plan[T], error) {
	return handle.PlanOf(h.core, binned.NewPlan[T])
}

// trianglesOf is a plan that also calls the levels.
func trianglesOf[T Float](h *Handle) (*triangle.Plan[T], error) {
	return handle.PlanOf(h.core, func(dev *gridstride.Device) (*triangle.Plan[T], error) {
		p1, err1 := level1Of[T](h)
		p2, err2 := level2Of[T](h)
		p3, err3 := level3Of[T](h)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		return triangle.NewPlan(dev, p1, p2, p3)
	})
}

// formatsOf are the plans of all formats. Each loads its kernels when it is first used.
func formatsOf(h *Handle) *formats.Plans {
	plans, _ := handle.PlanOf(h.core, func(dev *gridstride.Device) (*formats.Plans, error) { return formats.NewPlans(dev), nil })
	return plans
}

// multiplier is the [level3.Engine] of a handle's plan of level 3.
type multiplier[T Float] struct{ *Handle }

// Launch is a [level3.Engine]'s.
func (m multiplier[T]) Launch(s *gridstride.Stream, w onepass.Work, x level3.Product[T, T]) error {
	plan, err := level3Of[T](m.Handle)
	if err != nil {
		return err
	}
	return plan.Launch(s, w, x)
}

// of is a function of a plan of the handle, whose kernels it loads.
func of[P, F any](h *Handle, plan func(h *Handle) (*P, error), function func(p *P) F) func() (F, error) {
	return func() (f F, err error) {
		p, err := plan(h)
		if err != nil {
			return f, err
		}
		return function(p), nil
	}
}
