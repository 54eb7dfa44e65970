package pass

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// interval is the signed integers from lo to hi; empty where lo > hi. A Bool is 0 or 1, an I32 its
// sign-extended value.
type interval struct{ lo, hi int64 }

// typeRange is all values of a type.
func typeRange(t ir.Type) interval {
	switch t {
	case ir.Bool:
		return interval{0, 1}
	case ir.I32:
		return interval{math.MinInt32, math.MaxInt32}
	}
	return interval{math.MinInt64, math.MaxInt64}
}

func (a interval) empty() bool { return a.lo > a.hi }

func (a interval) contains(b interval) bool { return a.lo <= b.lo && b.hi <= a.hi }

func (a interval) join(b interval) interval { return interval{min(a.lo, b.lo), max(a.hi, b.hi)} }

func (a interval) meet(b interval) interval { return interval{max(a.lo, b.lo), min(a.hi, b.hi)} }

func point(x int64) interval { return interval{x, x} }

// addExact adds without wrapping.
func addExact(x, y int64) (int64, bool) {
	s := x + y
	return s, (s > x) == (y > 0)
}

func mulExact(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
	if x == math.MinInt64 || y == math.MinInt64 || hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	return x * y, true
}

// sumOf is the interval of sums, and whether every one is exact in 64 bits.
func (a interval) sumOf(b interval) (interval, bool) {
	lo, ok := addExact(a.lo, b.lo)
	hi, ok2 := addExact(a.hi, b.hi)
	return interval{lo, hi}, ok && ok2
}

func (a interval) negated() (interval, bool) {
	return interval{-a.hi, -a.lo}, a.lo != math.MinInt64
}

func (a interval) timesOf(b interval) (interval, bool) {
	r := interval{math.MaxInt64, math.MinInt64}
	for _, x := range [2]int64{a.lo, a.hi} {
		for _, y := range [2]int64{b.lo, b.hi} {
			p, ok := mulExact(x, y)
			if !ok {
				return r, false
			}
			r = interval{min(r.lo, p), max(r.hi, p)}
		}
	}
	return r, true
}

// transfer is the interval of a pure operation's result from its arguments' intervals, and whether
// the operation is exact: whether it computes the result on unbounded integers.
func transfer(v *ir.Value, arg func(i int) interval) (interval, bool) {
	full := typeRange(v.Type)
	var r interval
	ok := false
	switch v.Op {
	case ir.Add:
		r, ok = arg(0).sumOf(arg(1))
	case ir.Subtract:
		if r, ok = arg(1).negated(); ok {
			r, ok = arg(0).sumOf(r)
		}
	case ir.Neg:
		r, ok = arg(0).negated()
	case ir.Mul:
		r, ok = arg(0).timesOf(arg(1))
	case ir.Shl:
		if k := arg(1); k.lo >= 0 && k.hi < 63 {
			r, ok = arg(0).timesOf(interval{1 << k.lo, 1 << k.hi})
		}
	case ir.Sext32, ir.Trunc, ir.Sext8, ir.Sext16, ir.Zext8, ir.Zext16, ir.Zext32:
		r, ok = convert(v.Op, arg(0))
		if !ok {
			return r, false
		}
	default:
		return transferOther(v, full, arg), false
	}
	if !ok || !full.contains(r) {
		return full, false
	}
	return r, true
}

// convert is the interval of a width conversion, and whether it keeps every value.
func convert(op ir.Op, a interval) (interval, bool) {
	to := map[ir.Op]interval{
		ir.Sext32: typeRange(ir.I32), ir.Trunc: typeRange(ir.I32), ir.Zext32: {0, math.MaxUint32},
		ir.Sext8: {math.MinInt8, math.MaxInt8}, ir.Zext8: {0, math.MaxUint8},
		ir.Sext16: {math.MinInt16, math.MaxInt16}, ir.Zext16: {0, math.MaxUint16},
	}[op]
	if to.contains(a) {
		return a, true
	}
	return to, false
}

// transferOther is transfer of the operations that have no exact form.
func transferOther(v *ir.Value, full interval, arg func(i int) interval) interval {
	switch v.Op {
	case ir.And:
		return andRange(arg(0), arg(1), full)
	case ir.Or, ir.Xor:
		if a, b := arg(0), arg(1); a.lo >= 0 && b.lo >= 0 {
			lo := int64(0)
			if v.Op == ir.Or {
				lo = max(a.lo, b.lo)
			}
			return interval{lo, onesAbove(max(a.hi, b.hi))}
		}
	case ir.Not:
		if v.Type != ir.Bool {
			a := arg(0)
			return interval{^a.hi, ^a.lo}
		}
	case ir.MinS:
		a, b := arg(0), arg(1)
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
	case ir.MaxS:
		a, b := arg(0), arg(1)
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.MinU: // below whichever is not negative
		switch a, b := arg(0), arg(1); {
		case a.lo >= 0 && b.lo >= 0:
			return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
		case a.lo >= 0:
			return interval{0, a.hi}
		case b.lo >= 0:
			return interval{0, b.hi}
		}
	case ir.MaxU:
		if a, b := arg(0), arg(1); a.lo >= 0 && b.lo >= 0 {
			return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
		}
	case ir.ShrS, ir.ShrU:
		return shiftRange(v.Op, arg(0), arg(1), full)
	case ir.DivS, ir.DivU, ir.RemS, ir.RemU:
		return divisionRange(v.Op, arg(0), arg(1), full)
	case ir.Popc, ir.Clz:
		return interval{0, int64(v.Args[0].Type.Bits())}
	case ir.Select:
		return arg(1).join(arg(2))
	}
	return full
}

// onesAbove is the smallest 2^k-1 that is not below x >= 0.
func onesAbove(x int64) int64 { return int64(1)<<bits.Len64(uint64(x)) - 1 }

func andRange(a, b, full interval) interval {
	switch {
	case a.lo >= 0 && b.lo >= 0:
		return interval{0, min(a.hi, b.hi)}
	case a.lo >= 0:
		return interval{0, a.hi}
	case b.lo >= 0:
		return interval{0, b.hi}
	}
	return full
}

func shiftRange(op ir.Op, a, k, full interval) interval {
	if k.lo < 0 { // a huge shift, read as unsigned
		if a.lo >= 0 {
			return interval{0, a.hi}
		}
		return full
	}
	least, most := min(k.lo, 63), min(k.hi, 63)
	switch {
	case a.lo >= 0:
		return interval{a.lo >> most, a.hi >> least}
	case op == ir.ShrS:
		return interval{a.lo >> least, max(a.hi>>least, a.hi>>most)}
	case k.lo > 0: // of a negative number the bits as unsigned
		return interval{0, int64(^uint64(0) >> (64 - widthOf(full)) >> least)}
	}
	return full
}

func widthOf(full interval) int {
	if full.hi == math.MaxInt32 {
		return 32
	}
	return 64
}

func divisionRange(op ir.Op, a, b, full interval) interval {
	if b.lo <= 0 || a.lo < 0 && (op == ir.DivU || op == ir.RemU) {
		if op == ir.RemU && b.lo > 0 {
			return interval{0, b.hi - 1}
		}
		return full
	}
	switch op {
	case ir.DivS, ir.DivU:
		r := interval{a.lo / b.hi, a.hi / b.lo}
		if a.lo < 0 {
			r.lo = a.lo / b.lo
		}
		if a.hi >= 0 {
			r.hi = a.hi / b.lo
		} else {
			r.hi = a.hi / b.hi
		}
		return r
	}
	r := interval{0, min(max(a.hi, 0), b.hi-1)}
	if a.lo < 0 {
		r.lo = max(a.lo, -(b.hi - 1))
	}
	return r
}
