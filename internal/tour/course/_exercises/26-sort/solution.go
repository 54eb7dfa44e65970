// No two threads touch the same places in a round, so one barrier a round is enough. The last
// thread has no pair in odd rounds.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func Sort(x []int32) {
	keys := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	keys[tid], keys[tid+32] = x[tid], x[tid+32]
	gpu.SyncThreads()
	for round := range 64 {
		i := 2*tid + round%2
		if i+1 < 64 && keys[i] > keys[i+1] {
			keys[i], keys[i+1] = keys[i+1], keys[i]
		}
		gpu.SyncThreads()
	}
	x[tid], x[tid+32] = keys[tid], keys[tid+32]
}
