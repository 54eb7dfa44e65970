package gpu

// Shared is a variable of type T in shared memory, one for each block, used by all its threads:
//
//	tile := gpu.Shared[[16][16]float32]()
//	tile[gpu.ThreadIdx.Y][gpu.ThreadIdx.X] = a[i]
//	gpu.SyncThreads()
//
// Unlike Go's variables it is not zero at the start: what no thread has written is undefined.
//
// Each call in the source is one variable, as a __shared__ declaration is in CUDA: a call that is
// executed again, or by a function that is called from two places, is the same variable again. Each
// instance of a generic function has its own. A kernel has at most 227 KB of it, and less on most
// GPUs: a launch is refused on a GPU whose blocks have less.
//
// T holds numbers, bools, structs and arrays only, no pointers and no slices.
func Shared[T any]() *T {
	return threadCall[*T]("Shared", (*T)(nil))
}

// DynamicShared is the shared memory whose size the launch gives, as a slice of T. Its length is
// that size divided by the size of T. Every call gives the same memory: a kernel that needs several
// arrays cuts one slice into pieces. CUDA's extern __shared__. Like [Shared] it is not zero at the
// start.
func DynamicShared[T any]() []T {
	return threadCall[[]T]("DynamicShared", []T(nil))
}
