// Running sums
//
// Write the running sums of x to y: y[i] is x[0] + … + x[i]. x and y have at most 64 elements, and
// one block of 64 threads does it.
//
// In round s = 1, 2, 4, … each thread adds the sum of the thread s places before it. This kernel
// reads what others are writing.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Scan(x, y []int32) {
	sums := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	sums[tid] = 0
	if tid < len(x) {
		sums[tid] = x[tid]
	}
	gpu.SyncThreads()
	for s := 1; s < 64; s *= 2 {
		if tid >= s {
			sums[tid] += sums[tid-s]
		}
		gpu.SyncThreads()
	}
	if tid < len(y) {
		y[tid] = sums[tid]
	}
}
