// All threads read before any writes, and all write before any reads again: two barriers a round
// (Hillis and Steele, 1986).
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Scan(x, y []int32) {
	sums := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	var v int32
	if tid < len(x) {
		v = x[tid]
	}
	sums[tid] = v
	gpu.SyncThreads()
	for s := 1; s < 64; s *= 2 {
		if tid >= s {
			v += sums[tid-s]
		}
		gpu.SyncThreads()
		sums[tid] = v
		gpu.SyncThreads()
	}
	if tid < len(y) {
		y[tid] = v
	}
}
