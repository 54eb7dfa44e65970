// The faster thread must not write the next pair before the slower one has read this one. A place
// that is used again needs a barrier after reading, too.
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
		gpu.SyncThreads()
	}
}
