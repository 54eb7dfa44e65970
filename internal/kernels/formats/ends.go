package formats

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/kernels/level3"
	"github.com/gridstride/gridstride/internal/kernels/onepass"
	"github.com/gridstride/gridstride/internal/kernels/operand"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups/fused"
)

// ender gives a launcher of products with an end.
type ender[T operand.Element, S operand.Sum] func(e epilogue.Buffers) launcher[T, S]

// loadEnded loads the kernels of warpgroups that have ends.
func loadEnded[T gpu.Float16 | gpu.BFloat16](dev *gridstride.Device) (ender[T, float32], error) {
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

// LaunchEnd queues a product by one of the plans, and what becomes of its elements then: in the kernel
// that multiplies, or in one behind it.
//
// Errors: those of [Plan.Launch].
func LaunchEnd[T operand.Element](all *Plans, plan *Plan[T, float32], s *gridstride.Stream, w onepass.Work, p level3.Product[T, float32],
	e epilogue.Buffers,
) error {
	if m := plan.methodFor(&p); m.kernel == warpgroupKernels && plan.ended != nil {
		end, err := plan.ended()
		if err != nil {
			return err
		}
		return end(e)(s, w, m, &p)
	}
	finish, err := all.finish()
	if err != nil {
		return err
	}
	return errors.Join(plan.Launch(s, w, p), finish.Launch(s, p.C, e))
}
