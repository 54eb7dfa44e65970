package sim

import (
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has cp.reduce.async.bulk and its form for tensors: copies in bulk from shared memory
// that add to what is at their destination, or combine it in another way. Each element is an atomic
// by itself, relaxed and of the scope of the GPU. Sums of float32 keep subnormals, as on an H100,
// where sums of atomics in global memory do not.

// reducer combines the elements of a destination with a source's. Both are bytes of whole elements.
type reducer func(to, from []byte)

// reducible are the types that each operation combines.
var reducible = map[code.Function][]ptx.Type{
	code.FnAdd: {ptx.U32, ptx.S32, ptx.U64, ptx.F16, ptx.BF16, ptx.F32, ptx.F64},
	code.FnMin: {ptx.U32, ptx.S32, ptx.U64, ptx.S64, ptx.F16, ptx.BF16},
	code.FnMax: {ptx.U32, ptx.S32, ptx.U64, ptx.S64, ptx.F16, ptx.BF16},
	code.FnInc: {ptx.U32}, code.FnDec: {ptx.U32},
	code.FnAnd: {ptx.B32, ptx.B64}, code.FnOr: {ptx.B32, ptx.B64}, code.FnXor: {ptx.B32, ptx.B64},
}

// bitwise says whether an operation works on bits, whatever the type of the elements is.
func bitwise(op code.Function) bool { return slices.Contains(reducible[op], ptx.B32) }

// pairs are the types of two elements of 16 bits, which are combined as one word.
var pairs = map[ptx.Type]ptx.Type{ptx.F16: ptx.F16x2, ptx.BF16: ptx.BF16x2}

// reducerOf is the reducer of an operation on elements of a type, or nil if there is none. For
// memory that other workers see it uses the processor's atomics.
func reducerOf(op code.Function, t ptx.Type, shared bool) reducer {
	if !slices.Contains(reducible[op], t) {
		return nil
	}
	if pair, ok := pairs[t]; ok {
		t = pair
	}
	m := lanes.ModifyBy(&code.Inst{Op: ptx.OpRed, Type: t, Attributes: code.Attributes{Fn: op}})
	if m.Wide != nil {
		return func(to, from []byte) {
			for i := 0; i < len(from); i += 8 {
				rmw64((*uint64)(unsafe.Pointer(&to[i])), m.Wide, *(*uint64)(unsafe.Pointer(&from[i])), 0, shared)
			}
		}
	}
	return func(to, from []byte) {
		for i := 0; i < len(from); i += 4 {
			rmw32((*uint32)(unsafe.Pointer(&to[i])), m.Narrow, *(*uint32)(unsafe.Pointer(&from[i])), 0, shared)
		}
	}
}

// tensorElements are the types of the elements of tensors that can be combined.
var tensorElements = map[abi.TensorType]ptx.Type{
	abi.TensorUint32: ptx.U32, abi.TensorInt32: ptx.S32, abi.TensorUint64: ptx.U64, abi.TensorInt64: ptx.S64,
	abi.TensorFloat16: ptx.F16, abi.TensorBFloat16: ptx.BF16, abi.TensorFloat32: ptx.F32, abi.TensorFloat64: ptx.F64,
}

// tensorReducer is the reducer of an operation on a tensor, or nil if there is none.
func tensorReducer(op code.Function, m *abi.TensorMap) reducer {
	t, ok := tensorElements[m.Type]
	if ok && bitwise(op) && !t.IsFloat() {
		t = map[int]ptx.Type{4: ptx.B32, 8: ptx.B64}[t.Bytes()]
	}
	return reducerOf(op, t, true)
}

// reduces marks the access to the destination of a reduction.
func reduces(to *inst) {
	op := to.mem
	op.reduces, op.order, op.scope = true, event.Relaxed, event.GPU
}
