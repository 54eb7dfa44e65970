package p

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Orders(a []int, n int) {
	a[0] = gpu.AtomicLoad(&a[1], gpu.Release)                // ERROR "a load cannot be gpu.Release: gpu.Relaxed and gpu.Acquire are its orders"
	a[0] = gpu.AtomicLoad(&a[1], gpu.BlockScope, gpu.AcqRel) // ERROR "a load cannot be gpu.AcqRel"
	gpu.AtomicStore(&a[1], 5, gpu.Acquire)                   // ERROR "a store cannot be gpu.Acquire: gpu.Relaxed and gpu.Release are its orders"
	gpu.AtomicAdd(&a[1], 5, gpu.Acquire, gpu.Release)        // ERROR "gpu.Acquire and gpu.Release: an atomic has one order and one scope"
	gpu.AtomicAdd(&a[1], 5, gpu.BlockScope, gpu.BlockScope)  // ERROR "gpu.BlockScope and gpu.BlockScope: an atomic has one"
	gpu.AtomicAdd(&a[1], 5, gpu.Ordering(n))                 // ERROR "the order and the scope of an atomic must be constants"
	gpu.AtomicAdd(&a[1], 5, 0)                               // ERROR "must be constants, such as gpu.Acquire and gpu.BlockScope"
	list := [2]gpu.Ordering{gpu.Acquire, gpu.BlockScope}
	gpu.AtomicAdd(&a[1], 5, list[:]...) // ERROR "the order and the scope of an atomic must be constants"
	handOn(a)
	handOn(a, gpu.Acquire)
}

func handOn(a []int, how ...gpu.Ordering) {
	gpu.AtomicStore(&a[2], 5, how...) // ERROR "a store cannot be gpu.Acquire"
}

//gpu:kernel
func Wide(a []gpu.Uint64x2) {
	gpu.AtomicExch128(&a[0], a[1])      // ERROR "gpu.AtomicExch128 needs sm_90 or newer: write //gpu:kernel target=sm_90"
	gpu.AtomicCAS128(&a[0], a[1], a[2]) // ERROR "gpu.AtomicCAS128 needs sm_90"
}
