package topk

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Memory is where blocks leave their lists. It is for one stream: kernels that run one after the
// other may share it.
type Memory[T operand.Float] struct {
	Scores gridstride.Buffer[T]
	Rows   gridstride.Buffer[int32]
	Counts gridstride.Buffer[int32]
}

// Reserve makes room for a number of lists of some length. Queued launches keep their memory.
//
// Errors: [gridstride.Make]'s.
func (m *Memory[T]) Reserve(dev *gridstride.Device, lists, length int) error {
	return errors.Join(Reserve(dev, &m.Scores, lists*length), Reserve(dev, &m.Rows, lists*length), Reserve(dev, &m.Counts, lists))
}

// Reserve makes room for n elements in a buffer. What is queued keeps the memory it has.
//
// Errors: [gridstride.Make]'s.
func Reserve[E any](dev *gridstride.Device, b *gridstride.Buffer[E], n int) error {
	if b.Len() >= n {
		return nil
	}
	err := b.Free()
	*b = gridstride.Buffer[E]{}
	if err != nil {
		return err
	}
	*b, err = gridstride.Make[E](dev, n)
	return err
}

// Free gives the memory back. What is queued still runs.
func (m *Memory[T]) Free() error { return errors.Join(m.Scores.Free(), m.Rows.Free(), m.Counts.Free()) }

// Plan is the kernel merge made ready on a device.
type Plan[T operand.Float] struct{ merge *mergeKernel[T] }

// NewPlan loads the kernel.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	k, err := loadMerge[T](dev)
	return &Plan[T]{k}, err
}

// Merge queues the choice of each query's best from the lists of all parts, if any. The
// rows of query i go to outRows[i*K:], the scores to outScores there.
//
// Errors: [gridstride.Kernel.Launch]'s.
func (p *Plan[T]) Merge(s *gridstride.Stream, m *Memory[T], parts Parts, queries int, outRows gridstride.Buffer[int32],
	outScores gridstride.Buffer[T],
) error {
	return p.merge.Launch(s, gridstride.Grid(queries), m.Scores, m.Rows, m.Counts, parts, outRows, outScores)
}
