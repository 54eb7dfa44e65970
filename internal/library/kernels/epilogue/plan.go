package epilogue

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Buffers is [End] as kernels are launched with it.
type Buffers = EndBuffers

// Plan is the kernel made ready on a device. Any goroutine may use it.
type Plan struct{ finish *finishKernel }

// NewPlan loads the kernel.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan(dev *gridstride.Device) (*Plan, error) {
	k, err := loadFinish(dev)
	return &Plan{k}, err
}

// Launch queues what becomes of the elements of a matrix, which is checked and has some.
//
// Errors: [gridstride.Kernel.Launch]'s.
func (p *Plan) Launch(s *gridstride.Stream, c operand.Matrix[float32], e Buffers) error {
	const block, together = 256, 8
	across := min((c.Cols-1)/block+1, together*max(1, s.Device().Info().Multiprocessors))
	down := max(1, min(c.Rows, together*s.Device().Info().Multiprocessors/across))
	return p.finish.Launch(s, gridstride.Grid(across, down), c.Data, c.Rows, c.Cols, c.Stride, e)
}
