package onepass

import (
	"errors"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/order"
)

// Parts are one vector, or two, as kernels take them.
type Parts[T operand.Float, V any] struct {
	XV, YV gridstride.Buffer[V] // of 16 bytes
	X, Y   gridstride.Buffer[T]
	Rest   Rest
	Blocks int // of a grid that is worth its launch, where the blocks meet
}

// Split takes one vector apart.
//
// Errors: [gridstride.Cast]'s, also for SplitPair.
func Split[V any, T operand.Float](x operand.Vector[T]) (p Parts[T, V], err error) {
	p = Parts[T, V]{X: x.Data, Rest: Rest{X: x.First(), IncX: x.Inc, Y: x.First(), IncY: x.Inc}}
	wide := p.cut(x.N, single, misplaced(x.Data), x.Inc == 1)
	p.XV, err = vectors[V](x.Data, p.Rest.Head, wide)
	return p, err
}

// SplitPair takes two vectors of one length apart. They have vectors of 16 bytes only where both
// begin at the same place of 16 bytes.
func SplitPair[V any, T operand.Float](x, y operand.Vector[T]) (Parts[T, V], error) {
	p := Parts[T, V]{X: x.Data, Y: y.Data, Rest: Rest{X: x.First(), IncX: x.Inc, Y: y.First(), IncY: y.Inc}}
	wide := p.cut(x.N, double, misplaced(x.Data), x.Inc == 1 && y.Inc == 1 && misplaced(x.Data) == misplaced(y.Data))
	var errX, errY error
	p.XV, errX = vectors[V](x.Data, p.Rest.Head, wide)
	p.YV, errY = vectors[V](y.Data, p.Rest.Head, wide)
	return p, errors.Join(errX, errY)
}

// cut sets the sizes for n elements. wide says that the elements are side by side. Then the first
// one is misplaced elements after a multiple of 16 bytes, and a thread takes vectors of 16 bytes,
// together at a time. It returns the number of elements in vectors.
func (p *Parts[T, V]) cut(n, together, misplaced int, wide bool) int {
	head, whole, tile := 0, 0, few*Block
	if wide {
		head = min((lanes[T]()-misplaced)%lanes[T](), n)
		whole = (n - head) / lanes[T]() * lanes[T]()
		tile = together * Block * lanes[T]()
	}
	p.Rest.N, p.Rest.Head, p.Rest.Skip = n-whole, head, whole
	if p.Blocks = min((n-1)/tile+1, order.MaxBlocks); n <= 3*tile { // one block alone is done with three tiles before three blocks would have met
		p.Blocks = 1
	}
	return whole
}

// Grid is the number of blocks with a thread for each vector of 16 bytes, or each element of the
// rest, for kernels whose blocks do not meet.
func (p *Parts[T, V]) Grid() gridstride.Config {
	return gridstride.Grid((max(p.Rest.Skip/lanes[T](), p.Rest.N, 1)-1)/Block + 1)
}

// vectors is n elements from index first on as vectors of 16 bytes.
func vectors[V any, T operand.Float](data gridstride.Buffer[T], first, n int) (gridstride.Buffer[V], error) {
	if n == 0 {
		return gridstride.Buffer[V]{}, nil // the view might begin where no vector may
	}
	return gridstride.Cast[V](data.Slice(first, first+n))
}

// lanes is the number of elements in 16 bytes.
func lanes[T operand.Float]() int { return 16 / int(unsafe.Sizeof(T(0))) }

// misplaced is the number of elements from a multiple of 16 bytes to the first one.
func misplaced[T operand.Float](b gridstride.Buffer[T]) int {
	return int(b.DevicePtr()) / int(unsafe.Sizeof(T(0))) % lanes[T]()
}
