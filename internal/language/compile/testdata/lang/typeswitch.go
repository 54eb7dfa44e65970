package lang

import "math"

type pairOf[T any] struct{ a, b T }

func (p pairOf[T]) swapped() pairOf[T] { return pairOf[T]{p.b, p.a} }

// widen is different for each type.
func widen[T number](x T) (float64, string) {
	switch v := any(x).(type) {
	case float32:
		return float64(v) * 2, "float32"
	case float64:
		return v, "float64"
	case int8, int16:
		return float64(x) + 0.5, "small"
	case uint8:
		if v > 100 {
			return 100, "large byte"
		}
		return float64(digits[v&15]), "byte"
	case nil:
		return 0, "nil"
	case interface{ swapped() T }:
		return 1, "with a method"
	default:
		return -float64(x), "other"
	}
}

// bitsOf loops until a type says otherwise; the phis behind the cases are of some of them only.
func bitsOf[T number](x T) (n int64) {
	k := 0
	for k < 10 {
		if f, ok := any(x).(float32); ok {
			n = int64(math.Float32bits(f))
			break
		} else if f, ok := any(x).(float64); ok && k == 3 {
			n = int64(math.Float64bits(f))
			break
		}
		k += 3
		n += int64(k)
	}
	return n + int64(k)<<40
}

func firstOf[S any](s S) int64 {
	switch s := any(s).(type) {
	case []int64:
		return s[1]
	case *int64:
		*s += 5
		return *s
	case [3]int8:
		return int64(s[2])
	case pairOf[int32]:
		return int64(s.swapped().a)
	case func(int64) int64:
		return s(3)
	}
	return -1
}

// TypeSwitch asks for the types of values.
//
//gpu:kernel T=int8,uint8,int32,uint64,float32,float64
func TypeSwitch[T number](in, out []int64) {
	w := writer{out: out}
	for _, n := range in {
		f, name := widen(T(n & 127))
		w.f64(f)
		w.put(hash(name))
		w.put(bitsOf(T(n & 63)))
	}
	w.put(firstOf(in))
	x := in[0]
	w.put(firstOf(&x) + x)
	w.put(firstOf([3]int8{1, 2, 3}) + firstOf([2]int8{}))
	w.put(firstOf(pairOf[int32]{4, 5}) + firstOf(pairOf[int16]{4, 5}))
	w.put(firstOf(func(y int64) int64 { return y * x }))
	if x > 3 {
		w.put(int64(any(T(1)).(T)))
	}
	p := new(pairOf[T])
	p.b = T(in[0] & 7)
	w.put(int64(p.swapped().a))
	q := new(int64(7))
	*q += *new(int64)
	w.put(*q)
	buf := make([]T, 4, 8)
	for i := range buf {
		buf[i] = T(i) + p.b
	}
	buf = buf[:6]
	buf[uint(in[1])%6]++
	for _, b := range buf {
		w.put(int64(b))
	}
	w.put(int64(len(make([]int32, 0)) + cap(buf)))
	if x == 6 {
		w.put(int64(any(x).(int64)))
		_ = make([]T, 3)[in[0]]
	}
	if x == 5 {
		w.put(int64(any(T(1)).(uint16)))
	}
}
