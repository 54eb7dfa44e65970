package p

import "github.com/gridstride/gridstride/gpu"

// Product has fragments in registers: pairs of A are one load of 32 bits each, those of B, which lie
// below each other, two and a prmt. The sum is where the instruction leaves it.
//
//gpu:kernel block=32 target=sm_80
func Product(a, b []gpu.Float16, c []float32, steps int) {
	tileA, tileB := gpu.Shared[[16 * 16]gpu.Float16](), gpu.Shared[[16 * 8]gpu.Float16]()
	lane := gpu.LaneID()
	var sum gpu.C16x8[float32]
	for step := range steps {
		for i := lane; i < len(tileA); i += gpu.WarpSize {
			tileA[i] = a[len(tileA)*step+i]
		}
		for i := lane; i < len(tileB); i += gpu.WarpSize {
			tileB[i] = b[len(tileB)*step+i]
		}
		gpu.SyncThreads()
		var x gpu.A16x16[gpu.Float16]
		for i := range x {
			row, col := x.At(lane, i)
			x[i] = tileA[16*row+col]
		}
		var y gpu.B16x8[gpu.Float16]
		for i := range y {
			row, col := y.At(lane, i)
			y[i] = tileB[8*row+col]
		}
		sum = gpu.MMA16x8x16(x, y, sum)
		gpu.SyncThreads()
	}
	for i, s := range sum {
		row, col := sum.At(lane, i)
		c[8*row+col] = s
	}
}

// Integers has four int8 in a register.
//
//gpu:kernel block=32 target=sm_80
func Integers(a, b []int8, c []int32) {
	lane := gpu.LaneID()
	var x gpu.A16x32[int8]
	for i := range x {
		row, col := x.At(lane, i)
		x[i] = a[32*row+col]
	}
	var y gpu.B32x8[int8]
	for i := range y {
		row, col := y.At(lane, i)
		y[i] = b[8*row+col]
	}
	sum := gpu.MMA16x8x32(x, y, gpu.C16x8[int32]{})
	for i := range sum {
		row, col := sum.At(lane, i)
		c[8*row+col] = sum[i]
	}
}

// Constants has factors of constants. Those whose highest half is negative come from constant
// memory.
//
//gpu:kernel block=32 target=sm_80
func Constants(c []float32) {
	x := gpu.A16x8[gpu.BFloat16]{gpu.BFloat16FromBits(0x3f80), gpu.BFloat16FromBits(0xbe60), 2: gpu.BFloat16FromBits(0xbf80)}
	sum := gpu.MMA16x8x8(x, gpu.B8x8[gpu.BFloat16]{gpu.BFloat16FromBits(0x4000), gpu.BFloat16FromBits(0xc000)}, gpu.C16x8[float32]{})
	for i := range sum {
		row, col := sum.At(gpu.LaneID(), i)
		c[8*row+col] = sum[i]
	}
}
