package p

import "github.com/gridstride/gridstride/gpu"

// Each of Go's run-time checks once, and places where none is needed.
//
//gpu:kernel
func Checks(a []int32, i int, n uint8, s int16) {
	a[0] = a[i:][n]
	b := a[1:i:9]
	a[1] = b[n] / a[2]
	a[3] = 1<<s + 1<<n + a[0]/3 + a[0]<<(s&7)
	arr := (*[4]int32)(b)
	arr[2] = arr[n]
	var p *int32
	if i > 3 {
		p = &a[4]
	}
	*p = 5
	q := &a[5]
	*q = 6
	gpu.Assert(i < 100, "i is small")
	if i == 9 {
		panic("nine")
	}
}

//gpu:kernel
//gpu:nobounds
func NoBounds(a []int32, i int, n uint8) {
	a[0] = a[i:][n] / a[1]
}
