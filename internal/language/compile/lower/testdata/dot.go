package p

import "github.com/gridstride/gridstride/gpu"

import "os" // of the host

const blockSize = 256

//gpu:kernel T=float32,float64
func Partial[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[blockSize]T]()
	tid := gpu.ThreadIdx.X

	var sum T
	for i := range gpu.GridStride(len(a)) {
		sum += a[i] * b[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}

func host() {
	k, err := LoadPartial[float32](os.Args)
}
