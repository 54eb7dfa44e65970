package p

import "github.com/gridstride/gridstride/gpu"

// label has a method of the name of one of package gpu's, which is no reason to look at that.
type label int

func (l label) String() int { return int(l) }

//gpu:kernel
func Label(x []gpu.Float16, n []int) { n[1] = label(n[0]).String() }

//gpu:kernel
func Host(x []gpu.Float16, n []int) {
	x[0].String()           // ERROR "a kernel cannot call String of package gpu: it is for the host"
	x[1].UnmarshalText(nil) // ERROR "a kernel cannot call UnmarshalText of package gpu: it is for the host"
}
