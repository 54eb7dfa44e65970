package vet

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

const warpSize = 32

// warpWide recognizes the operations on a thread's index whose result is the same for all lanes of a warp: tid < 64, tid/32, tid>>5,
// tid&^31. ok says that v is one.
func (u *uniformity) warpWide(v *ssa.BinOp) (d Dependence, ok bool) {
	index, bound := v.X, v.Y
	switch v.Op {
	case token.LSS, token.GEQ: // whole warps lie below a multiple of the warp's size
		ok = isThread(index) && isMultiple(bound, 0)
		if !ok && isThread(bound) { // 63 < tid
			index, bound = bound, index
			ok = isMultiple(bound, 1)
		}
	case token.LEQ, token.GTR:
		ok = isThread(index) && isMultiple(bound, 1)
		if !ok && isThread(bound) { // 64 <= tid
			index, bound = bound, index
			ok = isMultiple(bound, 0)
		}
	case token.QUO:
		ok = isThread(index) && isMultiple(bound, 0)
	case token.SHR:
		shift, known := constInt(bound)
		ok = isThread(index) && known && shift >= 5
	case token.AND_NOT:
		mask, known := constInt(bound)
		ok = isThread(index) && known && mask&(warpSize-1) == warpSize-1
	}
	if !ok {
		return d, false
	}
	return Dependence{Own: PerWarp}.or(u.of(bound)), true
}

// isThread reports whether a value is the index of the thread in its block, or that plus a multiple of the warp's size: ThreadIdx.X, or
// ThreadIdx.Y*BlockDim.X + ThreadIdx.X and the like.
func isThread(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		name, field := register(v.X)
		return v.Op == token.MUL && name == "ThreadIdx" && field == "X"
	case *ssa.Convert:
		return isThread(v.X)
	case *ssa.ChangeType:
		return isThread(v.X)
	case *ssa.BinOp:
		if v.Op != token.ADD {
			return false
		}
		rest := func(x ssa.Value) bool { return isMultiple(x, 0) || isRow(x) }
		return isThread(v.X) && rest(v.Y) || isThread(v.Y) && rest(v.X)
	}
	return false
}

// isRow reports whether a value is the number of the threads in the rows before the thread's.
func isRow(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		name, field := register(v.X)
		return v.Op == token.MUL && name == "ThreadIdx" && field != "X" && field != ""
	case *ssa.BinOp:
		return (v.Op == token.MUL || v.Op == token.ADD) && (isRow(v.X) || isRow(v.Y))
	}
	return false
}

// isMultiple reports whether a value plus an offset is known to be a multiple of the warp's size.
func isMultiple(v ssa.Value, offset int64) bool {
	if n, known := constInt(v); known {
		return (n+offset)%warpSize == 0
	}
	b, ok := v.(*ssa.BinOp)
	if !ok || offset != 0 {
		return false
	}
	switch b.Op {
	case token.MUL:
		return isMultiple(b.X, 0) || isMultiple(b.Y, 0)
	case token.ADD, token.SUB:
		return isMultiple(b.X, 0) && isMultiple(b.Y, 0)
	case token.SHL:
		shift, known := constInt(b.Y)
		return known && shift >= 5
	case token.AND_NOT:
		mask, known := constInt(b.Y)
		return known && mask&(warpSize-1) == warpSize-1
	}
	return false
}

func constInt(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}
