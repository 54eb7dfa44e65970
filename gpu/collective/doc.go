// Package collective has operations that the threads of a warp or of a block compute together:
// sums, minima, maxima and scans of a value from each thread, and for a block's slices sorts, the
// largest values, histograms and runs. They are ordinary device functions, written in kernel Go
// with shuffles and shared memory, for kernels to call.
//
//	//gpu:kernel block=256
//	func Sum(a, sums []float32) {
//		var sum float32
//		for i := range gpu.GridStride(len(a)) {
//			sum += a[i]
//		}
//		sum = collective.BlockSum(sum) // of all threads of the block
//		if gpu.ThreadIdx.X == 0 {
//			sums[gpu.BlockIdx.X] = sum
//		}
//	}
//
// Sums and the like take every number type. Integer sums wrap, as Go's do. A reduction or a scan by
// your operation takes any values of at most 32 bytes, as gpu's shuffles do: complex numbers,
// numbers of 16 bits, structs and arrays, too. Every thread of the warp, or of the block, must make
// the call, the same call in the code, and each gets the result. The result is undefined, and the
// call may hang the device, if some threads have returned or take another branch: let the threads
// without data take part, with a value that changes nothing (0 for a sum). Blocks may have any size
// and up to three dimensions. Threads are counted as in CUDA, x first: ThreadIdx.X +
// BlockDim.X*(ThreadIdx.Y + BlockDim.Y*ThreadIdx.Z). The last warp of a block may be partial:
// threads that do not exist take no part.
//
// The functions of slices take any number of elements, whatever the size of the block is. Their
// results depend on the elements alone, and have the same bits on every device. Each says what it
// costs: barriers, shared memory, and how often it reads an element.
//
// The order in which values of threads are combined is fixed by the size of the block alone, so
// that a result in floating point has the same bits from run to run and on every device. It is
//
//   - in a warp, a binary tree: lane i takes in lane i+16, then i+8, and so on (the reduction of M.
//     Harris, "Faster Parallel Reductions on Kepler", NVIDIA 2014, which every thread then reads
//     off lane 0);
//   - in a block, the warps' results from left to right;
//   - in a scan of a warp, the algorithm of W. D. Hillis and G. L. Steele, "Data parallel
//     algorithms", Communications of the ACM 29 (1986).
//
// The block's functions contain barriers: they may be called one after the other, and order the
// memory accesses of the block's threads before them ahead of those after, as [gpu.SyncThreads]
// does.
package collective
