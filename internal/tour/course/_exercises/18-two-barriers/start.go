// One barrier is not enough
//
// Threads 0 and 32 hand each other the elements of x, pair after pair: y[i] and y[i+1] both become
// x[i]*x[i+1]. x has an even number of elements. The threads between only wait.
//
// The barrier sees to it that both have written before one reads. What else is needed?
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=33
func Products(x, y []int32) {
	pair := gpu.Shared[[2]int32]()
	tid := gpu.ThreadIdx.X
	for i := 0; i+1 < len(x); i += 2 {
		if tid%32 == 0 {
			pair[tid/32] = x[i+tid/32]
		}
		gpu.SyncThreads()
		if tid%32 == 0 {
			y[i+tid/32] = pair[0] * pair[1]
		}
	}
}
