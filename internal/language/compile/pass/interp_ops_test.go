package pass

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// canonical makes every NaN the same, so that payloads do not count.
func canonical(t ir.Type, x uint64) uint64 {
	switch {
	case t == ir.F32 && math.IsNaN(float64(math.Float32frombits(uint32(x)))):
		return 0x7fffffff
	case t == ir.F64 && math.IsNaN(math.Float64frombits(x)):
		return 0x7fffffffffffffff
	}
	return x
}

func (m *interp) pure(v *ir.Value) uint64 {
	var a [3]uint64
	for i := range v.Args {
		a[i] = m.arg(v, i)
	}
	t := v.Type
	from := t
	if len(v.Args) > 0 {
		from = v.Args[0].Type
	}
	switch v.Op {
	case ir.Select:
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	case ir.Cmp:
		return boolBit(compare(v.Sub, from, a[0], a[1]))
	case ir.Bitcast:
		return canonical(t, a[0])
	case ir.SToF:
		return fromFloat(t, float64(signed(from, a[0])), float32(signed(from, a[0])))
	case ir.UToF:
		return fromFloat(t, float64(a[0]), float32(a[0]))
	case ir.FToS, ir.FToU:
		return toInt(v.Op == ir.FToS, t, toFloat(from, a[0]))
	case ir.FToF:
		return fromFloat(t, toFloat(from, a[0]), float32(toFloat(from, a[0])))
	}
	if v.Op >= ir.HAdd && v.Op <= ir.Prmt {
		return halfOp(v, from, a[0], a[1], a[2])
	}
	if t.IsFloat() {
		return floatOp(v.Op, t, a[0], a[1], a[2])
	}
	return intOp(v.Op, t, from, a[0], a[1])
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func toFloat(t ir.Type, x uint64) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

func fromFloat(t ir.Type, d float64, f float32) uint64 {
	if t == ir.F32 {
		return canonical(t, uint64(math.Float32bits(f)))
	}
	return canonical(t, math.Float64bits(d))
}

func toInt(isSigned bool, t ir.Type, x float64) uint64 {
	if math.IsNaN(x) {
		return 0
	}
	bitsOf := t.Bits()
	lo, hi := 0.0, math.Ldexp(1, bitsOf)
	if isSigned {
		lo, hi = -math.Ldexp(1, bitsOf-1), math.Ldexp(1, bitsOf-1)
	}
	x = math.Trunc(x)
	mask := uint64(math.MaxUint64) >> (64 - bitsOf)
	switch {
	case x <= lo:
		if isSigned {
			return 1 << (bitsOf - 1)
		}
		return 0
	case x >= hi:
		if isSigned {
			return mask >> 1
		}
		return mask
	case x < 0:
		return uint64(int64(x)) & mask
	}
	return uint64(x) & mask
}

func compare(sub ir.Sub, t ir.Type, x, y uint64) bool {
	var c int
	switch {
	case t.IsFloat():
		a, b := toFloat(t, x), toFloat(t, y)
		if math.IsNaN(a) || math.IsNaN(b) {
			return sub == ir.Ne
		}
		c = int(boolBit(a > b)) - int(boolBit(a < b))
	case sub >= ir.LtU:
		c = int(boolBit(x > y)) - int(boolBit(x < y))
	default:
		c = int(boolBit(signed(t, x) > signed(t, y))) - int(boolBit(signed(t, x) < signed(t, y)))
	}
	switch sub {
	case ir.Eq:
		return c == 0
	case ir.Ne:
		return c != 0
	case ir.Lt, ir.LtU:
		return c < 0
	case ir.Le, ir.LeU:
		return c <= 0
	case ir.Gt, ir.GtU:
		return c > 0
	}
	return c >= 0
}

func floatOp(op ir.Op, t ir.Type, x, y, z uint64) uint64 {
	a, b, c := toFloat(t, x), toFloat(t, y), toFloat(t, z)
	f, g := float32(a), float32(b)
	switch op {
	case ir.FAdd:
		return fromFloat(t, a+b, f+g)
	case ir.FSub:
		return fromFloat(t, a-b, f-g)
	case ir.FMul:
		return fromFloat(t, a*b, f*g)
	case ir.FDiv:
		return fromFloat(t, a/b, f/g)
	case ir.FNeg:
		return fromFloat(t, -a, -f)
	case ir.FAbs:
		return fromFloat(t, math.Abs(a), float32(math.Abs(a)))
	case ir.FSqrt:
		return fromFloat(t, math.Sqrt(a), float32(math.Sqrt(a)))
	case ir.FMin:
		return fromFloat(t, min(a, b), min(f, g))
	case ir.FMax:
		return fromFloat(t, max(a, b), max(f, g))
	case ir.FFma:
		return fromFloat(t, math.FMA(a, b, c), float32(math.FMA(a, b, c)))
	case ir.FFloor:
		return fromFloat(t, math.Floor(a), float32(math.Floor(a)))
	case ir.FCeil:
		return fromFloat(t, math.Ceil(a), float32(math.Ceil(a)))
	case ir.FTrunc:
		return fromFloat(t, math.Trunc(a), float32(math.Trunc(a)))
	case ir.FRoundEven:
		return fromFloat(t, math.RoundToEven(a), float32(math.RoundToEven(a)))
	case ir.FCopysign:
		return fromFloat(t, math.Copysign(a, b), float32(math.Copysign(a, b)))
	}
	panic("BUG: interpreter: " + op.String())
}

func intOp(op ir.Op, t, from ir.Type, x, y uint64) uint64 {
	n := uint64(from.Bits())
	sx, sy := signed(from, x), signed(from, y)
	cut := func(r uint64) uint64 {
		switch t {
		case ir.I32:
			return uint64(uint32(r))
		case ir.Bool:
			return r & 1
		}
		return r
	}
	switch op {
	case ir.Add:
		return cut(x + y)
	case ir.Subtract:
		return cut(x - y)
	case ir.Mul:
		return cut(x * y)
	case ir.Neg:
		return cut(-x)
	case ir.And:
		return x & y
	case ir.Or:
		return x | y
	case ir.Xor:
		return x ^ y
	case ir.Not:
		return cut(^x)
	case ir.DivS, ir.DivU, ir.RemS, ir.RemU:
		return cut(division(op, x, y, sx, sy))
	case ir.MulHiS:
		if from == ir.I32 {
			return cut(uint64(sx * sy >> 32))
		}
		hi, _ := bits.Mul64(x, y)
		if sx < 0 {
			hi -= y
		}
		if sy < 0 {
			hi -= x
		}
		return hi
	case ir.MulHiU:
		hi, lo := bits.Mul64(x, y)
		if from == ir.I32 {
			return lo >> 32
		}
		return hi
	case ir.MinS:
		return cut(uint64(min(sx, sy)))
	case ir.MaxS:
		return cut(uint64(max(sx, sy)))
	case ir.MinU:
		return min(x, y)
	case ir.MaxU:
		return max(x, y)
	case ir.Shl:
		if y >= n {
			return 0
		}
		return cut(x << y)
	case ir.ShrS:
		return cut(uint64(sx >> min(y, n-1)))
	case ir.ShrU:
		if y >= n {
			return 0
		}
		return x >> y
	case ir.RotL:
		k := y % n
		if k == 0 {
			return x
		}
		return cut(x<<k | x>>(n-k))
	case ir.Popc:
		return uint64(bits.OnesCount64(x))
	case ir.Clz:
		return uint64(bits.LeadingZeros64(x)) - (64 - n)
	case ir.Brev:
		return bits.Reverse64(x) >> (64 - n)
	case ir.Sext8:
		return cut(uint64(int64(int8(x))))
	case ir.Zext8:
		return x & 0xff
	case ir.Sext16:
		return cut(uint64(int64(int16(x))))
	case ir.Zext16:
		return x & 0xffff
	case ir.Sext32:
		return uint64(sx)
	case ir.Zext32:
		return x
	case ir.Trunc:
		return cut(x)
	}
	panic("BUG: interpreter: " + op.String())
}

// division is by zero only where a pass moved a division above its check, which is harmless. Any
// answer will do there.
func division(op ir.Op, x, y uint64, sx, sy int64) uint64 {
	if y == 0 {
		return 0xdeadbeef
	}
	switch op {
	case ir.DivS:
		return uint64(sx / sy)
	case ir.RemS:
		return uint64(sx % sy)
	case ir.DivU:
		return x / y
	}
	return x % y
}
