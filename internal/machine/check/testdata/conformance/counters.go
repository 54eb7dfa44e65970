package conformance

import "github.com/gridstride/gridstride/gpu"

// SharedStride writes every k-th word of shared memory, which the launch makes large enough.
//
//gpu:kernel
func SharedStride(k int) {
	s := gpu.DynamicShared[int32]()
	s[k*gpu.ThreadIdx.X] = 1
}

// SharedColumn writes a column of a tile of rows of so many words, SharedRow a row.
//
//gpu:kernel
func SharedColumn(width int) {
	s := gpu.DynamicShared[int32]()
	s[width*gpu.ThreadIdx.X+3] = 1
}

//gpu:kernel
func SharedRow(width int) {
	s := gpu.DynamicShared[int32]()
	s[width*3+gpu.ThreadIdx.X] = 1
}

// SharedBroadcast has all lanes read one word.
//
//gpu:kernel
func SharedBroadcast(out []int32) {
	s := gpu.DynamicShared[int32]()
	if gpu.ThreadIdx.X == 0 {
		s[5] = 1
	}
	gpu.SyncThreads()
	out[gpu.ThreadIdx.X] = s[5]
}

// Pattern writes elements k*t+c.
//
//gpu:kernel
func Pattern(y []int32, k, c int) {
	y[k*gpu.ThreadIdx.X+c] = 1
}

// OddPattern is Pattern for odd lanes only.
//
//gpu:kernel
func OddPattern(y []int32, k, c int) {
	t := gpu.ThreadIdx.X
	if t%2 == 1 {
		y[k*t+c] = 1
	}
}
