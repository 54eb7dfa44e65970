// Package perf holds the kernels that are measured on a GPU together with CUDA's libraries: its
// benchmarks print the figures of docs/measurements.
package perf

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

const blockSize = 256

// DotPlain is the dot product as in every tutorial: one element a step, one sum a thread. c gets a
// sum for each block.
//
//gpu:kernel block=256
func DotPlain(a, b, c []float32) {
	b = b[:len(a)]
	var sum float32
	for i := range gpu.GridStride(len(a)) {
		sum += a[i] * b[i]
	}
	blockSum(sum, c)
}

// DotFour has four sums a thread, and so eight loads under way instead of two.
//
//gpu:kernel block=256
//gpu:nobounds
func DotFour(a, b, c []float32) {
	n := len(a)
	step := gpu.GridDim.X * gpu.BlockDim.X
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	var s0, s1, s2, s3 float32
	for ; i+3*step < n; i += 4 * step {
		s0 += a[i] * b[i]
		s1 += a[i+step] * b[i+step]
		s2 += a[i+2*step] * b[i+2*step]
		s3 += a[i+3*step] * b[i+3*step]
	}
	for ; i < n; i += step {
		s0 += a[i] * b[i]
	}
	blockSum((s0+s1)+(s2+s3), c)
}

// DotVector loads four elements at a time.
//
//gpu:kernel block=256
func DotVector(a, b []gpu.Float32x4, c []float32) {
	b = b[:len(a)]
	var x, y, z, w float32
	for i := range gpu.GridStride(len(a)) {
		p, q := a[i], b[i]
		x += p.X * q.X
		y += p.Y * q.Y
		z += p.Z * q.Z
		w += p.W * q.W
	}
	blockSum((x+y)+(z+w), c)
}

// blockSum adds a value of each thread of the block into the block's place of c.
func blockSum(sum float32, c []float32) {
	cache := gpu.Shared[[blockSize]float32]()
	tid := gpu.ThreadIdx.X
	cache[tid] = sum
	gpu.SyncThreads()
	for s := blockSize / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}
