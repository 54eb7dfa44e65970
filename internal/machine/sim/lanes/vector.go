package lanes

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The operations below compute several lanes at a time with the processor's vector instructions
// (vector_amd64.s). They take the place of loops in Go where the processor has the instructions, and
// give the same bits. The loops are the definition: a test compares the two.

// vectorKey names an operation: its opcode, with ".wide" for a product of twice the width, and the
// type of its operands.
type vectorKey struct {
	op string
	t  ptx.Type
}

// vectorOf is the vector operation of an instruction, nil for none.
func vectorOf(in *code.Inst) Op {
	key := vectorKey{in.Op, in.Type}
	if in.Has("wide") {
		key.op += ".wide"
	}
	switch {
	case in.Has("sat"), in.Has("relu"), in.Has("ftz"), in.Has("hi"), in.Mod("half") == "hi":
		return nil
	case softfloat.Roundings[in.Mod("rnd")] != softfloat.Nearest:
		return nil
	}
	return vectorOps[key]
}

// loopsOf are the three loops of a comparison of operands of a type.
func loopsOf(t ptx.Type) [3]comparison {
	if v, ok := vectorLoops[t]; ok {
		return v
	}
	return loops[t]
}

// Consecutive reports whether the lanes' addresses follow each other in steps: a[i] is a[0]+i*step.
// A step is less than 2^32.
func Consecutive(a *[abi.WarpSize]uint64, step uint64) bool {
	if hasVectors {
		return vectorConsecutive(unsafe.Pointer(a), step)
	}
	for i := range a {
		if a[i] != a[0]+uint64(i)*step {
			return false
		}
	}
	return true
}

// CopyRow copies size bytes, a multiple of 128 above 0, and tells the processor that the same number
// of bytes at address next will be read soon. Nothing need be there.
func CopyRow(to, from unsafe.Pointer, next uintptr, size int) {
	if hasVectors {
		vectorCopy(to, from, next, size/rowLine)
		return
	}
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
}

// rowLine is how many bytes CopyRow copies at a time: a value of 32 bits for each lane.
const rowLine = abi.WarpSize * 4
