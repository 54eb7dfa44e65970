package main

import "github.com/gridstride/gridstride/gpu"

// The kernels of this file compute y = (x[0]*x[1], x[0]*x[1], x[2]*x[3], x[2]*x[3], …) with two
// threads of a block, 0 and apart, which hand each other their element through shared memory. One
// pair after the other goes through the same two places. With apart = 1 the two threads are in one
// warp, with apart = 32 in two. The kernels ignore a last element without a partner.

// ProductsNoBarrier reads what the other thread may not have written yet (read after write), and
// writes over what the other may not have read yet (write after read).
//
//gpu:kernel
func ProductsNoBarrier(x, y []int32, apart int) {
	cache := gpu.Shared[[2]int32]()
	t, rest := gpu.ThreadIdx.X/apart, gpu.ThreadIdx.X%apart
	for i := 0; i+1 < len(x); i += 2 {
		if rest == 0 {
			cache[t] = x[i+t]
			y[i+t] = cache[0] * cache[1]
		}
	}
}

// ProductsOneBarrier reads written elements, but the faster thread still writes the next pair over
// elements that the slower one has to read (write after read).
//
//gpu:kernel
func ProductsOneBarrier(x, y []int32, apart int) {
	cache := gpu.Shared[[2]int32]()
	t, rest := gpu.ThreadIdx.X/apart, gpu.ThreadIdx.X%apart
	for i := 0; i+1 < len(x); i += 2 {
		if rest == 0 {
			cache[t] = x[i+t]
		}
		gpu.SyncThreads()
		if rest == 0 {
			y[i+t] = cache[0] * cache[1]
		}
	}
}

// Products has both barriers it needs.
//
//gpu:kernel
func Products(x, y []int32, apart int) {
	cache := gpu.Shared[[2]int32]()
	t, rest := gpu.ThreadIdx.X/apart, gpu.ThreadIdx.X%apart
	for i := 0; i+1 < len(x); i += 2 {
		if rest == 0 {
			cache[t] = x[i+t]
		}
		gpu.SyncThreads()
		if rest == 0 {
			y[i+t] = cache[0] * cache[1]
		}
		gpu.SyncThreads()
	}
}
