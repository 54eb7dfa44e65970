package p

//gpu:kernel
func Explodes(a []int) { // ERROR 6:"the kernel is larger than 262144 instructions once its calls are inlined: call large functions from fewer places"
	a[0] = f0(a[1])
}

func f0(x int) int { return f1(f1(f1(f1(x)))) }
func f1(x int) int { return f2(f2(f2(f2(x)))) }
func f2(x int) int { return f3(f3(f3(f3(x)))) }
func f3(x int) int { return f4(f4(f4(f4(x)))) }
func f4(x int) int { return f5(f5(f5(f5(x)))) }
func f5(x int) int { return f6(f6(f6(f6(x)))) }
func f6(x int) int { return f7(f7(f7(f7(x)))) }
func f7(x int) int { return f8(f8(f8(f8(x)))) }
func f8(x int) int { return x*3 + 1/x }

type pile[T any] struct {
	all  [1 << 60]T
	tail T
}

func heap[T any](i int) T {
	var t [1 << 47]T // ERROR 6:"type .140737488355328.complex128 takes 2251799813685248 bytes: no type has more than 1125899906842624, make it smaller"
	return t[i]
}

//gpu:kernel
func Vast(a []float64, i int) {
	var p pile[float64] // ERROR 6:"type p.pile.float64. takes more than 9223372036854775807 bytes: no type has more than 1125899906842624"
	p.tail = 1
	a[0] = p.all[i] + real(heap[complex128](i))
}

//gpu:kernel
func Sums(a []int, n int) { // ERROR 6:"the local variables of kernel Sums take"
	var t, u, v, w, x, y, z, q [1 << 46]int
	t[n], u[n], v[n], w[n], x[n], y[n], z[n], q[n] = n, n, n, n, n, n, n, n
	a[0] = t[0] + u[0] + v[0] + w[0] + x[0] + y[0] + z[0] + q[0]
}
