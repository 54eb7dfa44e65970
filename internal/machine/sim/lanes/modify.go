package lanes

import (
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Modify computes the new value in memory from the old one for an atomic: Wide for 64 bits, Narrow
// for fewer. b is the operand. For cas, b is the value to compare with and c the new value.
type Modify struct {
	Narrow func(old, b, c uint32) uint32
	Wide   func(old, b, c uint64) uint64
	// Global is Narrow for global memory if it differs there, and otherwise nil. Sums of float32
	// flush there.
	Global func(old, b, c uint32) uint32
}

// ModifyBy is the operation of atom and red.
func ModifyBy(in *code.Inst) (m Modify) {
	op := in.Fn
	switch in.Type {
	case ptx.F32:
		m.Narrow = func(old, b, _ uint32) uint32 {
			return sum32(math.Float32frombits(old), math.Float32frombits(b))
		}
		m.Global = func(old, b, _ uint32) uint32 {
			s := sum32(softfloat.Flush32(math.Float32frombits(old)), softfloat.Flush32(math.Float32frombits(b)))
			return math.Float32bits(softfloat.Flush32(math.Float32frombits(s)))
		}
	case ptx.F64:
		m.Wide = func(old, b, _ uint64) uint64 {
			x, y := math.Float64frombits(old), math.Float64frombits(b)
			s := x + y
			if s != s {
				s = softfloat.NaNOf(x, y)
			}
			return math.Float64bits(s)
		}
	case ptx.F16, ptx.BF16:
		f := modifyShort(op, shortFormats[in.Type])
		m.Narrow = func(old, b, _ uint32) uint32 { return f(old, b) }
	case ptx.F16x2, ptx.BF16x2:
		f := modifyShort(op, shortFormats[in.Type])
		m.Narrow = func(old, b, _ uint32) uint32 {
			return f(old&0xffff, b&0xffff) | f(old>>16, b>>16)<<16
		}
	case ptx.S32:
		f := modifySigned[int32](op)
		m.Narrow = func(old, b, _ uint32) uint32 { return uint32(f(int32(old), int32(b))) }
	case ptx.S64:
		f := modifySigned[int64](op)
		m.Wide = func(old, b, _ uint64) uint64 { return uint64(f(int64(old), int64(b))) }
	case ptx.U64, ptx.B64:
		m.Wide = modify[uint64](op)
	default:
		m.Narrow = modify[uint32](op)
	}
	return m
}

// modifyShort is the operation on f16 or bf16.
func modifyShort(op code.Function, fm *softfloat.Format) func(old, b uint32) uint32 {
	extreme := func(choose func(a, b float64) float64) func(old, b uint32) uint32 {
		return func(old, b uint32) uint32 {
			return fm.Round(choose(fm.Value(old), fm.Value(b)), softfloat.Nearest)
		}
	}
	switch op {
	case code.FnMin:
		return extreme(lesser[float64])
	case code.FnMax:
		return extreme(greater[float64])
	}
	return fm.Add
}

// sum32 is the bits of a sum.
func sum32(x, y float32) uint32 {
	s := x + y
	if s != s {
		return softfloat.NaN32
	}
	return math.Float32bits(s)
}

// modifySigned is the operation on signed integers.
func modifySigned[T int32 | int64](name code.Function) func(old, b T) T {
	switch name {
	case code.FnAdd:
		return func(old, b T) T { return old + b }
	case code.FnMin:
		return func(old, b T) T { return min(old, b) }
	case code.FnMax:
		return func(old, b T) T { return max(old, b) }
	}
	return nil
}

// modify is the operation on unsigned integers and bits.
func modify[T uint32 | uint64](name code.Function) func(old, b, c T) T {
	switch name {
	case code.FnAdd:
		return func(old, b, _ T) T { return old + b }
	case code.FnMin:
		return func(old, b, _ T) T { return min(old, b) }
	case code.FnMax:
		return func(old, b, _ T) T { return max(old, b) }
	case code.FnAnd:
		return func(old, b, _ T) T { return old & b }
	case code.FnOr:
		return func(old, b, _ T) T { return old | b }
	case code.FnXor:
		return func(old, b, _ T) T { return old ^ b }
	case code.FnExch:
		return func(_, b, _ T) T { return b }
	case code.FnCAS:
		return func(old, b, c T) T {
			if old == b {
				return c
			}
			return old
		}
	case code.FnInc:
		return func(old, b, _ T) T {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case code.FnDec:
		return func(old, b, _ T) T {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	}
	return nil
}
