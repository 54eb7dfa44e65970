package pass

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/compile/ir"
	"github.com/gridstride/gridstride/internal/ieee"
)

// eval computes a pure operation on constants; args are bits as Value.Int holds them. It returns
// false where the result is not certain: for division by zero, and for floating-point results that
// are NaN, whose bits differ between machines.
func eval(v *ir.Value, args []uint64) (uint64, bool) {
	from := v.Type
	if len(v.Args) > 0 {
		from = v.Args[0].Type
	}
	switch {
	case v.Op == ir.Cmp:
		return evalCmp(v.Sub, from, args[0], args[1])
	case v.Op == ir.Select:
		if args[0] != 0 {
			return args[1], true
		}
		return args[2], true
	case v.Op == ir.Bitcast:
		return args[0], v.Type != ir.Ptr
	case v.Op >= ir.HAdd && v.Op <= ir.Prmt:
		return evalHalf(v, from, args)
	case from == ir.F32 || from == ir.F64 || v.Type.IsFloat():
		return evalFloat(v, from, args)
	case from == ir.Bool:
		return evalBool(v.Op, args)
	case from == ir.I32:
		return evalInt32(v.Op, args)
	case from == ir.I64:
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

func evalBool(op ir.Op, a []uint64) (uint64, bool) {
	switch op {
	case ir.And:
		return a[0] & a[1], true
	case ir.Or:
		return a[0] | a[1], true
	case ir.Xor:
		return a[0] ^ a[1], true
	case ir.Not:
		return a[0] ^ 1, true
	}
	return 0, false
}

// evalInt32 works on sign-extended operands where the sign matters and lets evalInt64 do the rest.
func evalInt32(op ir.Op, a []uint64) (uint64, bool) {
	x := uint32(a[0])
	var y uint32
	if len(a) > 1 {
		y = uint32(a[1])
	}
	switch op {
	case ir.DivS, ir.RemS, ir.MinS, ir.MaxS, ir.ShrS:
		sy := uint64(int64(int32(y)))
		if op == ir.ShrS {
			sy = uint64(y)
		}
		r, ok := evalInt64(op, []uint64{uint64(int64(int32(x))), sy})
		return uint64(uint32(r)), ok
	case ir.MulHiS:
		return uint64(uint32(int64(int32(x)) * int64(int32(y)) >> 32)), true
	case ir.MulHiU:
		return uint64(x) * uint64(y) >> 32, true
	case ir.Shl:
		return uint64(x << min(y, 32)), true
	case ir.RotL:
		return uint64(bits.RotateLeft32(x, int(y%32))), true
	case ir.Popc:
		return uint64(bits.OnesCount32(x)), true
	case ir.Clz:
		return uint64(bits.LeadingZeros32(x)), true
	case ir.Brev:
		return uint64(bits.Reverse32(x)), true
	case ir.Sext8:
		return uint64(uint32(int8(x))), true
	case ir.Zext8:
		return uint64(uint8(x)), true
	case ir.Sext16:
		return uint64(uint32(int16(x))), true
	case ir.Zext16:
		return uint64(uint16(x)), true
	case ir.Sext32:
		return uint64(int32(x)), true
	case ir.Zext32:
		return uint64(x), true
	}
	r, ok := evalInt64(op, []uint64{uint64(x), uint64(y)})
	return uint64(uint32(r)), ok
}

func evalInt64(op ir.Op, a []uint64) (uint64, bool) {
	x := a[0]
	var y uint64
	if len(a) > 1 {
		y = a[1]
	}
	switch op {
	case ir.Add:
		return x + y, true
	case ir.Subtract:
		return x - y, true
	case ir.Mul:
		return x * y, true
	case ir.DivS, ir.RemS, ir.DivU, ir.RemU:
		return evalDiv(op, x, y)
	case ir.MulHiS:
		hi, _ := bits.Mul64(x, y)
		return hi - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x, true
	case ir.MulHiU:
		hi, _ := bits.Mul64(x, y)
		return hi, true
	case ir.MinS:
		return uint64(min(int64(x), int64(y))), true
	case ir.MaxS:
		return uint64(max(int64(x), int64(y))), true
	case ir.MinU:
		return min(x, y), true
	case ir.MaxU:
		return max(x, y), true
	case ir.Neg:
		return -x, true
	case ir.And:
		return x & y, true
	case ir.Or:
		return x | y, true
	case ir.Xor:
		return x ^ y, true
	case ir.Not:
		return ^x, true
	case ir.Shl:
		return x << min(y, 64), true
	case ir.ShrS:
		return uint64(int64(x) >> min(y, 63)), true
	case ir.ShrU:
		return x >> min(y, 64), true
	case ir.RotL:
		return bits.RotateLeft64(x, int(y%64)), true
	case ir.Popc:
		return uint64(bits.OnesCount64(x)), true
	case ir.Clz:
		return uint64(bits.LeadingZeros64(x)), true
	case ir.Brev:
		return bits.Reverse64(x), true
	case ir.Trunc:
		return uint64(uint32(x)), true
	}
	return 0, false
}

func evalDiv(op ir.Op, x, y uint64) (uint64, bool) {
	if y == 0 {
		return 0, false
	}
	switch op {
	case ir.DivU:
		return x / y, true
	case ir.RemU:
		return x % y, true
	case ir.DivS:
		return uint64(int64(x) / int64(y)), true // Go: the smallest by -1 is the smallest
	}
	return uint64(int64(x) % int64(y)), true
}

func evalCmp(sub ir.Sub, t ir.Type, x, y uint64) (uint64, bool) {
	switch t {
	case ir.F32:
		a, b := float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y)))
		return b2i(cmpFloat(sub, a, b)), true
	case ir.F64:
		return b2i(cmpFloat(sub, math.Float64frombits(x), math.Float64frombits(y))), true
	case ir.I32:
		x, y = uint64(int64(int32(x))), uint64(int64(int32(y))) // keeps the unsigned order too
	}
	sx, sy := int64(x), int64(y)
	switch sub {
	case ir.Eq:
		return b2i(x == y), true
	case ir.Ne:
		return b2i(x != y), true
	case ir.Lt:
		return b2i(sx < sy), true
	case ir.Le:
		return b2i(sx <= sy), true
	case ir.Gt:
		return b2i(sx > sy), true
	case ir.Ge:
		return b2i(sx >= sy), true
	case ir.LtU:
		return b2i(x < y), true
	case ir.LeU:
		return b2i(x <= y), true
	case ir.GtU:
		return b2i(x > y), true
	case ir.GeU:
		return b2i(x >= y), true
	}
	return 0, false
}

func cmpFloat(sub ir.Sub, a, b float64) bool {
	switch sub {
	case ir.Eq:
		return a == b
	case ir.Ne:
		return a != b
	case ir.Lt:
		return a < b
	case ir.Le:
		return a <= b
	case ir.Gt:
		return a > b
	}
	return a >= b
}

// evalFloat computes operations with floating-point operands or results.
func evalFloat(v *ir.Value, from ir.Type, a []uint64) (uint64, bool) {
	switch v.Op {
	case ir.SToF:
		x := int64(a[0])
		if from == ir.I32 {
			x = int64(int32(a[0]))
		}
		if v.Type == ir.F32 {
			return uint64(math.Float32bits(float32(x))), true
		}
		return math.Float64bits(float64(x)), true
	case ir.UToF:
		if v.Type == ir.F32 {
			return uint64(math.Float32bits(float32(a[0]))), true
		}
		return math.Float64bits(float64(a[0])), true
	case ir.FToS, ir.FToU:
		return evalFloatToInt(v, from, a[0])
	case ir.FToF:
		if from == ir.F32 {
			return notNaN64(float64(math.Float32frombits(uint32(a[0]))))
		}
		return notNaN32(float32(math.Float64frombits(a[0])))
	}
	if from == ir.F32 {
		return evalF32(v.Op, a)
	}
	return evalF64(v.Op, a)
}

// evalFloatToInt converts what fits; saturation is left to the machine.
func evalFloatToInt(v *ir.Value, from ir.Type, bits uint64) (uint64, bool) {
	x := math.Float64frombits(bits)
	if from == ir.F32 {
		x = float64(math.Float32frombits(uint32(bits)))
	}
	x = math.Trunc(x)
	if !(math.Abs(x) < 1<<31) {
		return 0, false
	}
	if v.Op == ir.FToU && x < 0 {
		return 0, true
	}
	if v.Type == ir.I32 {
		return uint64(uint32(int32(x))), true
	}
	return uint64(int64(x)), true
}

func notNaN32(x float32) (uint64, bool) { return uint64(math.Float32bits(x)), x == x }
func notNaN64(x float64) (uint64, bool) { return math.Float64bits(x), x == x }

func evalF32(op ir.Op, a []uint64) (uint64, bool) {
	x := math.Float32frombits(uint32(a[0]))
	var y float32
	if len(a) > 1 {
		y = math.Float32frombits(uint32(a[1]))
	}
	switch op {
	case ir.FAdd:
		return notNaN32(x + y)
	case ir.FSub:
		return notNaN32(x - y)
	case ir.FMul:
		return notNaN32(x * y)
	case ir.FDiv:
		return notNaN32(x / y)
	case ir.FSqrt:
		// Rounding the float64 root is exact: 53 bits are more than twice 24 plus 2 (Figueroa
		// 1995).
		return notNaN32(float32(math.Sqrt(float64(x))))
	case ir.FNeg:
		return a[0] ^ 1<<31, true
	case ir.FAbs:
		return a[0] &^ (1 << 31), true
	case ir.FCopysign:
		return a[0]&^(1<<31) | a[1]&(1<<31), true
	case ir.FFma:
		return notNaN32(ieee.FMA(x, y, math.Float32frombits(uint32(a[2]))))
	}
	r, ok := evalF64(op, []uint64{math.Float64bits(float64(x)), math.Float64bits(float64(y))})
	return uint64(math.Float32bits(float32(math.Float64frombits(r)))), ok // exact: min, max and rounding to integers
}

func evalF64(op ir.Op, a []uint64) (uint64, bool) {
	x := math.Float64frombits(a[0])
	var y float64
	if len(a) > 1 {
		y = math.Float64frombits(a[1])
	}
	switch op {
	case ir.FAdd:
		return notNaN64(x + y)
	case ir.FSub:
		return notNaN64(x - y)
	case ir.FMul:
		return notNaN64(x * y)
	case ir.FDiv:
		return notNaN64(x / y)
	case ir.FSqrt:
		return notNaN64(math.Sqrt(x))
	case ir.FMin:
		return notNaN64(min(x, y))
	case ir.FMax:
		return notNaN64(max(x, y))
	case ir.FFma:
		return notNaN64(math.FMA(x, y, math.Float64frombits(a[2])))
	case ir.FFloor:
		return notNaN64(math.Floor(x))
	case ir.FCeil:
		return notNaN64(math.Ceil(x))
	case ir.FTrunc:
		return notNaN64(math.Trunc(x))
	case ir.FRoundEven:
		return notNaN64(math.RoundToEven(x))
	case ir.FNeg:
		return a[0] ^ 1<<63, true
	case ir.FAbs:
		return a[0] &^ (1 << 63), true
	case ir.FCopysign:
		return a[0]&^(1<<63) | a[1]&(1<<63), true
	}
	return 0, false
}
