package collectives

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Part has the threads below first add up their numbers.
//
//gpu:kernel
func Part(out []int32, first int) {
	t := gpu.ThreadIdx.X
	var sum int32
	if t < first {
		sum = collective.BlockSum(int32(t))
	}
	out[t] = sum
}

// TwoParts has the others do so by another call.
//
//gpu:kernel
func TwoParts(out []int32, first int) {
	var sum int32
	if t := gpu.ThreadIdx.X; t < first {
		sum = collective.BlockSum(int32(t))
	} else {
		sum = collective.BlockSum(int32(-t))
	}
	out[gpu.ThreadIdx.X] = sum
}

// PartOfWarp has the lanes below first add up their numbers.
//
//gpu:kernel
func PartOfWarp(out []int32, first int) {
	t := gpu.ThreadIdx.X
	if t < first {
		out[t] = collective.WarpSum(int32(t))
	} else {
		out[t] = 0
	}
}
