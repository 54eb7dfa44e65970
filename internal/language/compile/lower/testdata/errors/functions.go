package p

import "github.com/gridstride/gridstride/gpu"

func double(x int) int { return 2 * x }
func triple(x int) int { return 3 * x }

func apply(f func(int) int, x int) int { return f(x) }

func pick(n int) func(int) int { // ERROR 6:"which function is called must be known when the kernel is compiled"
	if n > 3 { // which function comes back is known at run time only
		return double
	}
	return triple
}

//gpu:kernel
func Unknown(a []int, n int) {
	f := double // ERROR 2:"which function is called must be known when the kernel is compiled"
	if n > 3 {
		f = triple
	}
	a[0] = f(n)
	a[1] = pick(n)(n)
	var g func(int) int
	a[2] = g(n) // ERROR "which function is called here must be known"
}

//gpu:kernel
func Reassigned(a []int) {
	f := func(x int) int { return x }
	g := func(x int) int { return f(x) + 1 }
	a[0] = g(1)
	f = func(x int) int { return 2 * x } // ERROR "f is assigned a second function"
	a[1] = g(1)
}

//gpu:kernel
func Unassigned(a []int, n int) {
	var f func(int) int
	if n > 3 {
		f = double
	}
	g := func() int { return f(1) } // ERROR 27:"f may not be assigned yet here"
	a[0] = g()
	var h func(int) int
	k := func() bool { return h != nil }
	for i := range 3 {
		if k() {
			a[i] = 1
		}
		h = double // ERROR 3:"h is assigned a second function"
	}
}

//gpu:kernel
func Recursive(a []int) {
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2) // ERROR 10:"a kernel cannot recurse .a function literal of Recursive calls a function literal of Recursive." 21:"recurse"
	}
	a[0] = fib(10)
	a[1] = apply(func(x int) int { return apply(double, x) }, 3) // no recursion
	a[2] = loop(triple, 3)
	a[3] = down(double, 3)
	b := box[func(int) int]{v: double} // ERROR 25:"cannot keep a function in a struct or an array" 27:"cannot keep"
	_ = b
	gpu.SyncThreads()
}

type box[T any] struct{ v T }

func loop(f func(int) int, x int) int { return apply(func(y int) int { return loop2(f, y) }, x) }

func loop2(f func(int) int, x int) int { return f(x) }

func down(f func(int) int, n int) int {
	g := func(h func(func(int) int, int) int) int { return h(f, n-1) } // ERROR 57:"a kernel cannot recurse .down calls a function literal of down calls down."
	return g(down)
}

func inc(x int) int { return x + 1 }

func compose(f, g func(int) int) func(int) int { return func(x int) int { return f(g(x)) } }

//gpu:kernel
func Growing(a []int) {
	var r func(f func(int) int, n int) int
	r = func(f func(int) int, n int) int {
		if n == 0 {
			return f(n)
		}
		return r(compose(f, inc), n-1) // ERROR 10:"a kernel cannot recurse .a function literal of Growing calls a function literal of Growing."
	}
	a[0] = r(inc, 3)
}

//gpu:kernel
func Mutual(a []int) {
	var odd func(n int) bool
	even := func(n int) bool { return n == 0 || odd(n-1) }
	odd = func(n int) bool { return n != 0 && even(n-1) } // ERROR 44:"a kernel cannot recurse"
	if compose(inc, compose(inc, inc))(1) > 2 && even(4) {
		a[0] = 1
	}
}

//gpu:kernel
func Itself(a []int) {
	f := func(g func(int) int) func(int) int {
		var h func(int) int
		h = func(n int) int { return g(h(n - 1)) } // ERROR 34:"a kernel cannot recurse"
		return h
	}
	a[0] = f(inc)(1)
}
