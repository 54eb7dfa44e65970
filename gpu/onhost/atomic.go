package onhost

import (
	"math"
	"reflect"
)

// An operator joins two values of one type, of those that package gpu has atomics for.
type operator func(a, b reflect.Value) reflect.Value

// atomics are the atomics by their names: what becomes of *addr when it is old, by the arguments
// after addr.
var atomics = map[string]func(old reflect.Value, args []any) reflect.Value{
	"AtomicLoad":    func(old reflect.Value, _ []any) reflect.Value { return old },
	"AtomicStore":   exchange,
	"AtomicExch":    exchange,
	"AtomicExch128": exchange,
	"AtomicAdd":     by(add),
	"AtomicSub":     by(sub),
	"AtomicMin":     by(smaller),
	"AtomicMax":     by(larger),
	"AtomicAnd":     by(and),
	"AtomicOr":      by(or),
	"AtomicXor":     by(xor),
	"AtomicCAS":     compare,
	"AtomicCAS128":  compare,
	"AtomicInc": func(old reflect.Value, args []any) reflect.Value {
		if uint32(old.Uint()) >= args[0].(uint32) {
			return reflect.ValueOf(uint32(0))
		}
		return reflect.ValueOf(uint32(old.Uint()) + 1)
	},
	"AtomicDec": func(old reflect.Value, args []any) reflect.Value {
		if n, limit := uint32(old.Uint()), args[0].(uint32); n != 0 && n <= limit {
			return reflect.ValueOf(n - 1)
		}
		return reflect.ValueOf(args[0])
	},
}

func exchange(_ reflect.Value, args []any) reflect.Value { return reflect.ValueOf(args[0]) }

func compare(old reflect.Value, args []any) reflect.Value {
	if old.Interface() == args[0] {
		return reflect.ValueOf(args[1])
	}
	return old
}

// by is the atomic that joins *addr and its argument.
func by(op operator) func(old reflect.Value, args []any) reflect.Value {
	return func(old reflect.Value, args []any) reflect.Value { return op(old, reflect.ValueOf(args[0])) }
}

// patience is after how many atomics that change nothing a thread lets others run: it may be
// looking for what another writes.
const patience = 64

// atomic reads and changes *args[0] and gives the old value.
func (t *thread) atomic(op func(old reflect.Value, args []any) reflect.Value, args []any) any {
	if t.looks >= patience {
		t.spin()
	}
	addr := reflect.ValueOf(args[0]).Elem()
	old := reflect.New(addr.Type()).Elem()
	old.Set(addr)
	addr.Set(op(old, args[1:]))
	if image(addr.Interface()) == image(old.Interface()) {
		t.looks++
	} else {
		t.looks = 0
	}
	return old.Interface()
}

// spin lets others run, and says that the thread has got no further.
func (t *thread) spin() {
	t.looks, t.spins = 0, true
	t.yield()
}

var (
	add     = arithmetic(func(a, b int64) int64 { return a + b }, func(a, b float64) float64 { return a + b }, "Add")
	sub     = arithmetic(func(a, b int64) int64 { return a - b }, func(a, b float64) float64 { return a - b }, "Sub")
	and     = arithmetic(func(a, b int64) int64 { return a & b }, nil, "")
	or      = arithmetic(func(a, b int64) int64 { return a | b }, nil, "")
	xor     = arithmetic(func(a, b int64) int64 { return a ^ b }, nil, "")
	smaller = order(math.Min, "Min", -1)
	larger  = order(math.Max, "Max", 1)
)

// arithmetic is the operator that computes with integers, whose low bits are the same with a sign
// and without, with floating-point numbers, where a float64 rounded to float32 is rounded right (S.
// A. Figueroa, When is double rounding innocuous?, 1995), and with numbers of 16 bits and pairs of
// them by their method.
func arithmetic(ints func(a, b int64) int64, floats func(a, b float64) float64, method string) operator {
	return func(a, b reflect.Value) reflect.Value {
		r := reflect.New(a.Type()).Elem()
		switch {
		case a.CanInt():
			r.SetInt(ints(a.Int(), b.Int()))
		case a.CanUint():
			r.SetUint(uint64(ints(int64(a.Uint()), int64(b.Uint()))))
		case a.CanFloat():
			r.SetFloat(floats(a.Float(), b.Float()))
		default:
			return a.MethodByName(method).Call([]reflect.Value{b})[0]
		}
		return r
	}
}

// order is the operator that takes the smaller or the larger value: b where a's comparison with it
// has another sign.
func order(floats func(a, b float64) float64, method string, sign int) operator {
	return func(a, b reflect.Value) reflect.Value {
		less := false
		switch {
		case a.CanInt():
			less = a.Int() < b.Int()
		case a.CanUint():
			less = a.Uint() < b.Uint()
		case a.CanFloat():
			r := reflect.New(a.Type()).Elem()
			r.SetFloat(floats(a.Float(), b.Float()))
			return r
		default:
			return a.MethodByName(method).Call([]reflect.Value{b})[0]
		}
		if less == (sign < 0) {
			return a
		}
		return b
	}
}
