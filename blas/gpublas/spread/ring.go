package spread

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// ring hands the parts of a matrix B round the ranks. A rank copies a part on its stream for copies,
// into one of two rooms, while its own stream multiplies by the part in the other room.
type ring[T gpublas.Element] struct {
	ranks []*rank
	b     []gpublas.Matrix[T]
	moves bool // whether a rank reads another rank's part at all

	begun []*gridstride.Event // of each rank's stream: its part is complete
	rooms [][2]gridstride.Buffer[T]
	freed [][2]*gridstride.Event // of each room: the product that reads it has run
}

// begin allocates the rooms.
func (x *ring[T]) begin() error {
	x.begun = make([]*gridstride.Event, len(x.ranks))
	x.rooms, x.freed = make([][2]gridstride.Buffer[T], len(x.ranks)), make([][2]*gridstride.Event, len(x.ranks))
	if !x.moves {
		return nil
	}
	most := 0
	for _, b := range x.b {
		most = max(most, operand.Matrix[T](b).Span().Len())
	}
	for r, k := range x.ranks {
		s := k.core.Stream()
		x.begun[r] = s.Record()
		for i := range min(2, len(x.ranks)-1) {
			var err error
			if x.rooms[r][i], err = gridstride.Make[T](s.Device(), most); err != nil {
				return errors.Join(fmt.Errorf("rank %d: %w", r, err), x.free())
			}
		}
	}
	return nil
}

// room is the number of the room that a step's part lies in.
func room(step int) int { return (step + 1) % 2 }

// take returns rank q's part of B where rank r can read it, for what is queued next on r's stream.
func (x *ring[T]) take(r, q, step int) (gpublas.Matrix[T], error) {
	part := x.b[q]
	from := operand.Matrix[T](part).Span()
	if step == 0 || !x.moves || from.Len() == 0 {
		return part, nil
	}
	k, i := x.ranks[r], room(step)
	waits := []*gridstride.Event{x.begun[q]}
	if x.freed[r][i] != nil {
		waits = append(waits, x.freed[r][i])
	}
	for _, e := range waits {
		if err := k.copies.After(e); err != nil {
			return part, err
		}
	}
	part.Data = x.rooms[r][i].Slice(0, from.Len())
	if err := gridstride.Copy(k.copies, part.Data, from); err != nil {
		return part, err
	}
	return part, k.core.Stream().After(k.copies.Record())
}

// done notes that rank r's product of a step is queued.
func (x *ring[T]) done(r, step int) {
	if step > 0 && x.moves {
		x.freed[r][room(step)] = x.ranks[r].core.Stream().Record()
	}
}

// end has each rank's stream wait for all that reads the rank's part, and gives the rooms back.
func (x *ring[T]) end() error {
	if !x.moves {
		return nil
	}
	var errs []error
	for r, k := range x.ranks {
		read := k.copies.Record()
		for q, other := range x.ranks {
			if q != r {
				errs = append(errs, other.core.Stream().After(read))
			}
		}
	}
	return errors.Join(append(errs, x.free())...)
}

// free gives the rooms back: what is queued still uses them.
func (x *ring[T]) free() error {
	var errs []error
	for r := range x.rooms {
		for i := range x.rooms[r] {
			errs = append(errs, x.rooms[r][i].Free())
			x.rooms[r][i] = gridstride.Buffer[T]{}
		}
	}
	return errors.Join(errs...)
}
