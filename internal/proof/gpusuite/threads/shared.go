package threads

import "github.com/gridstride/gridstride/gpu"

// mirrored is how many elements Mirror takes: its arrays are 120,000 bytes, more than a block can
// have of static shared memory.
const mirrored = 10000

// Mirror adds to each of up to mirrored elements the one at the same distance from the other end,
// through two arrays in shared memory, and to that the first elements, as many as the launch gives
// dynamic shared memory for. The last element of a block's part of out counts those.
//
//gpu:kernel
func Mirror(in, out []int32) {
	near, far := gpu.Shared[[mirrored]int32](), gpu.Shared[[mirrored]int64]()
	asked := gpu.DynamicShared[int32]()
	n, t, step := len(in), gpu.ThreadIdx.X, gpu.BlockDim.X
	for i := t; i < n; i += step {
		near[i] = in[i]
		far[n-1-i] = int64(in[i]) << 32
	}
	for i := t; i < len(asked); i += step {
		asked[i] = 1000 * in[i]
	}
	gpu.SyncThreads()
	part := out[gpu.BlockIdx.X*(n+1):][:n+1]
	for i := t; i < n; i += step {
		v := near[n-1-i] + int32(far[n-1-i]>>32)
		if i < len(asked) {
			v += asked[i]
		}
		part[i] = v
	}
	if t == 0 {
		part[n] = int32(len(asked))
	}
}
