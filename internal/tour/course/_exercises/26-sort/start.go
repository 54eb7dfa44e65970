// A sort
//
// Sort the 64 elements of x, the least first, with one block of 32 threads.
//
// In an odd-even sort each thread compares two neighbours and swaps them if they are the wrong way
// round: in even rounds places 0 and 1, 2 and 3, …, in odd rounds places 1 and 2, 3 and 4, … After
// as many rounds as there are elements all is sorted.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func Sort(x []int32) {
	keys := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	keys[tid], keys[tid+32] = x[tid], x[tid+32]
	gpu.SyncThreads()
	for range 64 {
		i := 2 * tid
		if keys[i] > keys[i+1] {
			keys[i], keys[i+1] = keys[i+1], keys[i]
		}
		gpu.SyncThreads()
	}
	x[tid], x[tid+32] = keys[tid], keys[tid+32]
}
