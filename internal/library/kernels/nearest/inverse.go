package nearest

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Inverse is the kernel for 1 over norms made ready on a device. Any goroutine may use it.
type Inverse[T operand.Float] struct{ kernel *inverseKernel[T] }

// NewInverse loads the kernel.
//
// Errors: [gridstride.Device.Load]'s.
func NewInverse[T operand.Float](dev *gridstride.Device) (*Inverse[T], error) {
	k, err := loadInverse[T](dev)
	return &Inverse[T]{k}, err
}

// Launch queues 1 over the norms of the rows, which are checked, into out.
//
// Errors: [gridstride.Kernel.Launch]'s.
func (p *Inverse[T]) Launch(s *gridstride.Stream, rows operand.Matrix[float32], out gridstride.Buffer[T]) error {
	const together, warps = 4, 8
	grid := gridstride.Grid(min((rows.Rows-1)/warps+1, blocks(s, together)))
	return p.kernel.Launch(s, grid, rows.Data, rows.Rows, rows.Cols, rows.Stride, out)
}
