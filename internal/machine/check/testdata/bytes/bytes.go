// Package bytes is kernels whose threads access single bytes.
package bytes

import "github.com/gridstride/gridstride/gpu"

// Copy reads one buffer and writes another.
//
//gpu:kernel
func Copy(to, from []uint8) {
	for i := range gpu.GridStride(len(to)) {
		to[i] = from[i]
	}
}

// Invert changes a buffer in place.
//
//gpu:kernel
func Invert(a []uint8) {
	for i := range gpu.GridStride(len(a)) {
		a[i] = ^a[i]
	}
}

// Mirror lets every thread read what another of its block wrote.
//
//gpu:kernel
func Mirror(a []uint8, out []int32) {
	first, n, t := gpu.BlockIdx.X*gpu.BlockDim.X, gpu.BlockDim.X, gpu.ThreadIdx.X
	a[first+t] = uint8(t)
	gpu.SyncThreads()
	if a[first+n-1-t] != uint8(n-1-t) {
		out[0] = 1
	}
}

// Blur lets three threads read each element.
//
//gpu:kernel T=uint8,int32
func Blur[T uint8 | int32](to, from []T) {
	for i := range gpu.GridStride(len(to) - 2) {
		to[i] = from[i]/4 + from[i+1]/2 + from[i+2]/4
	}
}

// Window lets three threads read each element, and writes none.
//
//gpu:kernel
func Window(from []uint8, out []int32) {
	for i := range gpu.GridStride(len(from) - 2) {
		if from[i]+from[i+1]+from[i+2] != 0 {
			out[0] = 1
		}
	}
}

// Gather lets two threads read each element, which lie apart in no regular way.
//
//gpu:kernel
func Gather(to, from []uint8) {
	n := uint32(len(from))
	for i := range gpu.GridStride(len(to)) {
		k := uint32(i)
		to[i] = from[k*(k*2+7919)%n] + from[k*(k*4+104729)%n]
	}
}
