package pass

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Alignments gives a function that says of a pointer of f what its address is certainly a multiple
// of.
func Alignments(f *ir.Func) func(*ir.Value) int {
	zeros := alignments(f)
	return func(v *ir.Value) int { return 1 << min(zeros[v.ID], 30) }
}

// alignments finds, for every integer and pointer, how many low bits are certainly zero: by ID. A
// pointer's zeros are those common to its object and its offset. The iteration starts from all
// zeros and goes down, so a pointer that is bumped in a loop keeps its alignment.
func alignments(f *ir.Func) []int {
	const most = 32
	zeros := make([]int, f.NumValues())
	for i := range zeros {
		zeros[i] = most
	}
	order, kept := f.Dominators().Order, newKeptPointers(f)
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			for _, v := range b.Instrs {
				if v.Type != ir.Ptr && !v.Type.IsInt() {
					continue
				}
				if z := min(lowZeros(f, v, kept, zeros), most); z < zeros[v.ID] {
					zeros[v.ID] = z
					changed = true
				}
			}
		}
	}
	return zeros
}

// lowZeros is how many low bits of v are zero, from what is known of its arguments.
func lowZeros(f *ir.Func, v *ir.Value, kept *keptPointers, zeros []int) int {
	arg := func(i int) int { return zeros[v.Args[i].ID] }
	log := func(align int) int { return bits.TrailingZeros(uint(max(align, 1))) }
	switch v.Op {
	case ir.Const:
		return bits.TrailingZeros64(v.Int)
	case ir.NilPtr:
		return 32
	case ir.ParamVal:
		if v.Type == ir.Ptr {
			return log(f.Params[v.Int].Align)
		}
	case ir.VarAddr:
		return log(v.Var.Align)
	case ir.Alloca:
		return log(v.Align)
	case ir.PtrAdd, ir.Add, ir.Subtract, ir.Or, ir.Xor, ir.MinS, ir.MaxS, ir.MinU, ir.MaxU:
		return min(arg(0), arg(1))
	case ir.And:
		return max(arg(0), arg(1))
	case ir.Mul:
		return arg(0) + arg(1)
	case ir.Shl:
		if k, ok := v.Args[1].IntConst(); ok && k >= 0 && k < 64 {
			return arg(0) + int(k)
		}
		return arg(0)
	case ir.Neg, ir.Sext32, ir.Zext32, ir.Trunc:
		return arg(0)
	case ir.Select:
		return min(arg(1), arg(2))
	case ir.Load:
		if pointers, ok := kept.of(v); ok && v.Type == ir.Ptr {
			z := 32
			for _, p := range pointers {
				z = min(z, zeros[p.ID])
			}
			return z
		}
	case ir.Phi:
		z := 32
		for i := range v.Args {
			z = min(z, arg(i))
		}
		return z
	}
	return 0
}
