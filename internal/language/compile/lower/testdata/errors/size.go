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
