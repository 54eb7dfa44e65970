//go:build !noasm

package lanes

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/ptx"
)

// hasVectors says that the processor has AVX2 and FMA, and that GRIDSTRIDE_CPU does not forbid them.
var hasVectors = asm.CPU >= asm.AVX2

// vectorOps are the operations with vector instructions. They compute all lanes of their
// destination.
var vectorOps = whereVectors(map[vectorKey]Op{
	{ptx.OpAdd, ptx.U32, false}: vectorAdd32, {ptx.OpAdd, ptx.S32, false}: vectorAdd32, {ptx.OpAdd, ptx.U64, false}: vectorAdd64, {ptx.OpAdd, ptx.S64, false}: vectorAdd64,
	{ptx.OpSub, ptx.U32, false}: vectorSub32, {ptx.OpSub, ptx.S32, false}: vectorSub32, {ptx.OpSub, ptx.U64, false}: vectorSub64, {ptx.OpSub, ptx.S64, false}: vectorSub64,
	{ptx.OpMul, ptx.U32, false}: vectorMul32, {ptx.OpMul, ptx.S32, false}: vectorMul32, {ptx.OpMad, ptx.U32, false}: vectorMad32, {ptx.OpMad, ptx.S32, false}: vectorMad32,
	{ptx.OpMul, ptx.U32, true}: vectorMulWideU32, {ptx.OpMul, ptx.S32, true}: vectorMulWideS32,
	{ptx.OpMad, ptx.U32, true}: vectorMadWideU32, {ptx.OpMad, ptx.S32, true}: vectorMadWideS32,
	{ptx.OpAnd, ptx.B32, false}: vectorAnd32, {ptx.OpAnd, ptx.B64, false}: vectorAnd64,
	{ptx.OpOr, ptx.B32, false}: vectorOr32, {ptx.OpOr, ptx.B64, false}: vectorOr64,
	{ptx.OpXor, ptx.B32, false}: vectorXor32, {ptx.OpXor, ptx.B64, false}: vectorXor64,
	{ptx.OpShl, ptx.B32, false}: vectorShl32, {ptx.OpShl, ptx.B64, false}: vectorShl64,
	{ptx.OpShr, ptx.B32, false}: vectorShrU32, {ptx.OpShr, ptx.U32, false}: vectorShrU32, {ptx.OpShr, ptx.S32, false}: vectorShrS32,
	{ptx.OpShr, ptx.B64, false}: vectorShrU64, {ptx.OpShr, ptx.U64, false}: vectorShrU64,
	{ptx.OpAdd, ptx.F32, false}: vectorAddF32, {ptx.OpSub, ptx.F32, false}: vectorSubF32, {ptx.OpMul, ptx.F32, false}: vectorMulF32, {ptx.OpFma, ptx.F32, false}: vectorFmaF32,
	{ptx.OpAdd, ptx.F64, false}: unlessNaN(vectorAddF64, addF64), {ptx.OpSub, ptx.F64, false}: unlessNaN(vectorSubF64, subF64),
	{ptx.OpMul, ptx.F64, false}: unlessNaN(vectorMulF64, mulF64), {ptx.OpFma, ptx.F64, false}: unlessNaN(vectorFmaF64, fmaF64),
})

// vectorLoops are the loops of comparisons with vector instructions.
var vectorLoops = whereVectors(map[ptx.Type][3]comparison{
	ptx.B32: {vectorEqual32}, ptx.B64: {vectorEqual64},
	ptx.U32: {vectorEqual32, vectorLessU32, notAbove(vectorLessU32)}, ptx.S32: {vectorEqual32, vectorLessS32, notAbove(vectorLessS32)},
	ptx.U64: {vectorEqual64, vectorLessU64, notAbove(vectorLessU64)}, ptx.S64: {vectorEqual64, vectorLessS64, notAbove(vectorLessS64)},
	ptx.F32: {vectorEqualF32, vectorLessF32, vectorLessEqualF32},
	ptx.F64: {vectorEqualF64, vectorLessF64, vectorLessEqualF64},
})

// whereVectors is table where the processor has the instructions, else nil.
func whereVectors[M ~map[K]V, K comparable, V any](table M) M {
	if hasVectors {
		return table
	}
	return nil
}

// unlessNaN makes an operation of a vector one that reports false, and stores nothing, where a
// result is a NaN: the loop knows which NaN that is.
func unlessNaN(vector func(w *Warp, in *Inst) bool, loop Op) Op {
	return func(w *Warp, in *Inst) {
		if !vector(w, in) {
			loop(w, in)
		}
	}
}

// notAbove makes "less or equal" of "less", for numbers that are ordered.
func notAbove(less comparison) comparison {
	return func(w *Warp, x, y uint32) uint32 { return ^less(w, y, x) }
}

//go:noescape
func vectorAdd32(w *Warp, in *Inst)

//go:noescape
func vectorSub32(w *Warp, in *Inst)

//go:noescape
func vectorMul32(w *Warp, in *Inst)

//go:noescape
func vectorAnd32(w *Warp, in *Inst)

//go:noescape
func vectorOr32(w *Warp, in *Inst)

//go:noescape
func vectorXor32(w *Warp, in *Inst)

//go:noescape
func vectorShl32(w *Warp, in *Inst)

//go:noescape
func vectorShrU32(w *Warp, in *Inst)

//go:noescape
func vectorShrS32(w *Warp, in *Inst)

//go:noescape
func vectorAdd64(w *Warp, in *Inst)

//go:noescape
func vectorSub64(w *Warp, in *Inst)

//go:noescape
func vectorAnd64(w *Warp, in *Inst)

//go:noescape
func vectorOr64(w *Warp, in *Inst)

//go:noescape
func vectorXor64(w *Warp, in *Inst)

//go:noescape
func vectorMad32(w *Warp, in *Inst)

//go:noescape
func vectorMulWideU32(w *Warp, in *Inst)

//go:noescape
func vectorMulWideS32(w *Warp, in *Inst)

//go:noescape
func vectorMadWideU32(w *Warp, in *Inst)

//go:noescape
func vectorMadWideS32(w *Warp, in *Inst)

//go:noescape
func vectorShl64(w *Warp, in *Inst)

//go:noescape
func vectorShrU64(w *Warp, in *Inst)

//go:noescape
func vectorAddF32(w *Warp, in *Inst)

//go:noescape
func vectorSubF32(w *Warp, in *Inst)

//go:noescape
func vectorMulF32(w *Warp, in *Inst)

//go:noescape
func vectorFmaF32(w *Warp, in *Inst)

//go:noescape
func vectorAddF64(w *Warp, in *Inst) bool

//go:noescape
func vectorSubF64(w *Warp, in *Inst) bool

//go:noescape
func vectorMulF64(w *Warp, in *Inst) bool

//go:noescape
func vectorFmaF64(w *Warp, in *Inst) bool

//go:noescape
func vectorEqual32(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessS32(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessU32(w *Warp, x, y uint32) uint32

//go:noescape
func vectorEqual64(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessS64(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessU64(w *Warp, x, y uint32) uint32

//go:noescape
func vectorEqualF32(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessF32(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessEqualF32(w *Warp, x, y uint32) uint32

//go:noescape
func vectorEqualF64(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessF64(w *Warp, x, y uint32) uint32

//go:noescape
func vectorLessEqualF64(w *Warp, x, y uint32) uint32

//go:noescape
func vectorConsecutive(a unsafe.Pointer, step uint64) bool

//go:noescape
func vectorCopy(to, from unsafe.Pointer, next uintptr, lines int)

//go:noescape
func vectorConsecutive32(a unsafe.Pointer, step uint64) bool

//go:noescape
func vectorGather32(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool

//go:noescape
func vectorGather32Wide(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool

//go:noescape
func vectorGather64Wide(d, a unsafe.Pointer, base uint64, mem unsafe.Pointer, limit uint64) bool
