package vet

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

const warpSize = 32

// warpWide recognizes the operations on a thread's index whose result is the same for all lanes of
// a warp: tid < 64, tid/32, tid>>5, tid&^31. ok says that v is one.
func (u *uniformity) warpWide(v *ssa.BinOp) (d Dependence, ok bool) {
	index, bound := v.X, v.Y
	switch v.Op {
	case token.LSS, token.GEQ: // whole warps are below a multiple of the warp's size
		ok = u.isThread(index) && u.isMultiple(bound, 0)
		if !ok && u.isThread(bound) { // 63 < tid
			index, bound = bound, index
			ok = u.isMultiple(bound, 1)
		}
	case token.LEQ, token.GTR:
		ok = u.isThread(index) && u.isMultiple(bound, 1)
		if !ok && u.isThread(bound) { // 64 <= tid
			index, bound = bound, index
			ok = u.isMultiple(bound, 0)
		}
	case token.QUO:
		ok = u.isThread(index) && u.isMultiple(bound, 0)
	case token.SHR:
		shift, known := constInt(bound)
		ok = u.isThread(index) && known && shift >= 5
	case token.AND_NOT:
		mask, known := constInt(bound)
		ok = u.isThread(index) && known && mask&(warpSize-1) == warpSize-1
	}
	if !ok {
		return d, false
	}
	return Dependence{Own: PerWarp}.or(u.of(bound)), true
}

// isThread reports whether a value is the index of the thread in its block, or that plus a multiple
// of the warp's size: ThreadIdx.X, ThreadIdx.Y*BlockDim.X + ThreadIdx.X, the index in the grid, the
// counter of a loop that begins there.
func (u *uniformity) isThread(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		name, field := register(v.X)
		return v.Op == token.MUL && name == "ThreadIdx" && field == "X"
	case *ssa.Convert:
		return u.isThread(v.X)
	case *ssa.ChangeType:
		return u.isThread(v.X)
	case *ssa.Phi:
		from, step := counter(v)
		return from != nil && u.isThread(from) && u.isOffset(step)
	case *ssa.BinOp:
		if v.Op != token.ADD {
			return false
		}
		return u.isThread(v.X) && u.isOffset(v.Y) || u.isThread(v.Y) && u.isOffset(v.X)
	}
	return false
}

// isOffset reports whether a value moves all lanes of a warp by the same number of whole warps.
func (u *uniformity) isOffset(v ssa.Value) bool {
	return isRow(v) || u.isMultiple(v, 0) && u.of(v).Own&PerLane == 0
}

// counter takes a loop's counter apart, into its first value and what each round adds to it; nil if
// it is none.
func counter(phi *ssa.Phi) (from, step ssa.Value) {
	if len(phi.Edges) != 2 {
		return nil, nil
	}
	for i, edge := range phi.Edges {
		if next, ok := edge.(*ssa.BinOp); ok && next.Op == token.ADD && next.X == phi {
			return phi.Edges[1-i], next.Y
		}
	}
	return nil, nil
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

// isMultiple reports whether a value plus an offset is a multiple of the warp's size. The size of a
// block counts as one unless the directive says otherwise, because other sizes waste lanes.
func (u *uniformity) isMultiple(v ssa.Value, offset int64) bool {
	if n, known := constInt(v); known {
		return (n+offset)%warpSize == 0
	}
	if offset != 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return u.isMultiple(v.X, 0)
	case *ssa.UnOp:
		name, field := register(v.X)
		return v.Op == token.MUL && name == "BlockDim" && field == "X" &&
			(u.kernel == nil || u.kernel.Block[0]%warpSize == 0)
	case *ssa.BinOp:
		return u.isProduct(v)
	}
	return false
}

func (u *uniformity) isProduct(v *ssa.BinOp) bool {
	switch v.Op {
	case token.MUL:
		return u.isMultiple(v.X, 0) || u.isMultiple(v.Y, 0)
	case token.ADD, token.SUB:
		return u.isMultiple(v.X, 0) && u.isMultiple(v.Y, 0)
	case token.SHL:
		shift, known := constInt(v.Y)
		return known && shift >= 5
	case token.AND_NOT:
		mask, known := constInt(v.Y)
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
