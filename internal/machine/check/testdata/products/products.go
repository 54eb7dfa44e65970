package products

import "github.com/gridstride/gridstride/gpu"

// Returned multiplies the 8 by 4 elements of a with the 4 by 8 of b, unless lanes have returned before.
//
//gpu:kernel target=sm_89
func Returned(a, b, d []float64, n int) {
	lane := gpu.ThreadIdx.X
	if lane >= n {
		return
	}
	var sum gpu.C8x8[float64]
	sum = gpu.MMA8x8x4F64(gpu.A8x4[float64]{a[lane]}, gpu.B4x8[float64]{b[lane]}, sum)
	for i := range sum {
		row, col := sum.At(lane, i)
		d[8*row+col] = sum[i]
	}
}

// Branch has only some lanes multiply.
//
//gpu:kernel target=sm_89
func Branch(a, b, d []float64, n int) {
	lane := gpu.ThreadIdx.X
	var sum gpu.C8x8[float64]
	if lane < n {
		sum = gpu.MMA8x8x4F64(gpu.A8x4[float64]{a[lane]}, gpu.B4x8[float64]{b[lane]}, sum)
	}
	for i := range sum {
		d[2*lane+i] = sum[i]
	}
}

// Hole writes the first rows of a tile only, and stores some rows of the product.
//
//gpu:kernel target=sm_89
func Hole(a, b, d []float32, written, stored int) {
	tile := gpu.Shared[[16 * 4]gpu.TF32]()
	lane := gpu.ThreadIdx.X
	for i := lane; i < 4*written; i += gpu.BlockDim.X {
		tile[i] = gpu.TF32Of(a[i])
	}
	gpu.SyncThreads()
	var x gpu.A16x4[gpu.TF32]
	for i := range x {
		row, col := x.At(lane, i)
		x[i] = tile[4*row+col]
	}
	sum := gpu.MMA16x8x4(x, gpu.B4x8[gpu.TF32]{gpu.TF32Of(b[lane])}, gpu.C16x8[float32]{})
	for i := range sum {
		if row, col := sum.At(lane, i); row < stored {
			d[8*row+col] = sum[i]
		}
	}
}

// HoleInB writes the first columns of a tile of numbers of 16 bits only, and stores some columns.
//
//gpu:kernel target=sm_89
func HoleInB(a, b, d []gpu.Float16, written, stored int) {
	tile := gpu.Shared[[16 * 8]gpu.Float16]()
	lane := gpu.ThreadIdx.X
	for i := lane; i < 16*8; i += gpu.BlockDim.X {
		if i%8 < written {
			tile[i] = b[i]
		}
	}
	gpu.SyncThreads()
	var x gpu.A16x16[gpu.Float16]
	for i := range x {
		row, col := x.At(lane, i)
		x[i] = a[16*row+col]
	}
	var y gpu.B16x8[gpu.Float16]
	for i := range y {
		row, col := y.At(lane, i)
		y[i] = tile[8*row+col]
	}
	sum := gpu.MMA16x8x16F16(x, y, gpu.C16x8[gpu.Float16]{})
	for i := range sum {
		if row, col := sum.At(lane, i); col < stored {
			d[8*row+col] = sum[i]
		}
	}
}

// HoleOfBytes writes the first rows of a tile of numbers of 8 bits only, and stores some rows.
//
//gpu:kernel target=sm_89
func HoleOfBytes(a []gpu.E4M3, b []gpu.E5M2, d []float32, written, stored int) {
	tile := gpu.Shared[[16 * 32]gpu.E4M3]()
	lane := gpu.ThreadIdx.X
	for i := lane; i < 32*written; i += gpu.BlockDim.X {
		tile[i] = a[i]
	}
	gpu.SyncThreads()
	var x gpu.A16x32[gpu.E4M3]
	for i := range x {
		row, col := x.At(lane, i)
		x[i] = tile[32*row+col]
	}
	var y gpu.B32x8[gpu.E5M2]
	for i := range y {
		row, col := y.At(lane, i)
		y[i] = b[8*row+col]
	}
	sum := gpu.MMA16x8x32F32(x, y, gpu.C16x8[float32]{})
	for i := range sum {
		if row, col := sum.At(lane, i); row < stored {
			d[8*row+col] = sum[i]
		}
	}
}
