package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// word is what a register slot holds for each lane. Registers of 8 and 16 bits live in 32-bit
// slots, zero-extended.
type word interface {
	uint32 | uint64 | int32 | int64 | float32 | float64
}

// reg is a register slot of the current frame. This is the one place that trusts offsets: the
// decoder hands out slots inside the file and takes care that each is only used at its own width.
func reg[T word](w *warp, slot uint32) *[WarpSize]T {
	return (*[WarpSize]T)(unsafe.Add(w.base, slot))
}

// predicate is a predicate register: bit i belongs to lane i.
func predicate(w *warp, slot uint32) *uint32 { return (*uint32)(unsafe.Add(w.base, slot)) }

// setPredicate writes the bits of the running lanes.
func (w *warp) setPredicate(slot, to uint32) {
	p := predicate(w, slot)
	*p = *p&^w.exec | to&w.exec
}

// blend copies the running lanes of slot from to slot to.
func blend[T word](w *warp, to, from uint32) {
	d, s := reg[T](w, to), reg[T](w, from)
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = s[i]
	}
}

// Bytes of a slot.
const (
	slot32   = WarpSize * 4
	slot64   = WarpSize * 8
	slotPred = 4
)

// fileLayout is the layout of a function's register file and what it holds when a frame starts.
type fileLayout struct {
	size      uint32
	predFree  uint32            // rest of the slot in which predicates are packed
	constants map[constant]slot // slots that nothing writes
	image     []uint64          // the file of a fresh frame
	scratch   uint32            // a 64-bit slot for masked results
}

// slot is where a register lives, and how wide it is: 1 (a predicate), 32, 64 or 128 bits a lane.
type slot struct {
	off  uint32
	bits int
}

type constant struct {
	bits  int
	value uint64
}

func newFileLayout() fileLayout {
	l := fileLayout{constants: map[constant]slot{}}
	l.scratch = l.alloc(64).off
	return l
}

// alloc reserves a slot.
func (l *fileLayout) alloc(width int) slot {
	s := slot{off: l.size, bits: width}
	switch width {
	case 1:
		if l.predFree == 0 {
			l.predFree = l.size
			l.size += slot32
		}
		s.off = l.predFree
		if l.predFree += slotPred; l.predFree%slot32 == 0 {
			l.predFree = 0
		}
		return s
	case 32:
		l.size += slot32
	case 64:
		l.size += slot64
	case 128:
		l.size += 2 * slot64
	default:
		panic(fmt.Sprintf("BUG: register of %d bits", width))
	}
	return s
}

// constant returns a slot that holds a value in every lane. A 1-bit constant is 0 or 1.
func (l *fileLayout) constant(width int, value uint64) slot {
	switch width {
	case 32:
		value &= 1<<32 - 1
	case 1:
		value &= 1
	}
	key := constant{width, value}
	s, ok := l.constants[key]
	if !ok {
		s = l.alloc(width)
		l.constants[key] = s
	}
	return s
}

// finish builds the image once all slots are known.
func (l *fileLayout) finish() {
	l.image = make([]uint64, (l.size+7)/8)
	base := unsafe.Pointer(unsafe.SliceData(l.image))
	for c, s := range l.constants {
		p := unsafe.Add(base, s.off)
		switch c.bits {
		case 1:
			*(*uint32)(p) = -uint32(c.value)
		case 32:
			fill((*[WarpSize]uint32)(p), uint32(c.value))
		case 64:
			fill((*[WarpSize]uint64)(p), c.value)
		}
	}
}

func fill[T any](to *[WarpSize]T, v T) {
	for i := range to {
		to[i] = v
	}
}

// registerFile is the storage of one frame's registers.
type registerFile []uint64

func (l *fileLayout) newFile() registerFile { return slices.Clone(l.image) }
