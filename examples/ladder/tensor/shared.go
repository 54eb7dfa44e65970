package tensor

import "github.com/gridstride/gridstride/gpu"

// A block of four warps computes side by side elements of C, a quarter each warp. It takes as many
// rows of A and of B at a time, depth numbers of each: 128 bytes.
const (
	side     = 128
	depth    = 64
	warps    = 4
	quarter  = side / 2
	perCopy  = 8 // numbers in 16 bytes
	lineSize = 2 * depth
)

// place is the factors multiplied at a time, in shared memory: rows of A and of B, line after line.
// The 16 bytes of a line are exchanged as gpu.Swizzle128 says. So eight lines that begin at the
// same number are in different banks.
type place struct{ a, b [side * depth]gpu.BFloat16 }

// swizzled is the offset of number i of a line.
func swizzled(line, i int) int { return gpu.Swizzle128.Offset(line*lineSize+2*i) / 2 }

// Shared has a block bring what it multiplies into shared memory, where each number is used 128
// times. Copies go past the registers, 16 bytes each. The block waits for them before it
// multiplies, and has multiplied before it copies the next.
//
// Launch with one block for each 128 by 128 elements of C, the columns along X. n is a multiple of
// 8.
//
//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func Shared(a, b []gpu.BFloat16, c []float32, m, n, l int) {
	p := gpu.Shared[place]()
	row, col := side*gpu.BlockIdx.Y, side*gpu.BlockIdx.X
	var sum sums
	for k := 0; k < n; k += depth {
		fetch(&p.a, a, row, k, m, n)
		fetch(&p.b, b, col, k, l, n)
		gpu.CpAsyncWaitAll()
		gpu.SyncThreads()
		multiply(&sum, p)
		gpu.SyncThreads() // the place is overwritten next
	}
	putSums(&sum, c, row, col, m, l)
}

// fetch starts the copies of lines of a matrix, from a row and a column on. What the matrix does
// not have becomes zero. A thread copies the same 16 bytes of every 16th line.
func fetch(to *[side * depth]gpu.BFloat16, x []gpu.BFloat16, row, col, rows, cols int) {
	const perLine, together = depth / perCopy, warps * gpu.WarpSize * perCopy / depth
	line, at := gpu.ThreadIdx.X/perLine, gpu.ThreadIdx.X%perLine*perCopy
	dst := to[swizzled(line, at):]
	row, col = row+line, col+at
	from := row*cols + col
	for i := range side / together {
		src := x[:0]
		if row+together*i < rows && col < cols {
			src = x[from+together*i*cols:][:perCopy]
		}
		gpu.CpAsyncZeroFill((*[perCopy]gpu.BFloat16)(dst[together*i*depth:]), src, gpu.CacheGlobal)
	}
}

// sums are a warp's 64 by 64 elements of C.
type sums [4][8]gpu.C16x8[float32]

// mine is where a warp's quarter of the tile begins.
func mine() (row, col int) { return gpu.WarpID() / 2 * quarter, gpu.WarpID() % 2 * quarter }

// multiply adds the product of a place's factors to a warp's sums. Each fragment is read from
// shared memory once, and is multiplied by 8, or by 4, others. Lines that are 16 apart have the
// same swizzle, so their addresses differ by a constant.
func multiply(sum *sums, p *place) {
	lane := gpu.LaneID()
	row, col := mine()
	var x [4]gpu.A16x16[gpu.BFloat16]
	var y [2]gpu.B16x8[gpu.BFloat16]
	lineA, atA := x[0].RowAt(lane)
	atB, lineB := y[0].ColumnAt(lane % 16)
	for k := 0; k < depth; k += 16 {
		a := p.a[swizzled(row+lineA, k+atA):]
		b := p.b[swizzled(col+lane/16*8+lineB, k+atB):]
		for i := range x {
			x[i] = gpu.LdMatrixRows[gpu.A16x16[gpu.BFloat16]](&a[16*i*depth])
		}
		for j := range 4 {
			y = gpu.LdMatrixColumns2[gpu.B16x8[gpu.BFloat16]](&b[16*j*depth])
			for i := range x {
				sum[i][2*j] = gpu.MMA16x8x16(x[i], y[0], sum[i][2*j])
				sum[i][2*j+1] = gpu.MMA16x8x16(x[i], y[1], sum[i][2*j+1])
			}
		}
	}
}

// putSums writes a warp's sums to C. The block's tile begins at a row and a column.
func putSums(sum *sums, c []float32, row, col, rows, cols int) {
	r0, s0 := mine()
	for i := range sum {
		for j := range sum[i] {
			for e := range sum[i][j] {
				r, s := sum[i][j].At(gpu.LaneID(), e)
				put(c, row+r0+16*i+r, col+s0+8*j+s, rows, cols, sum[i][j][e])
			}
		}
	}
}
