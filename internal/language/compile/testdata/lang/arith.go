package lang

import "math/bits"

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

type number interface {
	integer | ~float32 | ~float64
}

// Arith is every operator on integers.
//
//gpu:kernel T=int8,int16,int32,int64,int,uint8,uint16,uint32,uint64,uint
func Arith[T integer](in, out []int64) {
	w := writer{out: out}
	for i := range in {
		x, y := T(in[i]), T(in[len(in)-1-i])
		w.put(int64(x + y))
		w.put(int64(x - y))
		w.put(int64(x * y))
		w.put(int64(-x))
		w.put(int64(^x))
		w.put(int64(x & y))
		w.put(int64(x | y))
		w.put(int64(x ^ y))
		w.put(int64(x &^ y))
		if y != 0 {
			w.put(int64(x / y))
			w.put(int64(x % y))
		}
		w.put(int64(x / 7))
		w.put(int64(x % 7))
		w.put(int64(x / 8))
		w.put(int64(x % 8))
		w.put(int64(x * 5))
		w.bool(x < y)
		w.bool(x <= y)
		w.bool(x == y)
		w.bool(x != y)
		w.bool(x > y)
		w.bool(x >= y)
		w.put(int64(min(x, y, 3)))
		w.put(int64(max(x, y, 3)))
		x++
		w.put(int64(x))
		x -= 5
		x *= x
		w.put(int64(x))
	}
}

// Shifts shifts by amounts of several types, beyond the width as well.
//
//gpu:kernel T=int8,int16,int32,int64,uint8,uint16,uint32,uint64
func Shifts[T integer](in, out []int64) {
	w := writer{out: out}
	for _, v := range in {
		x := T(v)
		for s := range uint8(70) {
			w.put(int64(x << s))
			w.put(int64(x >> s))
		}
		u := uint64(v)
		w.put(int64(x << u))
		w.put(int64(x >> u))
		w.put(int64(x << (u & 31)))
		w.put(int64(x >> (v & 15)))
		w.put(int64(x<<3) + int64(x>>2))
	}
}

// Convert converts between all numbers.
//
//gpu:kernel T=int8,int16,int32,int64,uint8,uint16,uint32,uint64,float32,float64
func Convert[T number](in, out []int64) {
	w := writer{out: out}
	for _, v := range in {
		x := T(v % 100) // in range of every type but for the sign
		if x < 0 {
			x = -x
		}
		w.put(int64(int8(x)))
		w.put(int64(int16(x)))
		w.put(int64(int32(x)))
		w.put(int64(x))
		w.put(int64(int(x)))
		w.put(int64(uint8(x)))
		w.put(int64(uint16(x)))
		w.put(int64(uint32(x)))
		w.put(int64(uint64(x)))
		w.f32(float32(x))
		w.f64(float64(x))
		w.f32(float32(T(v)))
		w.f64(float64(T(v)))
	}
}

// Integers converts integers out of range too, where Go says what happens.
//
//gpu:kernel T=int8,int16,int32,int64,uint8,uint16,uint32,uint64
func Integers[T integer](in, out []int64) {
	w := writer{out: out}
	for _, v := range in {
		x := T(v)
		w.put(int64(x))
		w.put(int64(int8(x)))
		w.put(int64(int16(x)))
		w.put(int64(int32(x)))
		w.put(int64(uint8(x)))
		w.put(int64(uint16(x)))
		w.put(int64(uint32(x)))
		w.put(int64(uint64(x)))
	}
}

// Floats is every operator on floating point.
//
//gpu:kernel T=float32,float64
func Floats[T ~float32 | ~float64](in, out []int64) {
	w := writer{out: out}
	for i := range in {
		x, y := T(in[i])/3, T(in[len(in)-1-i])/7
		w.f64(float64(x + y))
		w.f64(float64(x - y))
		w.f64(float64(x * y))
		w.f64(float64(x / (y + 0.5)))
		w.f64(float64(-x))
		z := x * y
		w.f64(float64(z + x)) // never fused
		w.bool(x < y)
		w.bool(x == y)
		w.bool(x != x)
		w.f64(float64(min(x, y)))
		w.f64(float64(max(x, y, 1)))
		x += 0.1
		x /= 3
		w.f64(float64(x))
	}
	zero := T(0)
	w.bool(zero == -zero)
	nan := zero / zero
	w.bool(nan == nan)
	w.bool(nan < zero)
	w.bool(nan != nan)
	w.bool(nan >= zero)
	w.bool(1/zero > 0)
	w.bool(1/-zero < 0)
	for _, x := range [...]T{zero, -1, nan} { // the smaller or the larger, as in a sorting network
		for _, y := range [...]T{1 / zero, T(in[0]), nan} {
			for k := range 2 {
				v := x
				if in[k] > in[1-k] {
					v = min(v, y)
				} else {
					v = max(y, v)
				}
				w.bool(v != v)
				w.bool(1/v < 0)
				w.bool(v > x)
			}
		}
	}
}

// Constants are constants of all kinds.
//
//gpu:kernel
func Constants(in, out []int64) {
	const (
		big   = 1 << 100
		small = big >> 98
		pi    = 3.14159265358979323846264338327950288
		a     = iota
		b
		c uint8 = 'x' + iota
	)
	w := writer{out: out}
	w.put(small)
	w.f64(pi)
	w.f32(pi)
	w.f64(pi * big)
	w.put(a + b*int64(len("héllo")))
	w.put(int64(c))
	w.put(-1 << 63)
	w.put(int64(^uint32(0)))
	w.f32(1e-45)
	w.f32(16777217)
	w.f64(0x1p-1074)
	w.bool(pi > 3)
	var x uint64 = 1<<64 - 1
	w.put(int64(x >> 1))
	w.put(int64(len([3][5]int{}[1])))
}

// Bools are conditions with short circuits.
//
//gpu:kernel
func Bools(in, out []int64) {
	w := writer{out: out}
	calls := 0
	side := func(v bool) bool {
		calls++
		return v
	}
	for _, v := range in {
		x, y := v > 0, v&1 == 0
		w.bool(side(x) && side(y))
		w.bool(side(x) || side(y))
		w.bool(!x)
		w.bool(x == y)
		w.bool(x != y)
		w.bool((x || y) && !(x && y))
		z := x
		if side(y) && !side(z) || v > 100 {
			z = !z
		}
		w.bool(z)
	}
	w.put(int64(calls))
}

// Divisions are those of math/bits, of numbers of every length.
//
//gpu:kernel
func Divisions(in, out []int64) {
	w := writer{out: out}
	x := uint64(in[0])*0x9e3779b97f4a7c15 + 1
	next := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x >> (x >> 3 & 63)
	}
	for i := range 150 {
		hi, lo, y := next(), next(), next()
		switch i % 5 {
		case 0:
			lo = -lo
		case 1:
			hi = y - 1
		case 2:
			y |= 1 << 63
		case 3:
			hi, y = y<<32-1, y<<32|1
		}
		y = max(y, 1)
		q, r := bits.Div64(hi%y, lo, y)
		w.put(int64(q))
		w.put(int64(r))
		w.put(int64(bits.Rem64(hi, lo, y)))
		q32, r32 := bits.Div32(uint32(hi)%max(uint32(y), 1), uint32(lo), max(uint32(y), 1))
		w.put(int64(q32)<<32 | int64(r32))
		w.put(int64(bits.Rem32(uint32(hi), uint32(lo), uint32(y)|1)))
	}
	hi, lo, y := uint(in[1]), uint(in[2]), uint(in[3]) // each of these fails on some inputs
	w.put(int64(bits.Rem(hi, lo, y)))
	q, r := bits.Div(hi, lo, y)
	w.put(int64(q ^ r))
	q32, r32 := bits.Div32(uint32(lo), uint32(hi), uint32(y))
	w.put(int64(q32 ^ r32))
}
