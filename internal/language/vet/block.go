package vet

import (
	"go/token"
	"math/bits"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// blockWide recognizes comparisons of a thread's index with a bound that has the same result for
// all threads of a block: with threads t from 0 to 63 and a bound n that is a multiple of 64,
// t+64*k < n holds for all of them or for none. So a loop from the thread's index to a length that
// is rounded up to whole blocks, in strides of whole blocks, is gone round equally often. ok says
// that v is one.
func (u *uniformity) blockWide(v *ssa.BinOp) (d Dependence, ok bool) {
	index, bound, op := v.X, v.Y, v.Op
	if d, ok = u.beyondThread(index); !ok { // n > i
		index, bound = bound, index
		mirrored := map[token.Token]token.Token{token.GTR: token.LSS, token.LEQ: token.GEQ, token.LSS: token.GTR, token.GEQ: token.LEQ}
		op = mirrored[op]
		if d, ok = u.beyondThread(index); !ok {
			return d, false
		}
	}
	switch op {
	case token.LSS, token.GEQ:
		ok = u.isBlocks(bound)
	case token.LEQ, token.GTR:
		ok = u.isBelowBlocks(bound)
	default:
		ok = false
	}
	return d.or(u.of(bound)), ok
}

// beyondThread is the dependence of what a value is beyond the thread's index in X, where that is a
// number of whole blocks: of BlockIdx.X*BlockDim.X in the index in the grid, and of the rounds in
// the counter of a loop. ok says that the value is of that form.
func (u *uniformity) beyondThread(v ssa.Value) (d Dependence, ok bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		name, field := register(v.X)
		return d, v.Op == token.MUL && name == "ThreadIdx" && field == "X"
	case *ssa.Convert:
		return u.beyondThread(v.X)
	case *ssa.ChangeType:
		return u.beyondThread(v.X)
	case *ssa.Phi:
		from, step := counter(v)
		if from == nil || !u.isBlocks(step) {
			return d, false
		}
		d, ok = u.beyondThread(from)
		for _, j := range u.joins[v.Block().Index] {
			if j.rounds {
				d = d.or(u.branch(j.branch))
			}
		}
		return d.or(u.of(step)), ok
	case *ssa.BinOp:
		if v.Op != token.ADD {
			return d, false
		}
		if d, ok = u.beyondThread(v.X); ok && u.isBlocks(v.Y) {
			return d.or(u.of(v.Y)), true
		}
		d, ok = u.beyondThread(v.Y)
		return d.or(u.of(v.X)), ok && u.isBlocks(v.X)
	}
	return d, false
}

// isBlocks reports whether a value is a multiple of the block's size in X: of the one that the
// directive declares, else of gpu.BlockDim.X.
func (u *uniformity) isBlocks(v ssa.Value) bool {
	if n, known := constInt(v); known {
		return u.isBlockMultiple(n)
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return u.isBlocks(v.X)
	case *ssa.ChangeType:
		return u.isBlocks(v.X)
	case *ssa.UnOp:
		name, field := register(v.X)
		return v.Op == token.MUL && name == "BlockDim" && field == "X"
	case *ssa.BinOp:
		c, known := constInt(v.Y)
		switch v.Op {
		case token.MUL:
			return u.isBlocks(v.X) || u.isBlocks(v.Y)
		case token.ADD:
			return u.isBlocks(v.X) && u.isBlocks(v.Y)
		case token.SUB: // n - n%64
			rest, ok := v.Y.(*ssa.BinOp)
			return u.isBlocks(v.X) && u.isBlocks(v.Y) ||
				ok && rest.Op == token.REM && sameInteger(rest.X, v.X) && u.isBlocks(rest.Y)
		case token.SHL:
			return u.isBlocks(v.X) || known && 0 <= c && c < 62 && u.isBlockMultiple(1<<c)
		case token.AND_NOT: // n &^ 63
			return known && u.isBlockMultiple(1<<min(bits.TrailingZeros64(^uint64(c)), 62))
		case token.AND: // n & -64
			return known && u.isBlockMultiple(1<<min(bits.TrailingZeros64(uint64(c)), 62))
		}
	}
	return false
}

// sameInteger reports whether two values are surely equal, as two calls of len are.
func sameInteger(v, w ssa.Value) bool {
	ps := &polys{known: map[ssa.Value]poly{}}
	x, y := ps.of(v).String(), ps.of(w).String()
	return x == y && (v == w || !strings.Contains(x, unknown))
}

// isBelowBlocks reports whether a value is one less than such a multiple.
func (u *uniformity) isBelowBlocks(v ssa.Value) bool {
	if n, known := constInt(v); known {
		return u.isBlockMultiple(n + 1)
	}
	less, ok := v.(*ssa.BinOp)
	if !ok {
		return false
	}
	by, known := constInt(less.Y)
	return known && (less.Op == token.SUB && by == 1 || less.Op == token.ADD && by == -1) && u.isBlocks(less.X)
}

// isBlockMultiple reports whether a number is a multiple of the block's size in X that the
// directive declares.
func (u *uniformity) isBlockMultiple(n int64) bool {
	if n == 0 {
		return true
	}
	return u.kernel != nil && u.kernel.Block[0] > 0 && n%int64(u.kernel.Block[0]) == 0
}
