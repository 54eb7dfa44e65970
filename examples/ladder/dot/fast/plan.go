package fast

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Float is the element types.
type Float interface{ float32 | float64 }

// MaxBlocks is the largest grid that is of use: 64 blocks for each of the 132 multiprocessors of an
// H200. It does not depend on the device, so that a result does not.
const MaxBlocks = 64 * 132

// Check is an error unless a and b have a dot product: where their lengths differ.
func Check[T Float](a, b gridstride.Buffer[T]) error {
	if a.Len() != b.Len() {
		return fmt.Errorf("dot: a has %d elements and b %d: a dot product takes vectors of one length", a.Len(), b.Len())
	}
	return nil
}

// Tile is the number of elements that a block takes at a time.
func Tile[T Float]() int { return tile * lanes[T]() }

// lanes is the number of elements in 16 bytes.
func lanes[T Float]() int { return 16 / int(unsafe.Sizeof(T(0))) }

// Blocks is the size of the grid for n elements, most at most. One block alone is done with two
// tiles before two blocks would have met.
func Blocks[T Float](n, most int) int {
	if n <= 2*Tile[T]() {
		return 1
	}
	return min((n-1)/Tile[T]()+1, most)
}

// Plan is the kernel made ready on a device: it is loaded and its working memory allocated, so that
// a product allocates nothing on the device. Vectors may have any length. One goroutine may use a
// plan at a time, and one stream. Plans of one device are independent.
type Plan[T Float] struct {
	launch  onePass[T]
	partial gridstride.Buffer[T] // a sum a block
	ticket  gridstride.Buffer[uint32]
}

// onePass queues the kernel.
type onePass[T Float] func(s *gridstride.Stream, cfg gridstride.Config, a, b, partial gridstride.Buffer[T],
	ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error

// NewPlan makes the kernel ready for grids of up to a number of blocks, at least 1. [MaxBlocks] is
// for all vectors, and [Blocks] gives the number for shorter ones. Free gives the memory back.
//
// Errors: [gridstride.Make]'s and [gridstride.Device.Load]'s.
func NewPlan[T Float](dev *gridstride.Device, blocks int) (*Plan[T], error) {
	launch, err := load[T](dev)
	if err != nil {
		return nil, err
	}
	p := &Plan[T]{launch: launch}
	if p.partial, err = gridstride.Make[T](dev, blocks); err != nil {
		return nil, err
	}
	if p.ticket, err = gridstride.CopyOf(dev, []uint32{0}); err != nil {
		return nil, errors.Join(err, p.partial.Free())
	}
	return p, nil
}

// load loads OnePass with the vectors of T.
func load[T Float](dev *gridstride.Device) (onePass[T], error) {
	var l any
	var err error
	switch any(T(0)).(type) {
	case float32:
		l, err = loadVectors[float32, gpu.Float32x4](dev)
	case float64:
		l, err = loadVectors[float64, gpu.Float64x2](dev)
	}
	return l.(onePass[T]), err
}

func loadVectors[T Float, V gpu.Float32x4 | gpu.Float64x2](dev *gridstride.Device) (onePass[T], error) {
	k, err := LoadOnePass[T, V](dev)
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b, partial gridstride.Buffer[T],
		ticket gridstride.Buffer[uint32], result gridstride.Buffer[T],
	) error {
		av, bv, a, b, err := Vectors[V](a, b)
		if err != nil {
			return err
		}
		return k.Launch(s, cfg, av, bv, a, b, partial, ticket, result)
	}, err
}

// Vectors takes a and b, of one length, apart into vectors of 16 bytes and the remaining few
// elements. If a or b is a view that starts in the middle of a vector, there are no vectors, and
// all elements remain.
//
// Errors: [gridstride.Cast]'s.
func Vectors[V any, T Float](a, b gridstride.Buffer[T]) (
	av, bv gridstride.Buffer[V], restA, restB gridstride.Buffer[T], err error,
) {
	if !a.Aligned(16) || !b.Aligned(16) {
		return av, bv, a, b, nil
	}
	n := a.Len()
	whole := n / lanes[T]() * lanes[T]()
	if av, err = gridstride.Cast[V](a.Slice(0, whole)); err != nil {
		return av, bv, a, b, err
	}
	bv, err = gridstride.Cast[V](b.Slice(0, whole))
	return av, bv, a.Slice(whole, n), b.Slice(whole, n), err
}

// Launch queues the dot product of a and b on s, which becomes result[0], and returns before it has
// run. result belongs to the caller and has one element or more.
//
// Errors, all before anything is queued: [Check]'s, a result without an element, and
// [gridstride.Kernel.Launch]'s, such as [gridstride.ErrFreed] and [gridstride.ErrWrongDevice].
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b, result gridstride.Buffer[T]) error {
	if err := Check(a, b); err != nil {
		return err
	}
	if result.Len() < 1 {
		return errors.New("dot: the buffer for the result has no elements: it takes one")
	}
	blocks := Blocks[T](a.Len(), p.partial.Len())
	return p.launch(s, gridstride.Grid(blocks).Block(Block), a, b, p.partial, p.ticket, result)
}

// Free gives the working memory back. What is queued still runs. Every later use of the plan is
// refused with [gridstride.ErrFreed].
func (p *Plan[T]) Free() error { return errors.Join(p.partial.Free(), p.ticket.Free()) }
