package p

import "github.com/gridstride/gridstride/gpu"

// Axpy is fma.rn.f16x2 on single numbers, in registers of 32 bits. For BFloat16, which sm_70 has no
// instructions for, it is two fma in float32 rounded down and up, of which the odd one is taken and
// rounded.
//
//gpu:kernel H=gpu.Float16,gpu.BFloat16
func Axpy[H gpu.Half[H]](a H, x, y []H) {
	x = x[:len(y)]
	for i := range gpu.GridStride(len(y)) {
		y[i] = a.FMA(x[i], y[i])
	}
}

// Dot loads eight numbers at a time; no pair is taken apart before the end.
//
//gpu:kernel
func Dot(a, b []gpu.Float16x8, c []gpu.Float16) {
	b = b[:len(a)]
	var s gpu.Float16x8
	for i := range gpu.GridStride(len(a)) {
		s = a[i].FMA(b[i], s)
	}
	c[0] = s.Sum()
}

// Narrow reads neighbours with one load each and packs two conversions into one word.
//
//gpu:kernel
func Narrow(in []gpu.Float32x4, out []gpu.Float16x2) {
	out = out[:2*len(in)]
	for i := range gpu.GridStride(len(in)) {
		v := in[i]
		out[2*i] = gpu.Float32x2{X: v.X, Y: v.Y}.Float16x2()
		out[2*i+1] = gpu.Float32x2{X: v.Z, Y: v.W}.Float16x2()
	}
}

// Widen reads eight neighbours of shared memory with one load.
//
//gpu:kernel block=64
func Widen(in []gpu.Float16, out []float32) {
	tile := gpu.Shared[[64][8]gpu.Float16]()
	t := gpu.ThreadIdx.X
	for i := range 8 {
		tile[i*8+t/8][t%8] = in[i*64+t]
	}
	gpu.SyncThreads()
	var sum float32
	for _, x := range tile[t] {
		sum += x.Float32()
	}
	out[t] = sum
}
