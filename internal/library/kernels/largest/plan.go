package largest

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/collective"
)

// MaxK is the largest number of elements that are chosen of a row.
const MaxK = collective.MaxTopK

// Plan is the kernel made ready on a device. Any goroutine may use it.
type Plan struct{ pick *pickKernel }

// NewPlan loads the kernel.
//
// Errors: those of [gridstride.Device.Load].
func NewPlan(dev *gridstride.Device) (*Plan, error) {
	k, err := loadPick(dev)
	return &Plan{k}, err
}

// Launch queues the choice among a strip of so many rows, one at least, and what was chosen of
// those before it.
//
// Errors: those of [gridstride.Kernel.Launch].
func (p *Plan) Launch(s *gridstride.Stream, rows int, strip StripBuffers, c ChosenBuffers, first bool) error {
	return p.pick.Launch(s, gridstride.Grid(rows), strip, c, first)
}
