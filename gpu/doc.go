// Package gpu is the package that kernel code imports: thread indices, barriers, shared memory,
// warp operations, atomics, fences, vector types, numbers of 16 bits and the exact floating-point
// functions. The names are CUDA's in Go's spelling.
//
// A kernel is an ordinary Go function with a //gpu:kernel directive:
//
//	package dot
//
//	import "github.com/gridstride/gridstride/gpu"
//
//	const blockSize = 256
//
//	// Partial writes to c[b] the dot product of block b's grid-stride share of a and b.
//	// Launch with blocks of blockSize threads; len(b) >= len(a), len(c) >= number of blocks.
//	//
//	//gpu:kernel T=float32,float64
//	func Partial[T gpu.Float](a, b, c []T) {
//		cache := gpu.Shared[[blockSize]T]()
//		tid := gpu.ThreadIdx.X
//
//		var sum T
//		for i := range gpu.GridStride(len(a)) { // i = global thread id, += threads in the grid
//			sum += a[i] * b[i]
//		}
//		cache[tid] = sum
//		gpu.SyncThreads()
//
//		for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
//			if tid < s {
//				cache[tid] += cache[tid+s]
//			}
//			gpu.SyncThreads()
//		}
//		if tid == 0 {
//			c[gpu.BlockIdx.X] = cache[0]
//		}
//	}
//
// # Directives
//
// The directive is a separate line in the doc comment of the function:
//
//	//gpu:kernel                        a kernel
//	//gpu:kernel T=float32,float64      a generic kernel and its instances
//	//gpu:kernel block=256              always launched with blocks of 256 threads
//	//gpu:kernel block=256 minblocks=2  two blocks fit on a multiprocessor at a time
//	//gpu:kernel target=sm_90 cluster=4  in clusters of four blocks, for GPUs of 9.0 and newer
//	//gpu:nobounds                      no index and slice checks in this kernel
//
// Several type parameters give all combinations of their types. Blocks of two and three dimensions
// are written block=16x16 and block=8x8x4. minblocks limits the registers of a thread, as CUDA's
// __launch_bounds__ does.
//
// # Parameters
//
// A kernel takes slices, numbers, bools, structs and arrays, and has no results. The elements of a
// slice, and structs and arrays, hold numbers, bools, structs and arrays only. A slice has the
// length of the buffer it is launched with, and the same capacity.
//
// # Meaning
//
// Kernel code means what Go says it means: integers wrap, an index out of range, a division by
// zero, a negative shift, a nil pointer and a panic end the thread and fail the launch with Go's
// message, the position, the thread and the block. Every floating-point operation is rounded on its
// own. A fused multiply-add is written [FMA]. (A kernel that is //gpu:kernel fast permits the compiler
// to fuse and to approximate: docs/language.md says how.) Where Go leaves the choice to the implementation, a
// conversion from floating point to an integer truncates, a value outside the integer's range
// becomes the nearest one inside, and NaN becomes 0.
//
// # Warps
//
// The shuffles hand a value from thread to thread in a warp, the matches and reductions compare and
// join the values of its threads, and the votes ask them. A value that is handed or compared is a
// number, a bool, or a struct or array of them, of at most 32 bytes. Each thread that the mask
// names must make the same call with the same mask, and be in it. The value of a thread that has
// returned is undefined. They order no memory accesses: [SyncWarp] does. Package collective is
// written with them: sums, minima and scans of warps and blocks, and sorts, top-k, histograms and
// runs of blocks.
//
// # Atomics
//
// The atomics read, change and write *addr in one step that no other thread of the device comes
// between, and give the OLD value of *addr (as CUDA's do, and unlike sync/atomic, whose Add gives
// the new one). addr points to shared memory or into a slice of the kernel. They order no other
// memory accesses, unless an [Ordering] says so. The fences do ([ThreadFence]).
//
// # Vectors
//
// The vector types are structs that are read and written with one instruction each. Their layout in
// memory is Go's. A slice or variable of a vector of 16 bytes starts at a multiple of 16 on the
// device, of a vector of 8 bytes at a multiple of 8. If a vector is a field at another offset of a
// struct, its parts are read and written one by one.
//
// # Mathematics
//
// [Sqrt], [FMA] and the like are exact, or correctly rounded, for both floating-point types: they
// give the bits that package math gives for float64, and for float32 the bits of the same function
// at that precision.
//
// [Exp] and its like have an error, which docs/math.md states. They give the same bits in a kernel,
// on the simulator and on the host, and a kernel may call them by the names of package math as
// well: there math.Exp(x) is gpu.Exp(x). On the host package math is Go's own, whose last bit may
// differ.
//
// All functions of math/bits may be called, too, and the functions of math/cmplx that package
// gpu/cmplx has.
//
// # Approximations
//
// [ApproxSin] and its like are the instructions that a GPU has for these functions: fast, of
// float32 only, and with an error that each documents. What their last bits are is not published
// and may differ between GPUs. The simulator and the host give the bits of an H200, which were
// measured for all arguments. No other GPU was.
//
// # Half precision
//
// [Float16] and [BFloat16] are structs, so that no operator of Go takes them for integers: their
// arithmetic is methods, each rounded once, to nearest even. [Float16Of] and [BFloat16Of] round any
// number, [ToFloat32] and [FromFloat32] convert in generic kernels. The operator == compares bits:
// 0 is not -0, and NaN is itself. Equal compares numbers. The NaN that a method returns has the
// bits 0x7fff, except from Neg and Abs of a NaN.
//
// A pair, [Float16x2] or [BFloat16x2], is four bytes in a register, and eight numbers, [Float16x8]
// or [BFloat16x8], are one load. gridstride.Cast makes a buffer of these of a buffer of numbers.
//
// # On the host
//
// The mathematics and the numbers of 16 bits work in host code as they do in kernels, so that a
// function which a kernel calls can be called and tested on the host. [Printf] prints there, and
// [Assert] panics where its condition does not hold. Every other function panics and says so.
// [ThreadIdx], [BlockIdx], [BlockDim] and [GridDim] are zero. The types and constants are for both
// sides.
//
// Package gpu/onhost runs a whole kernel as the Go function that it is, so that a debugger of Go
// programs steps through it. There indices, barriers, shared memory, warps, atomics and clocks work.
package gpu

import "github.com/gridstride/gridstride/gpu/internal/host"

// hostCall is the panic of an intrinsic that is called on the host.
func hostCall(name string) string {
	return "gpu." + name + " was called on the host: it works only in a kernel, which is started through its launcher"
}

// threadCall is the body of an intrinsic that package onhost runs: it has the calling thread of the
// launch there answer, and panics outside of a launch.
func threadCall[R any](name string, args ...any) R {
	if host.Answer == nil {
		panic(hostCall(name) + " or by package gpu/onhost")
	}
	r, _ := host.Answer(name, args).(R) // nil where R is for a function without a result
	return r
}

// inKernel is never set: in a kernel the compiler puts instructions in place of the functions
// below.
var inKernel bool

// onHost is the body of an intrinsic without results. It always panics, but vet tools cannot see
// that: they would call the code after a barrier unreachable.
func onHost(name string) {
	if !inKernel {
		panic(hostCall(name))
	}
}
