// Package lookback has a scan of one pass.
package lookback

import "github.com/gridstride/gridstride/gpu"

// Scan is a scan of one pass: each block sums its part, makes the sum known, and looks back at the
// blocks before it until one knows the sum of all before.
//
//gpu:kernel
func Scan(a, out []int32, state, sums []uint32, ticket []uint32) {
	part := gpu.Shared[[256]int32]()
	turn := gpu.Shared[[2]uint32]()
	t := gpu.ThreadIdx.X
	if t == 0 {
		turn[0] = gpu.AtomicAdd(&ticket[0], 1, gpu.Relaxed)
	}
	gpu.SyncThreads()
	b := int(turn[0])
	i := b*256 + t
	var x int32
	if i < len(a) {
		x = a[i]
	}
	part[t] = x
	gpu.SyncThreads()
	for d := 1; d < 256; d *= 2 {
		var y int32
		if t >= d {
			y = part[t-d]
		}
		gpu.SyncThreads()
		part[t] += y
		gpu.SyncThreads()
	}
	if t == 0 {
		sum := uint32(part[255])
		before := uint32(0)
		sums[2*b] = sum
		gpu.AtomicStore(&state[b], 1, gpu.Release)
		for k := b - 1; k >= 0; k-- {
			s := gpu.AtomicLoad(&state[k], gpu.Acquire)
			for s == 0 {
				s = gpu.AtomicLoad(&state[k], gpu.Acquire)
			}
			if s == 2 {
				before += sums[2*k+1]
				break
			}
			before += sums[2*k]
		}
		sums[2*b+1] = before + sum
		gpu.AtomicStore(&state[b], 2, gpu.Release)
		turn[1] = before
	}
	gpu.SyncThreads()
	if i < len(a) {
		out[i] = part[t] + int32(turn[1])
	}
}
