// Package rand is random numbers for kernels, and the same ones on the host: ordinary device
// functions, whose results have the same bits on every device and in host code.
//
//	//gpu:kernel
//	func Inside(seed uint64, points int, inside []uint32) {
//		for i := range gpu.GridStride(len(inside)) {
//			r := rand.New(seed, uint64(i)) // a stream for each element
//			for range points {
//				x, y := r.Float32(), r.Float32()
//				if gpu.FMA(x, x, y*y) < 1 {
//					inside[i]++
//				}
//			}
//		}
//	}
//
// The generator is Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011. It is counter-based: a block of four
// words is a function of its place in a stream, of the stream and of the seed, and no block depends
// on the one before. So a thread begins anywhere at no cost, nothing has to be kept between
// launches, and a result need not depend on the grid: number streams by what is computed, not by
// the thread that happens to compute it.
//
// Besides uniform words, floating-point numbers and integers below n there are normal and
// exponential numbers, made with the mathematics of package gpu.
//
// For each of 2^64 seeds there are 2^64 streams of 2^64 words, after which a stream begins again.
// No two streams of a seed have a block in common, as they are parts of one bijection of the
// counters. Words 4*i to 4*i+3 of a stream are [Philox4x32] of the counter {i, stream}, low half
// first, with the seed as the key. That is how cuRAND's Philox counts, too, from curand_init(seed,
// stream, 0).
//
// The generator passes the statistical batteries (BigCrush) that its authors ran. It is no
// protection against someone who wants to guess the numbers: take crypto/rand for secrets.
package rand
