package native

import (
	"unsafe"

	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// shape is the pattern of an access's 32 addresses. The code finds it at a block's first access by a
// register, and remembers it for further accesses of elements of the same size by that register.
type shape int32

const (
	anyShape   shape = iota // not known
	rowShape                // elements that follow each other
	stripRows               // a row for each strip
	stripOnes               // an element for each strip
	otherShape              // none of these
)

// mostShapes is how many shapes the code of a block remembers.
const mostShapes = 16

// noShape is of an access whose shape nothing else needs.
const noShape = -1

// shapeKey names the accesses that have one shape.
type shapeKey struct {
	base uint32
	elem int
}

// findShapes numbers the shapes of a block's accesses: those that by one register access elements of one
// size, without a change of the register between them.
func (bp *blockPlan) findShapes() {
	last := map[shapeKey]int{} // the step of the last such access
	n := 0
	for i := range bp.steps {
		s := &bp.steps[i]
		s.shape = noShape
		if s.kind == access {
			m := transferOf(&s.insts[0])
			key := shapeKey{s.insts[0].Mem[0].Base.Off, m.elem}
			if before, ok := last[key]; ok && m.rowed(&s.insts[0]) {
				if bp.steps[before].shape == noShape && n < mostShapes {
					bp.steps[before].shape = n
					n++
				}
				s.shape = bp.steps[before].shape
			}
			if m.rowed(&s.insts[0]) {
				last[key] = i
			}
		}
		from, end := s.from, s.from+len(s.insts)
		if i+1 < len(bp.steps) {
			end = bp.steps[i+1].from // the interpreter runs instructions up to there
		}
		for _, in := range bp.Insts[from:end] {
			for _, d := range in.Dst {
				for key := range last {
					if key.base == d.Off || d.Bits == 128 && key.base == d.Half(1).Off {
						delete(last, key)
					}
				}
			}
		}
	}
	bp.shapes = n
}

// shapeAt is where a shape is.
func shapeAt(n int) Mem { return context(unsafe.Offsetof(Context{}.shapes) + uintptr(4*n)) }

// forgetShapes begins an entry in the middle of a block.
func (b *builder) forgetShapes(bp *blockPlan) {
	if b.some {
		return
	}
	for n := range bp.shapes {
		b.SaveImm(shapeAt(n), int32(anyShape))
	}
}

// remember notes the shape of an access.
func (b *builder) remember(n int, s shape) {
	if n != noShape {
		b.SaveImm(shapeAt(n), int32(s))
	}
}

// whenShape goes to a label if an access is known to have a shape.
func (b *builder) whenShape(n int, s shape, to Label) {
	if n != noShape {
		b.OpImm(CMP, 32, shapeAt(n), int32(s))
		b.Jump(E, to)
	}
}
