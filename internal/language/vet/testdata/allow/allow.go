// Package allow has findings that comments take back.
package allow

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Allowed(x []int32) {
	if x[gpu.ThreadIdx.X] > 0 {
		gpu.SyncThreads() //gpu:allow vet the elements of a block have one sign
		//gpu:allow vet the elements of a block have one sign
		gpu.SyncThreads()
		gpu.SyncThreads() // want "is inside `if x\\[gpu.ThreadIdx.X\\] > 0`"
		//gpu:allow vet
		gpu.SyncThreads() // want "move it out of the branch \\(//gpu:allow vet must give a reason\\)$"
		//gpu:allow barrier the elements of a block have one sign
		gpu.SyncThreads() // want "is inside"
	}
}

//gpu:kernel
func Repaired(x []int32) {
	gpu.SyncThreads() /* want "^//gpu:allow vet takes back nothing here: remove it$" */ //gpu:allow vet it was in an if
}
