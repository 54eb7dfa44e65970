package p

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func K(a []float32, n int32) {
	seq := gpu.GridStride(len(a)) // ERROR 9:"gpu.GridStride can only be ranged over: for i := range gpu.GridStride.n."
	for i := range seq {
		a[i] = 0
	}
	gpu.GridStride(3)(func(i int) bool { return true }) // ERROR 2:"gpu.GridStride can only be ranged over"
	f := gpu.GridStride                                 // ERROR 7:"gpu.GridStride can only be ranged over"
	_ = f
	for i := range gpu.GridStride(n) { // ERROR 32:"cannot use n .variable of type int32. as int value in argument to gpu.GridStride"
		a[i] = 0
	}
	for i, j := range gpu.GridStride(3) { // ERROR 9:"permits only one iteration variable"
		a[i] = float32(j) // ERROR "undefined: j"
	}
	for i := range gpu.GridStride(len(a)) { // ERROR 6:"declared and not used: i"
	}
	for i := range gpu.GridStride(len(a), 2) { // ERROR "too many arguments in call to gpu.GridStride"
		a[i] = 0
	}
}
