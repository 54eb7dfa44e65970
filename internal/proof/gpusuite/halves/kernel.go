// Package halves holds the arithmetic of 16-bit floating-point numbers on a device to that on the
// host: all operations, of operands that follow from an index, as single numbers and as pairs; and
// the conversions of 8-bit ones. The kernels are compiled for each target for which the operations
// are other instructions.
package halves

import "github.com/gridstride/gridstride/gpu"

// Float16s writes sums of all that [Float16At] computes, for the indices first, first+step, … of a
// seed.
//
//gpu:kernel block=128 target=sm_70,sm_80,sm_90a
func Float16s(seed uint64, first, step int, sums []uint64) {
	for i := range gpu.GridStride(len(sums)) {
		sums[i] = Float16At(seed, first+i*step).Sum()
	}
}

// BFloat16s is Float16s of [BFloat16At].
//
//gpu:kernel block=128 target=sm_70,sm_80,sm_90a
func BFloat16s(seed uint64, first, step int, sums []uint64) {
	for i := range gpu.GridStride(len(sums)) {
		sums[i] = BFloat16At(seed, first+i*step).Sum()
	}
}

// Float16Details writes what [Float16At] computes for one index.
//
//gpu:kernel block=32 target=sm_70,sm_80,sm_90a
func Float16Details(seed uint64, index int, out []Results) {
	if gpu.ThreadIdx.X == 0 {
		out[0] = Float16At(seed, index)
	}
}

// BFloat16Details writes what [BFloat16At] computes for one index.
//
//gpu:kernel block=32 target=sm_70,sm_80,sm_90a
func BFloat16Details(seed uint64, index int, out []Results) {
	if gpu.ThreadIdx.X == 0 {
		out[0] = BFloat16At(seed, index)
	}
}

// Float8s is Float16s of [Float8At].
//
//gpu:kernel block=128 target=sm_70,sm_80,sm_90a
func Float8s(seed uint64, first, step int, sums []uint64) {
	for i := range gpu.GridStride(len(sums)) {
		sums[i] = Float8At(seed, first+i*step).Sum()
	}
}

// Float8Details writes what [Float8At] computes for one index.
//
//gpu:kernel block=32 target=sm_70,sm_80,sm_90a
func Float8Details(seed uint64, index int, out []Results) {
	if gpu.ThreadIdx.X == 0 {
		out[0] = Float8At(seed, index)
	}
}
