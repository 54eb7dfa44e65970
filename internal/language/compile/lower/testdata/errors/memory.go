package p

import "github.com/gridstride/gridstride/gpu"

type node struct {
	value int
	next  *node
}

//gpu:kernel
func Escapes(a []int) {
	var prev *int
	for i := range 4 {
		x := i // ERROR 3:"x is a new variable in each iteration, and the address of an earlier one is kept"
		if prev != nil {
			a[i] = *prev
		}
		prev = &x
	}
}

//gpu:kernel
func List(a []int) {
	var list *node
	for i := range 4 {
		list = &node{i, list} // ERROR "this is a new variable in each iteration"
	}
	for n := list; n != nil; n = n.next {
		a[0] += n.value
	}
}

//gpu:kernel
func Stored(a []int) {
	var all [4]*int
	for i := range all {
		x := i * i // ERROR "x is a new variable in each iteration"
		all[i] = &x
	}
	for i, p := range all {
		a[i] = *p
	}
}

//gpu:kernel
func Captured(a []int) {
	var last *int
	for i := range 4 {
		f := func() *int { y := i; return &y } // ERROR "y is a new variable"
		next := f()
		if last != nil {
			a[0] += *last
		}
		last = next
	}
}

//gpu:kernel
func LoopVar(a []int) {
	var first *int
	for i := 0; i < 4; i++ { // ERROR 6:"i is a new variable in each iteration"
		if first == nil {
			first = &i
		}
		a[i] = *first
	}
}

// Fine keeps addresses, but none of an earlier iteration.
//
//gpu:kernel
func Fine(a []int, n int) {
	var found *int
	for i := range 4 {
		x := i
		var local [2]*int
		local[0] = &x
		p := local[n&1]
		for p != nil && *p < n {
			*p += 2
			p = local[0]
		}
		if x > n {
			found = &x
			break
		}
	}
	if found != nil {
		a[0] = *found
	}
	for i, j := 0, n; i < j; i++ { // the closure sees the variable of its iteration
		f := func() int { j--; return i + j }
		a[i] = f()
	}
	var last *int
	for i := range 4 {
		if last != nil {
			a[0] += *last
		}
		y := i
		last = &y
	}
}

//gpu:kernel
func Shared(a []int) {
	_ = gpu.Shared[[2]*int]()           // ERROR "cannot be in shared memory: it holds addresses, keep indices instead"
	_ = gpu.Shared[struct{ s []int }]() // ERROR "cannot be in shared memory: it holds addresses"
	_ = gpu.DynamicShared[[]int]()      // ERROR "cannot be in shared memory"
	_ = gpu.DynamicShared[struct{}]()   // ERROR "have no size"
	_ = gpu.Shared[func()]()            // ERROR "cannot be in shared memory: it holds more than numbers"
}

//gpu:kernel
func TooMuch(a []float64) { // ERROR 6:"kernel TooMuch declares 240000 bytes of shared memory: no block has more than 232448"
	s := gpu.Shared[[30000]float64]()
	s[0] = a[0]
}

//gpu:kernel
func TooLarge(a []float64) { // ERROR 6:"the local variables of kernel TooLarge take 800000 bytes: a thread has at most 524288"
	var local [100000]float64
	p := &local
	p[len(a)] = 1
}
