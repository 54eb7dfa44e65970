// Package cublas binds what the benchmarks compare with of cuBLAS, NVIDIA's library of linear
// algebra: dot products and matrix products of float32 and float64. It loads the library without
// cgo where one is found (Load), and works on the buffers and streams of package gridstride, so
// that both sides of a comparison run on one stream and are timed by the same events.
//
// The names and the meaning of the calls follow the cuBLAS manual,
// https://docs.nvidia.com/cuda/cublas/.
package cublas
