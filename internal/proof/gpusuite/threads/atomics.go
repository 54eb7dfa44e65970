package threads

import "github.com/gridstride/gridstride/gpu"

// Integers is every atomic on integers that commutes, by all threads on the same elements of out:
// add, sub, min, max, and, or, xor, and add by compare-and-swap, all at once.
//
//gpu:kernel T=int8,uint8,int16,uint16,int32,uint32,int64,uint64
func Integers[T gpu.Integer](in, out []T) {
	for i := range gpu.GridStride(len(in)) {
		v := in[i]
		gpu.AtomicAdd(&out[0], v)
		gpu.AtomicSub(&out[1], v, gpu.DeviceScope, gpu.Relaxed)
		gpu.AtomicMin(&out[2], v)
		gpu.AtomicMax(&out[3], v, gpu.AcqRel)
		gpu.AtomicAnd(&out[4], v, gpu.Acquire)
		gpu.AtomicOr(&out[5], v, gpu.Release)
		gpu.AtomicXor(&out[6], v, gpu.SystemScope)
		for old := gpu.AtomicLoad(&out[7]); ; {
			found := gpu.AtomicCAS(&out[7], old, old+v)
			if found == old {
				break
			}
			old = found
		}
	}
}

// Floats is minimum, maximum and sum, by all threads.
//
//gpu:kernel T=float32,float64
func Floats[T gpu.Float](in, out []T) {
	for i := range gpu.GridStride(len(in)) {
		gpu.AtomicMin(&out[0], in[i])
		gpu.AtomicMax(&out[1], in[i])
		gpu.AtomicAdd(&out[2], 1)
		gpu.AtomicSub(&out[3], 2)
	}
}

// SmallSums adds to numbers in global memory, with and without a use of the old value, to numbers
// in shared memory, and through a pointer to the one or the other.
//
//gpu:kernel T=float32,float64 block=32
func SmallSums[T gpu.Float](in, addend, global, unused, shared, either, old []T) {
	block := gpu.Shared[[2][32]T]()
	tid := gpu.ThreadIdx.X
	for i := range gpu.GridStride(len(in)) {
		global[i], unused[i], either[i], block[0][tid], block[1][tid] = in[i], in[i], in[i], in[i], in[i]
		old[i] = gpu.AtomicAdd(&global[i], addend[i])
		gpu.AtomicSub(&unused[i], -addend[i])
		gpu.AtomicAdd(&block[0][tid], addend[i])
		p := &either[i]
		if i%2 == 0 {
			p = &block[1][tid]
		}
		gpu.AtomicAdd(p, addend[i])
		if i%2 == 0 {
			either[i] = block[1][tid]
		}
		shared[i] = block[0][tid]
	}
}

// Neighbours has the threads add to every second byte of a and exchange in every second of b, while
// others write the bytes between, with plain stores.
//
//gpu:kernel
func Neighbours(a []uint8, b []int16, seen []int32) {
	for i := range gpu.GridStride(len(a)) {
		if i%2 == 1 {
			a[i] = uint8(i)
			b[i] = int16(-i)
			continue
		}
		for j := 0; j < len(a); j += 2 {
			gpu.AtomicAdd(&a[j], uint8(j+1))
		}
		seen[i] = int32(gpu.AtomicExch(&b[i], int16(i)))
	}
}

// InShared counts bytes in shared memory: a histogram of each block. Only the sum leaves the
// block.
//
//gpu:kernel block=64
func InShared(in []uint8, out []uint32) {
	bins := gpu.Shared[[256]uint8]()
	for i := gpu.ThreadIdx.X; i < len(bins); i += gpu.BlockDim.X {
		bins[i] = 0
	}
	gpu.SyncThreads()
	for i := range gpu.GridStride(len(in)) {
		if gpu.AtomicAdd(&bins[in[i]], 1, gpu.BlockScope) == 255 { // it wraps
			gpu.AtomicAdd(&out[in[i]], 256)
		}
	}
	gpu.SyncThreads()
	for i := gpu.ThreadIdx.X; i < len(bins); i += gpu.BlockDim.X {
		gpu.AtomicAdd(&out[i], uint32(bins[i]))
	}
}

// Pass hands data from the first block to the second, through a flag that is released and acquired.
//
//gpu:kernel
func Pass(data []int32, flag []int32, out []int32) {
	if gpu.BlockIdx.X == 0 {
		for i := gpu.ThreadIdx.X; i < len(data); i += gpu.BlockDim.X {
			data[i] = int32(3 * i)
		}
		gpu.SyncThreads()
		if gpu.ThreadIdx.X == 0 {
			gpu.AtomicStore(&flag[0], 1, gpu.Release)
		}
		return
	}
	if gpu.ThreadIdx.X == 0 {
		for gpu.AtomicLoad(&flag[0], gpu.Acquire) == 0 {
		}
	}
	gpu.SyncThreads()
	for i := gpu.ThreadIdx.X; i < len(data); i += gpu.BlockDim.X {
		out[i] = data[len(data)-1-i]
	}
}

// Lock has a thread of each block change plain memory under a lock, which is acquired and released.
//
//gpu:kernel
func Lock(lock []uint16, sum []int64) {
	if gpu.ThreadIdx.X != 0 {
		return
	}
	for gpu.AtomicCAS(&lock[0], 0, 1, gpu.Acquire) != 0 {
	}
	sum[0] += int64(gpu.BlockIdx.X)
	sum[1]++
	gpu.AtomicStore(&lock[0], 0, gpu.Release)
}

// Last sums in: each block its part, and the block that takes the last ticket all of these.
//
//gpu:kernel block=32
func Last(in, parts []int32, ticket []uint32, out []int32) {
	sum := int32(0)
	for i := range gpu.GridStride(len(in)) {
		sum += in[i]
	}
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, d)
	}
	if gpu.ThreadIdx.X != 0 {
		return
	}
	parts[gpu.BlockIdx.X] = sum
	if gpu.AtomicInc(&ticket[0], uint32(gpu.GridDim.X)-1, gpu.AcqRel) == uint32(gpu.GridDim.X)-1 {
		sum = 0
		for _, p := range parts[:gpu.GridDim.X] {
			sum += p
		}
		out[0] = sum
	}
}

// Wide counts in 128 bits: a[0] by compare-and-swap, so that its parts stay one, and a[1] is
// exchanged. seen has the sum of what each thread has got for it.
//
//gpu:kernel target=sm_90
func Wide(a []gpu.Uint64x2, seen []uint64) {
	old := gpu.Uint64x2{}
	for {
		found := gpu.AtomicCAS128(&a[0], old, gpu.Uint64x2{X: old.X + 1, Y: old.Y + 2*old.X}, gpu.AcqRel)
		if found == old {
			break
		}
		old = found
	}
	id := uint64(gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X) + 1
	got := gpu.AtomicExch128(&a[1], gpu.Uint64x2{X: id, Y: id << 32})
	gpu.AtomicAdd(&seen[0], got.X)
	gpu.AtomicAdd(&seen[1], got.Y)

	local := gpu.Shared[gpu.Uint64x2]()
	if gpu.ThreadIdx.X == 0 {
		*local = gpu.Uint64x2{X: 7, Y: 8}
	}
	gpu.SyncThreads()
	if gpu.AtomicCAS128(local, gpu.Uint64x2{X: 7, Y: 8}, gpu.Uint64x2{X: id, Y: id}, gpu.BlockScope).X == 7 {
		gpu.AtomicAdd(&seen[2], 1)
	}
}

// half is the numbers of 16 bits, and pairs of them.
type half interface {
	gpu.Float16 | gpu.BFloat16 | gpu.Float16x2 | gpu.BFloat16x2
}

// halfAtomics is how many atomics Halves has.
const halfAtomics = 7

// Halves is every atomic on numbers of 16 bits, each on a separate row of out, by all threads at
// once. old gets the values that a thread found.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16,gpu.Float16x2,gpu.BFloat16x2 target=sm_70,sm_80,sm_90
func Halves[T half](in, out []T, old [][halfAtomics]T) {
	n := len(out) / halfAtomics
	for i := range gpu.GridStride(len(in)) {
		v, at := in[i], i%n
		old[i][0] = gpu.AtomicAdd(&out[at], v)
		old[i][1] = gpu.AtomicSub(&out[n+at], v, gpu.AcqRel)
		old[i][2] = gpu.AtomicMin(&out[2*n+at], v, gpu.Release, gpu.SystemScope)
		old[i][3] = gpu.AtomicMax(&out[3*n+at], v, gpu.Acquire)
		old[i][4] = gpu.AtomicExch(&out[4*n+at], v, gpu.DeviceScope)
		old[i][5] = gpu.AtomicCAS(&out[5*n+at], in[i/2], v, gpu.Acquire)
		old[i][6] = gpu.AtomicLoad(&in[i], gpu.Acquire)
		gpu.AtomicStore(&out[6*n+at], v, gpu.Release)
	}
}

// HalvesInShared adds up, in shared memory, what it then adds to sum.
//
//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=64 target=sm_70,sm_80,sm_90
func HalvesInShared[T gpu.Float16 | gpu.BFloat16](in []T, sum []T) {
	parts := gpu.Shared[[2]T]()
	if gpu.ThreadIdx.X < 2 {
		gpu.AtomicStore(&parts[gpu.ThreadIdx.X], gpu.FromFloat32[T](0))
	}
	gpu.SyncThreads()
	for i := range gpu.GridStride(len(in)) {
		gpu.AtomicAdd(&parts[0], in[i], gpu.BlockScope)
		gpu.AtomicMax(&parts[1], in[i], gpu.BlockScope)
	}
	gpu.SyncThreads()
	if gpu.ThreadIdx.X == 0 {
		gpu.AtomicAdd(&sum[0], parts[0])
		gpu.AtomicMax(&sum[1], parts[1])
	}
}
