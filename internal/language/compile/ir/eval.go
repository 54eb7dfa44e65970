package ir

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Eval computes a pure operation on constants. args are bits as Value.Int holds them. It returns
// false where the result is not certain: for division by zero, and for floating-point results that
// are NaN, whose bits differ between machines.
func Eval(v *Value, args []uint64) (uint64, bool) {
	from := v.Type
	if len(v.Args) > 0 {
		from = v.Args[0].Type
	}
	switch {
	case v.Op == Cmp:
		return EvalCmp(v.Sub, from, args[0], args[1])
	case v.Op == Select:
		if args[0] != 0 {
			return args[1], true
		}
		return args[2], true
	case v.Op == Bitcast:
		return args[0], v.Type != Ptr
	case v.Op >= HAdd && v.Op <= Prmt:
		return evalHalf(v, from, args)
	case from == F32 || from == F64 || v.Type.IsFloat():
		return evalFloat(v, from, args)
	case from == Bool:
		return evalBool(v.Op, args)
	case from == I32:
		return evalInt32(v.Op, args)
	case from == I64:
		return evalInt64(v.Op, args)
	}
	return 0, false
}

func b2i(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func evalBool(op Op, a []uint64) (uint64, bool) {
	switch op {
	case And:
		return a[0] & a[1], true
	case Or:
		return a[0] | a[1], true
	case Xor:
		return a[0] ^ a[1], true
	case Not:
		return a[0] ^ 1, true
	}
	return 0, false
}

// evalInt32 works on sign-extended operands where the sign matters and lets evalInt64 do the rest.
func evalInt32(op Op, a []uint64) (uint64, bool) {
	x := uint32(a[0])
	var y uint32
	if len(a) > 1 {
		y = uint32(a[1])
	}
	switch op {
	case DivS, RemS, MinS, MaxS, ShrS:
		sy := uint64(int64(int32(y)))
		if op == ShrS {
			sy = uint64(y)
		}
		r, ok := evalInt64(op, []uint64{uint64(int64(int32(x))), sy})
		return uint64(uint32(r)), ok
	case MulHiS:
		return uint64(uint32(int64(int32(x)) * int64(int32(y)) >> 32)), true
	case MulHiU:
		return uint64(x) * uint64(y) >> 32, true
	case Shl:
		return uint64(x << min(y, 32)), true
	case RotL:
		return uint64(bits.RotateLeft32(x, int(y%32))), true
	case Popc:
		return uint64(bits.OnesCount32(x)), true
	case Clz:
		return uint64(bits.LeadingZeros32(x)), true
	case Brev:
		return uint64(bits.Reverse32(x)), true
	case Sext8:
		return uint64(uint32(int8(x))), true
	case Zext8:
		return uint64(uint8(x)), true
	case Sext16:
		return uint64(uint32(int16(x))), true
	case Zext16:
		return uint64(uint16(x)), true
	case Sext32:
		return uint64(int32(x)), true
	case Zext32:
		return uint64(x), true
	}
	r, ok := evalInt64(op, []uint64{uint64(x), uint64(y)})
	return uint64(uint32(r)), ok
}

func evalInt64(op Op, a []uint64) (uint64, bool) {
	x := a[0]
	var y uint64
	if len(a) > 1 {
		y = a[1]
	}
	switch op {
	case Add:
		return x + y, true
	case Subtract:
		return x - y, true
	case Mul:
		return x * y, true
	case DivS, RemS, DivU, RemU:
		return evalDiv(op, x, y)
	case MulHiS:
		hi, _ := bits.Mul64(x, y)
		return hi - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x, true
	case MulHiU:
		hi, _ := bits.Mul64(x, y)
		return hi, true
	case MinS:
		return uint64(min(int64(x), int64(y))), true
	case MaxS:
		return uint64(max(int64(x), int64(y))), true
	case MinU:
		return min(x, y), true
	case MaxU:
		return max(x, y), true
	case Neg:
		return -x, true
	case And:
		return x & y, true
	case Or:
		return x | y, true
	case Xor:
		return x ^ y, true
	case Not:
		return ^x, true
	case Shl:
		return x << min(y, 64), true
	case ShrS:
		return uint64(int64(x) >> min(y, 63)), true
	case ShrU:
		return x >> min(y, 64), true
	case RotL:
		return bits.RotateLeft64(x, int(y%64)), true
	case Popc:
		return uint64(bits.OnesCount64(x)), true
	case Clz:
		return uint64(bits.LeadingZeros64(x)), true
	case Brev:
		return bits.Reverse64(x), true
	case Trunc:
		return uint64(uint32(x)), true
	}
	return 0, false
}

func evalDiv(op Op, x, y uint64) (uint64, bool) {
	if y == 0 {
		return 0, false
	}
	switch op {
	case DivU:
		return x / y, true
	case RemU:
		return x % y, true
	case DivS:
		return uint64(int64(x) / int64(y)), true // Go: the smallest by -1 is the smallest
	}
	return uint64(int64(x) % int64(y)), true
}

// EvalCmp is the result of a comparison of two constants of type t.
func EvalCmp(sub Sub, t Type, x, y uint64) (uint64, bool) {
	switch t {
	case F32:
		a, b := float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y)))
		return b2i(cmpFloat(sub, a, b)), true
	case F64:
		return b2i(cmpFloat(sub, math.Float64frombits(x), math.Float64frombits(y))), true
	case I32:
		x, y = uint64(int64(int32(x))), uint64(int64(int32(y))) // keeps the unsigned order too
	}
	sx, sy := int64(x), int64(y)
	switch sub {
	case Eq:
		return b2i(x == y), true
	case Ne:
		return b2i(x != y), true
	case Lt:
		return b2i(sx < sy), true
	case Le:
		return b2i(sx <= sy), true
	case Gt:
		return b2i(sx > sy), true
	case Ge:
		return b2i(sx >= sy), true
	case LtU:
		return b2i(x < y), true
	case LeU:
		return b2i(x <= y), true
	case GtU:
		return b2i(x > y), true
	case GeU:
		return b2i(x >= y), true
	}
	return 0, false
}

func cmpFloat(sub Sub, a, b float64) bool {
	switch sub {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt:
		return a < b
	case Le:
		return a <= b
	case Gt:
		return a > b
	}
	return a >= b
}

// evalFloat computes operations with floating-point operands or results.
func evalFloat(v *Value, from Type, a []uint64) (uint64, bool) {
	switch v.Op {
	case SToF:
		x := int64(a[0])
		if from == I32 {
			x = int64(int32(a[0]))
		}
		if v.Type == F32 {
			return uint64(math.Float32bits(float32(x))), true
		}
		return math.Float64bits(float64(x)), true
	case UToF:
		if v.Type == F32 {
			return uint64(math.Float32bits(float32(a[0]))), true
		}
		return math.Float64bits(float64(a[0])), true
	case FToS, FToU:
		return evalFloatToInt(v, from, a[0]), true
	case FToF:
		if from == F32 {
			return notNaN64(float64(math.Float32frombits(uint32(a[0]))))
		}
		return notNaN32(float32(math.Float64frombits(a[0])))
	}
	if from == F32 {
		return evalF32(v.Op, a)
	}
	return evalF64(v.Op, a)
}

// evalFloatToInt truncates. What is out of range becomes the nearest integer, and NaN becomes 0.
func evalFloatToInt(v *Value, from Type, bits uint64) uint64 {
	x := math.Float64frombits(bits)
	if from == F32 {
		x = float64(math.Float32frombits(uint32(bits)))
	}
	least, most := 0.0, math.Ldexp(1, v.Type.Bits())
	if v.Op == FToS {
		least, most = -most/2, most/2
	}
	var n uint64
	switch {
	case x != x:
		return 0
	case x >= most:
		n = uint64(most - 1) // of 64 bits: the float64 rounds up to most
		if v.Type == I64 {
			n = math.MaxUint64
		}
		if v.Type == I64 && v.Op == FToS {
			n = math.MaxInt64
		}
	case x <= least:
		n = uint64(int64(least))
	case x < 0:
		n = uint64(int64(x))
	default:
		n = uint64(x)
	}
	return normalBits(v.Type, n)
}

func notNaN32(x float32) (uint64, bool) { return uint64(math.Float32bits(x)), x == x }
func notNaN64(x float64) (uint64, bool) { return math.Float64bits(x), x == x }

func evalF32(op Op, a []uint64) (uint64, bool) {
	x := math.Float32frombits(uint32(a[0]))
	var y float32
	if len(a) > 1 {
		y = math.Float32frombits(uint32(a[1]))
	}
	switch op {
	case FAdd:
		return notNaN32(x + y)
	case FSub:
		return notNaN32(x - y)
	case FMul:
		return notNaN32(x * y)
	case FDiv:
		return notNaN32(x / y)
	case FSqrt:
		// Rounding the float64 root is exact: 53 bits are more than twice 24 plus 2 (Figueroa
		// 1995).
		return notNaN32(float32(math.Sqrt(float64(x))))
	case FNeg:
		return a[0] ^ 1<<31, true
	case FAbs:
		return a[0] &^ (1 << 31), true
	case FCopysign:
		return a[0]&^(1<<31) | a[1]&(1<<31), true
	case FFma:
		return notNaN32(ieee.FMA(x, y, math.Float32frombits(uint32(a[2]))))
	}
	r, ok := evalF64(op, []uint64{math.Float64bits(float64(x)), math.Float64bits(float64(y))})
	return uint64(math.Float32bits(float32(math.Float64frombits(r)))), ok // exact: min, max and rounding to integers
}

func evalF64(op Op, a []uint64) (uint64, bool) {
	x := math.Float64frombits(a[0])
	var y float64
	if len(a) > 1 {
		y = math.Float64frombits(a[1])
	}
	switch op {
	case FAdd:
		return notNaN64(x + y)
	case FSub:
		return notNaN64(x - y)
	case FMul:
		return notNaN64(x * y)
	case FDiv:
		return notNaN64(x / y)
	case FSqrt:
		return notNaN64(math.Sqrt(x))
	case FMin:
		return notNaN64(min(x, y))
	case FMax:
		return notNaN64(max(x, y))
	case FFma:
		return notNaN64(math.FMA(x, y, math.Float64frombits(a[2])))
	case FFloor:
		return notNaN64(math.Floor(x))
	case FCeil:
		return notNaN64(math.Ceil(x))
	case FTrunc:
		return notNaN64(math.Trunc(x))
	case FRoundEven:
		return notNaN64(math.RoundToEven(x))
	case FNeg:
		return a[0] ^ 1<<63, true
	case FAbs:
		return a[0] &^ (1 << 63), true
	case FCopysign:
		return a[0]&^(1<<63) | a[1]&(1<<63), true
	}
	return 0, false
}
