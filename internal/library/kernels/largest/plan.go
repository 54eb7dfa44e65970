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
// Errors: [gridstride.Device.Load]'s.
func NewPlan(dev *gridstride.Device) (*Plan, error) {
	k, err := loadPick(dev)
	return &Plan{k}, err
}

// Launch queues the choice among a strip of at least one row, and the elements chosen from the
// strips before it.
//
// Errors: [gridstride.Kernel.Launch]'s.
func (p *Plan) Launch(s *gridstride.Stream, rows int, strip StripBuffers, c ChosenBuffers, first bool) error {
	return p.pick.Launch(s, gridstride.Grid(rows), strip, c, first)
}
