package lang

import (
	"cmp"
	"math"
	"math/bits"
)

// Closures are function literals, captured variables and functions as arguments.
//
//gpu:kernel
func Closures(in, out []int64) {
	w := writer{out: out}
	sum := int64(0)
	add := func(v int64) { sum += v }
	for _, v := range in {
		add(v)
	}
	w.put(sum)
	twice := func(f func(int64), v int64) { f(v); f(v) }
	twice(add, 4)
	twice(func(v int64) { add(v * 2) }, 3)
	w.put(sum)
	w.put(compose(double, triple)(5))
	w.put(apply(func(x int64) int64 { return x + sum }, 1))
	for i := range 3 {
		f := func() int64 { i := i * 10; return int64(i) }
		w.put(f())
	}
	for i, j := 0, 20; i < j; i++ {
		f := func() int { i += 2; j--; return i * j }
		w.put(int64(f()))
		if i > 7 {
			continue
		}
		p := &j
		*p -= i
		g := func() int64 { return int64(i + *p) }
		w.put(g())
	}
	next := counter(10)
	w.put(next())
	w.put(next() + next())
	func() {
		defer1 := sum
		sum = 1
		w.put(defer1)
	}()
	var set func(int64)
	set = func(v int64) { sum = v }
	set(8)
	w.put(sum)
	w.put(fold(in, 0, func(a, b int64) int64 { return a ^ b }))
	w.put(fold(in, math.MinInt64, max2))
	pick := double
	w.put(pick(3))
	w.put(func(x, y int64) int64 { return x * y }(3, 4))
	w.bool(set != nil)
	nested(&w)
}

// nested calls functions that hold others made by the same literal.
func nested(w *writer) {
	inc := func(x int64) int64 { return x + 1 }
	w.put(compose(inc, compose(inc, inc))(5))
	w.put(compose(compose(inc, double), compose(triple, inc))(5))
	w.put(compose(compose(compose(inc, inc), inc), compose(inc, compose(inc, double)))(5))
	w.put(times(3, times(2, double))(7))
	w.put(apply(func(x int64) int64 { return apply(compose(inc, inc), x) }, 4))
	w.put(apply(compose(func(x int64) int64 { return apply(inc, x) }, inc), 4))
	add := curry(func(x, y int64) int64 { return 10*x + y })
	w.put(add(1)(2) + curry(func(x, y int64) int64 { return add(x)(y) - 1 })(3)(4))
	f := inc
	g := func(x int64) int64 { return f(f(x)) }
	w.put(compose(g, compose(g, f))(0))
	both := func(f, g func(int64) int64) func(int64) int64 { return compose(f, compose(g, f)) }
	w.put(both(both(inc, double), both(double, inc))(3))
}

// times applies f n times.
func times(n int, f func(int64) int64) func(int64) int64 {
	return func(x int64) int64 {
		for range n {
			x = f(x)
		}
		return x
	}
}

func curry(f func(x, y int64) int64) func(int64) func(int64) int64 {
	return func(x int64) func(int64) int64 {
		return func(y int64) int64 { return f(x, y) }
	}
}

func double(x int64) int64 { return 2 * x }
func triple(x int64) int64 { return 3 * x }

func compose(f, g func(int64) int64) func(int64) int64 {
	return func(x int64) int64 { return f(g(x)) }
}

func apply(f func(int64) int64, x int64) int64 { return f(x) }

func counter(n int64) func() int64 {
	return func() int64 { n++; return n }
}

func fold[T, A any](s []T, a A, f func(A, T) A) A {
	for _, v := range s {
		a = f(a, v)
	}
	return a
}

func max2[T cmp.Ordered](x, y T) T {
	if cmp.Compare(x, y) > 0 {
		return x
	}
	return y
}

// Iterators are loops over functions.
//
//gpu:kernel
func Iterators(in, out []int64) {
	w := writer{out: out}
	for v := range evens(in) {
		w.put(v)
		if v > 1000 {
			break
		}
	}
	for i, v := range backward(in) {
		if i == 2 {
			continue
		}
		w.put(int64(i) + v)
	}
	w.put(find(in, 7))
	w.put(find(in, 12345678))
outer:
	for i := range count(4) {
		for j := range count(4) {
			if j > i {
				continue outer
			}
			if i == 3 {
				break outer
			}
			w.put(int64(i*10 + j))
		}
	}
	for range count(3) {
		w.put(0)
	}
	n := 0
	for n = range count(5) {
	}
	w.put(int64(n))
}

func evens(s []int64) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for _, v := range s {
			if v%2 == 0 && !yield(v) {
				return
			}
		}
	}
}

func backward[T any](s []T) func(func(int, T) bool) {
	return func(yield func(int, T) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			if !yield(i, s[i]) {
				return
			}
		}
	}
}

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				break
			}
		}
	}
}

func find(s []int64, x int64) int64 {
	for i, v := range backward(s) {
		if v == x {
			return int64(i)
		}
	}
	return -1
}

type stack[T any] struct {
	items [8]T
	n     int
}

func (s *stack[T]) push(v T) {
	s.items[s.n] = v
	s.n++
}

func (s *stack[T]) pop() (v T, ok bool) {
	if s.n == 0 {
		return v, false
	}
	s.n--
	return s.items[s.n], true
}

type ring[T number] struct {
	stack[T]
	total T
}

type celsius float32

func (c celsius) fahrenheit() celsius { return c*9/5 + 32 }

type shape interface{ area() float64 }
type square struct{ side float64 }
type circle struct{ r float64 }

func (s square) area() float64  { return s.side * s.side }
func (c *circle) area() float64 { return 3 * c.r * c.r }

func total[S shape](a, b S) float64 { return a.area() + b.area() }

// Generics are generic types, methods and functions.
//
//gpu:kernel T=int32,float64,uint8
func Generics[T number](in, out []int64) {
	w := writer{out: out}
	var s stack[T]
	for _, v := range in[:4] {
		s.push(T(v & 63))
	}
	for {
		v, ok := s.pop()
		if !ok {
			break
		}
		w.put(int64(v))
	}
	r := ring[T]{total: 3}
	r.push(4)
	r.total += r.items[0]
	w.put(int64(r.total))
	w.put(int64(max2(T(3), T(in[0]&7))))
	w.f64(total(square{2}, square{3}))
	w.f64(total(&circle{1}, &circle{2}))
	w.f32(float32(celsius(20).fahrenheit()))
	a, b := T(1), T(2)
	swap(&a, &b)
	w.put(int64(a)*10 + int64(b))
	var zero T
	w.put(int64(zero))
	p := pair[T, int64]{a, 7}
	w.put(flip(p).first)
	w.bool(cmp.Less(a, b))
}

type pair[A, B any] struct {
	first  A
	second B
}

func flip[A, B any](p pair[A, B]) pair[B, A] { return pair[B, A]{p.second, p.first} }

// Math is what there is of math and math/bits.
//
//gpu:kernel
func Math(in, out []int64) {
	w := writer{out: out}
	for i, v := range in {
		x := float64(v)/8 + 0.375
		y := math.Float64frombits(uint64(in[len(in)-1-i]))
		w.f64(math.Sqrt(math.Abs(x)))
		w.f64(math.Floor(x))
		w.f64(math.Ceil(x))
		w.f64(math.Trunc(x))
		w.f64(math.Copysign(x, y))
		w.f64(math.FMA(x, x, 0.1))
		w.f64(math.Min(x, 3))
		w.f64(math.Max(x, math.Inf(1)))
		w.bool(math.IsNaN(y))
		w.bool(math.IsInf(y, 0))
		w.bool(math.IsInf(x/0.0000001*1e300, 1))
		w.bool(math.Signbit(y))
		w.bool(math.IsNaN(math.Min(math.NaN(), x)))
		w.f64(math.Min(math.NaN(), math.Inf(-1)))
		w.f64(math.Max(math.Copysign(0, -1), 0))
		w.put(int64(math.Float32bits(float32(x))))
		w.f32(math.Float32frombits(uint32(v) & 0x7f7fffff))

		u := uint64(v)
		w.put(int64(bits.OnesCount64(u)*100 + bits.OnesCount8(uint8(u))))
		w.put(int64(bits.LeadingZeros64(u)*100 + bits.LeadingZeros16(uint16(u))))
		w.put(int64(bits.TrailingZeros64(u)*100 + bits.TrailingZeros8(uint8(u))))
		w.put(int64(bits.LeadingZeros32(uint32(u))*100 + bits.TrailingZeros32(uint32(u))))
		w.put(int64(bits.LeadingZeros8(uint8(u))*100 + bits.TrailingZeros16(uint16(u))))
		w.put(int64(bits.Len64(u)*100 + bits.Len8(uint8(u))))
		w.put(int64(bits.Reverse64(u) ^ uint64(bits.Reverse8(uint8(u))) ^ uint64(bits.Reverse16(uint16(u))) ^ uint64(bits.Reverse32(uint32(u)))))
		w.put(int64(bits.ReverseBytes64(u) ^ uint64(bits.ReverseBytes16(uint16(u))) ^ uint64(bits.ReverseBytes32(uint32(u)))))
		for _, k := range []int{0, 1, 7, -3, 40, -90, 64} {
			w.put(int64(bits.RotateLeft64(u, k)))
			w.put(int64(bits.RotateLeft32(uint32(u), k)))
			w.put(int64(bits.RotateLeft16(uint16(u), k)))
			w.put(int64(bits.RotateLeft8(uint8(u), k)))
		}
		t := uint64(in[len(in)-1-i])
		hi, lo := bits.Mul64(u, t)
		w.put(int64(hi ^ lo))
		s, c := bits.Add64(u, t, u&1)
		w.put(int64(s + 3*c))
		d, b := bits.Sub64(u, t, u&1)
		w.put(int64(d + 3*b))
		s32, c32 := bits.Add32(uint32(u), uint32(t), uint32(u)&1)
		d32, b32 := bits.Sub32(uint32(u), uint32(t), uint32(u)&1)
		w.put(int64(s32) + int64(c32) + int64(d32) + int64(b32))
	}
}
