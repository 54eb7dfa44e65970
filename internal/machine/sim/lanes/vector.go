package lanes

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// The operations below compute several lanes at a time with the processor's vector instructions
// (vector_amd64.s). They take the place of loops in Go where the processor has the instructions, and
// give the same bits. The loops are the definition: a test compares the two.

// vectorKey names an operation: what it does, the type of its operands, and whether it is a product
// of twice the width.
type vectorKey struct {
	op   code.Op
	t    ptx.Type
	wide bool
}

// vectorOf is the vector operation of an instruction, nil for none.
func vectorOf(in *code.Inst) Op {
	const other = code.Saturate | code.ReLU | code.FTZ | code.High
	if in.Flags&other != 0 || in.Rounding != softfloat.Nearest {
		return nil
	}
	return vectorOps[vectorKey{in.Op, in.Type, in.Has(code.Wide)}]
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
func Consecutive[A uint32 | uint64](a *[abi.WarpSize]A, step A) bool {
	switch {
	case hasVectors && unsafe.Sizeof(step) == 8:
		return vectorConsecutive(unsafe.Pointer(a), uint64(step))
	case hasVectors:
		return vectorConsecutive32(unsafe.Pointer(a), uint64(step))
	}
	next := a[0]
	for i := range a {
		if a[i] != next {
			return false
		}
		next += step
	}
	return true
}

// Gather loads a value for each lane, d[i] from mem at offset a[i]-base, if all offsets are
// multiples of the value's size and leave the value within the size bytes at mem. It reports whether
// it did. Else it leaves d alone. It reports false, too, where the processor has no fast way.
func Gather[T, A uint32 | uint64](d *[abi.WarpSize]T, a *[abi.WarpSize]A, base A, mem unsafe.Pointer, size uint64) bool {
	value := uint64(unsafe.Sizeof(d[0]))
	if !hasVectors || size < value {
		return false
	}
	limit := size - value // of an offset
	switch wide := unsafe.Sizeof(base) == 8; {
	case wide && value == 4:
		return vectorGather32Wide(unsafe.Pointer(d), unsafe.Pointer(a), uint64(base), mem, limit)
	case wide:
		return vectorGather64Wide(unsafe.Pointer(d), unsafe.Pointer(a), uint64(base), mem, limit)
	case value == 4:
		return vectorGather32(unsafe.Pointer(d), unsafe.Pointer(a), uint64(base), mem, min(limit, math.MaxUint32))
	}
	return false
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
