package p

import "github.com/gridstride/gridstride/gpu"

// Dot4 loads 16 bytes at a time and adds up in four accumulators.
//
//gpu:kernel block=256
func Dot4(a, b []gpu.Float32x4, c []float32) {
	cache := gpu.Shared[[256]float32]()
	tid := gpu.ThreadIdx.X
	b = b[:len(a)]
	var s gpu.Float32x4
	for i := range gpu.GridStride(len(a)) {
		x, y := a[i], b[i]
		s.X += x.X * y.X
		s.Y += x.Y * y.Y
		s.Z += x.Z * y.Z
		s.W += x.W * y.W
	}
	cache[tid] = s.X + s.Y + s.Z + s.W
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
