package formats

import (
	"errors"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups/fused"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups/rowmax"
)

// ended is the launchers of products in which warpgroups do more with the sums. Each loads its
// kernels at its first use.
type ended[T operand.Element, S operand.Sum] struct {
	end    func() (func(e epilogue.Buffers) launcher[T, S], error)
	rowMax func() (func(values gridstride.Buffer[float32], columns gridstride.Buffer[int32]) launcher[T, S], error)
}

// endedOn has the kernels that end products on a device.
func endedOn[T gpu.Float16 | gpu.BFloat16](dev *gridstride.Device) *ended[T, float32] {
	return &ended[T, float32]{
		end: sync.OnceValues(func() (func(epilogue.Buffers) launcher[T, float32], error) { return loadEnd[T](dev) }),
		rowMax: sync.OnceValues(func() (func(gridstride.Buffer[float32], gridstride.Buffer[int32]) launcher[T, float32], error) {
			return loadRowMax[T](dev)
		}),
	}
}

// loadEnd loads the kernels of products with an end.
func loadEnd[T gpu.Float16 | gpu.BFloat16](dev *gridstride.Device) (func(e epilogue.Buffers) launcher[T, float32], error) {
	groups, err1 := fused.NewPlan[T](dev)
	take, err2 := loadHalves[T](dev)
	return func(e epilogue.Buffers) launcher[T, float32] {
		return tensorLauncher(take, func(s *gridstride.Stream, _ method, _ gridstride.Config, a, b *factor[T], c gridstride.Buffer[float32],
			shape Shape, alpha, beta float32,
		) error {
			return groups.Launch(s, ofWarpgroups(a), ofWarpgroups(b), c, shape.ofWarpgroups(1), alpha, beta, e)
		})
	}, errors.Join(err1, err2)
}

// loadRowMax loads the kernels of products that keep each row's largest element.
func loadRowMax[T gpu.Float16 | gpu.BFloat16](
	dev *gridstride.Device,
) (func(values gridstride.Buffer[float32], columns gridstride.Buffer[int32]) launcher[T, float32], error) {
	groups, err1 := rowmax.NewPlan[T](dev)
	take, err2 := loadHalves[T](dev)
	return func(values gridstride.Buffer[float32], columns gridstride.Buffer[int32]) launcher[T, float32] {
		return tensorLauncher(take, func(s *gridstride.Stream, _ method, _ gridstride.Config, a, b *factor[T], _ gridstride.Buffer[float32],
			shape Shape, _, _ float32,
		) error {
			return groups.Launch(s, ofWarpgroups(a), ofWarpgroups(b), values, columns, shape.ofWarpgroups(1))
		})
	}, errors.Join(err1, err2)
}

// hasEnds reports whether warpgroups compute a product with an end.
func (plan *Plan[T, S]) hasEnds(p *level3.Product[T, S]) bool {
	return plan.ended != nil && plan.methodFor(p).kernel == warpgroupKernels
}

// LaunchEnd queues one product by an engine, and the change of its elements: in the kernel that
// multiplies, or in one after it.
//
// Errors: [Plan.Launch]'s.
func LaunchEnd[T operand.Element](all *Plans, by level3.Engine[T, float32], s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	e epilogue.Buffers,
) error {
	if plan, ok := by.(*Plan[T, float32]); ok && plan.hasEnds(&p) {
		end, err := plan.ended.end()
		if err != nil {
			return err
		}
		return end(e)(s, w, plan.methodFor(&p), &p)
	}
	finish, err := all.finish()
	if err != nil {
		return err
	}
	return errors.Join(by.Launch(s, w, p), finish.Launch(s, p.C, e))
}

// MaxCols is how many columns of a product have their largest elements together.
const MaxCols = warpgroups.HalfCols

// LaunchRowMax queues the choice of the largest element of each row of A*B in each MaxCols columns,
// and its column, the lowest where several have it and -1 where all are NaN, if the plan has a
// kernel for that. C has the sizes of the product, and no elements: its stride is how many of those
// of a row follow each other in values and columns.
//
// Errors: [Plan.Launch]'s.
func LaunchRowMax[T operand.Element](plan *Plan[T, float32], s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	values gridstride.Buffer[float32], columns gridstride.Buffer[int32],
) error {
	rowMax, err := plan.ended.rowMax()
	if err != nil {
		return err
	}
	return rowMax(values, columns)(s, w, plan.methodFor(&p), &p)
}

// HasRowMax reports whether [LaunchRowMax] takes a product.
func (plan *Plan[T, S]) HasRowMax(p level3.Product[T, S]) bool { return plan.hasEnds(&p) }
