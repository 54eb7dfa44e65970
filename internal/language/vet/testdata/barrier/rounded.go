package barrier

import "github.com/gridstride/gridstride/gpu"

// Rounded has loops to a bound that is a multiple of the block: all threads go round equally often.
//
//gpu:kernel block=64
func Rounded(in, out []float32) {
	t := gpu.ThreadIdx.X
	n := (len(in) + 63) / 64 * 64
	for i := t; i < n; i += 64 {
		gpu.SyncThreads()
	}
	for i := t; n > i; i += gpu.BlockDim.X {
		gpu.SyncThreads()
	}
	for i := int32(t); i < int32(len(in)+63)&^63; i += 128 {
		gpu.SyncThreads()
	}
	for i := t; i < (len(in)+255)>>8<<8; i += 64 {
		gpu.SyncThreads()
	}
	for i := t; i < len(in)&-64; i += 64 {
		gpu.SyncThreads()
	}
	for i := t; i <= n-1; i += 64 {
		gpu.SyncThreads()
	}
	for i := t; i < len(in)-len(in)%64; i += 64 {
		gpu.SyncThreads()
	}
	for i := gpu.BlockIdx.X*gpu.BlockDim.X + t; i < n; i += gpu.GridDim.X * gpu.BlockDim.X {
		if i < len(in) {
			out[i] = in[i]
		}
		gpu.SyncThreads()
	}
	if t+64 < n {
		out[t] = gpu.ShflDownSync(gpu.FullMask, in[0], 1)
	}
	for row := 0; row < len(out); row++ {
		for i := t; i < n; i += 64 {
			gpu.SyncThreads()
		}
	}
}

// AnyBlock rounds to whatever the block is.
//
//gpu:kernel
func AnyBlock(in []float32) {
	b := gpu.BlockDim.X
	for i := gpu.ThreadIdx.X; i < (len(in)+b-1)/b*b; i += b {
		gpu.SyncThreads()
	}
	for i := gpu.ThreadIdx.X; i < (len(in)+63)/64*64; i += 64 {
		gpu.SyncThreads() // want "is in the loop `for i < \\(len\\(in\\)\\+63\\)/64\\*64`"
	}
	for i := gpu.ThreadIdx.X; i < (len(in)+63)/64*64; i += b {
		gpu.SyncThreads() // want "is in the loop"
	}
}

// NotRounded has loops in which the stride, the rounding, the start or the comparison is another.
//
//gpu:kernel block=64
func NotRounded(in, out []float32) {
	t := gpu.ThreadIdx.X
	n := (len(in) + 63) / 64 * 64
	for i := t; i < n; i += 32 {
		gpu.SyncThreads() // want "is in the loop `for i < n` \\(line 70\\), which not all threads of the block go round equally often"
	}
	for i := t; i < len(in); i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := t; i < (len(in)+31)/32*32; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := t; i < (len(in)+63)&^31; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := t + 1; i < n; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := t; i <= n; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := 2 * t; i < n; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := gpu.ThreadIdx.Y + t; i < n; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := t; i < 64*t; i += 64 {
		gpu.SyncThreads() // want "is in the loop"
	}
	for i := t; i < n; i += 64 * (t + 1) {
		gpu.SyncThreads() // want "is in the loop"
	}
}

// Left has a loop that threads leave in different rounds: what they left it with differs.
//
//gpu:kernel block=64
func Left(in []float32) {
	n := (len(in) + 63) / 64 * 64
	i := gpu.ThreadIdx.X
	for in[i] > 0 {
		i += 64
	}
	if i < n {
		gpu.SyncThreads() // want "is inside `if i < n`"
	}
}
