package warpgroups

import "github.com/gridstride/gridstride/gpu"

// Elected has one lane of each warp add to a count; lanes may have returned before.
//
//gpu:kernel target=sm_90a
func Elected(count []int, n int) {
	if gpu.LaneID() >= n {
		return
	}
	if gpu.ElectSync(gpu.FullMask) {
		gpu.AtomicAdd(&count[0], 1)
	}
}

// ElectedInBranch asks for lanes that are elsewhere.
//
//gpu:kernel target=sm_90a
func ElectedInBranch(count []int, n int) {
	if gpu.LaneID() < n && gpu.ElectSync(gpu.FullMask) {
		gpu.AtomicAdd(&count[0], 1)
	}
}

// Roles gives the registers of one warpgroup to another. Lanes may have returned before.
//
//gpu:kernel target=sm_90a block=256 minblocks=1
func Roles(out []int, n int) {
	if gpu.ThreadIdx.X >= n {
		return
	}
	if gpu.WarpID() < 4 {
		gpu.SetMaxNRegDec(40)
		return
	}
	gpu.SetMaxNRegInc(232)
	out[gpu.ThreadIdx.X-128] = gpu.ThreadIdx.X
}

// tile fills a tile of lines of 32 bytes, which are swizzled.
func tile(to, from []gpu.BFloat16) {
	for i := gpu.ThreadIdx.X; i < len(to); i += gpu.BlockDim.X {
		to[gpu.Swizzle32.Offset(2*i)/2] = from[i]
	}
}

// Product multiplies 64 by 16 and 16 by 16 elements. Each way but 0 has a mistake, or looks like one.
//
//gpu:kernel target=sm_90a
func Product(a, b []gpu.BFloat16, c []float32, way int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	y := gpu.Shared[[16 * 16]gpu.BFloat16]()
	var sum gpu.C64x16[float32]
	tile(x[:], a)
	tile(y[:], b)
	if way != 1 {
		gpu.FenceProxyAsync()
	}
	if way != 2 {
		gpu.SyncThreads()
	}
	if way == 3 { // behind the barrier serves, too
		gpu.FenceProxyAsync()
	}
	if way == 4 && gpu.WarpID() == 2 {
		return
	}
	p, q := gpu.MatrixOf(x[:], 0, 256, gpu.Swizzle32), gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32)
	if way != 5 {
		gpu.WGMMAFence()
	}
	gpu.WGMMA(&sum, p, q, true)
	if way == 6 { // of one sum, products need no fence between
		gpu.WGMMA(&sum, p, q, true)
	}
	if way == 7 {
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		sum[3] = 1
		gpu.WGMMA(&sum, p, q, true)
	}
	if way != 8 {
		gpu.WGMMACommit()
	}
	if way == 9 {
		y[gpu.ThreadIdx.X] = gpu.BFloat16{}
	}
	if way == 10 {
		gpu.WGMMAWait(1)
	} else if way != 11 {
		gpu.WGMMAWait(0)
	}
	if way == 12 { // no manual says that the other warps' parts have been read
		y[gpu.ThreadIdx.X] = gpu.BFloat16{}
	}
	for i := range sum {
		row, col := sum.At(gpu.ThreadIdx.X%128, i)
		c[16*row+col] = sum[i]
	}
}

// Fragments multiplies with A in registers, and changes one before the product has read it.
//
//gpu:kernel target=sm_90a block=128
func Fragments(a, b []gpu.BFloat16, c []float32, rounds, early int) {
	y := gpu.Shared[[16 * 16]gpu.BFloat16]()
	tile(y[:], b)
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var x gpu.A64x16[gpu.BFloat16]
	var sum gpu.C64x16[float32]
	for round := range rounds {
		for i := range x {
			row, col := x.At(gpu.ThreadIdx.X, i)
			x[i] = a[16*row+col+round]
		}
		gpu.WGMMAFence()
		gpu.WGMMA(&sum, x, gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32), true)
		gpu.WGMMACommit()
		if early == 0 {
			gpu.WGMMAWait(0)
		}
	}
	gpu.WGMMAWait(0)
	for i := range sum {
		row, col := sum.At(gpu.ThreadIdx.X, i)
		c[16*row+col] = sum[i]
	}
}

// Offsets multiplies tiles whose eights of lines lie so many bytes apart.
//
//gpu:kernel target=sm_90a block=128
func Offsets(c []float32, stride int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		x[i] = gpu.BFloat16{}
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var sum gpu.C64x8[float32]
	p := gpu.MatrixOf(x[:], 128, stride, gpu.NoSwizzle)
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, p, p, true)
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	c[gpu.ThreadIdx.X] = sum[0]
}

// Neighbours multiplies a tile whose eights of lines lie so many bytes apart, which is to be the
// first of two arrays. Its lines of 32 bytes begin so many bytes behind the array.
//
//gpu:kernel target=sm_90a block=128
func Neighbours(c []float32, stride, start int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	y := gpu.Shared[[64 * 16]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		x[i], y[i] = gpu.BFloat16{}, gpu.BFloat16{}
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var sum gpu.C64x16[float32]
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, gpu.MatrixOf(x[start/2:], 0, stride, gpu.Swizzle32), gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32), true)
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	c[gpu.ThreadIdx.X] = sum[0]
}

// Rows multiplies rows of A and columns of B of which only some are written, and uses as many of
// the sum. Way 1 has A by columns, 2 has B by rows, and 3 adds to what was there, which is A's.
//
//gpu:kernel target=sm_90a block=128
func Rows(c []float32, rows, cols, usedRows, usedCols, way int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	y := gpu.Shared[[16 * 16]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < 64*16; i += 128 {
		row, k := i/16, i%16
		if row < rows {
			if way == 1 { // blocks of eight elements of k by 16 bytes
				x[row/8*64+k/8*512+k%8*8+row%8] = gpu.BFloat16{}
			} else {
				x[row/8*64+k/8*512+row%8*8+k%8] = gpu.BFloat16{}
			}
		}
		if col := row; col < cols && col < 16 {
			if way == 2 {
				y[col/8*64+k/8*128+k%8*8+col%8] = gpu.BFloat16{}
			} else {
				y[col/8*64+k/8*128+col%8*8+k%8] = gpu.BFloat16{}
			}
		}
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var sum gpu.C64x16[float32]
	p, q := gpu.MatrixOf(x[:], 1024, 128, gpu.NoSwizzle), gpu.MatrixOf(y[:], 256, 128, gpu.NoSwizzle)
	gpu.WGMMAFence()
	switch way {
	case 1:
		gpu.WGMMA(&sum, p, q, false, gpu.TransposeA)
	case 2:
		gpu.WGMMA(&sum, p, q, false, gpu.TransposeB)
	default:
		gpu.WGMMA(&sum, p, q, way == 3)
	}
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	for i := range sum {
		if row, col := sum.At(gpu.ThreadIdx.X, i); row < usedRows && col < usedCols {
			c[16*row+col] = sum[i]
		}
	}
}

// Again multiplies by what is not written, and then, in the same registers, by what is. Way 1 adds.
//
//gpu:kernel target=sm_90a block=128
func Again(c []float32, way int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	y := gpu.Shared[[64 * 16]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		x[i] = gpu.BFloat16{}
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var sum gpu.C64x16[float32]
	p, q := gpu.MatrixOf(x[:], 0, 256, gpu.Swizzle32), gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32)
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, q, p, true)
	gpu.WGMMA(&sum, p, p, way == 1)
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	c[gpu.ThreadIdx.X] = sum[0]
}

// UnwrittenA multiplies fragments of A, of which only so many rows were written.
//
//gpu:kernel target=sm_90a block=128
func UnwrittenA(c []float32, rows, used int) {
	x := gpu.Shared[[64 * 16]gpu.BFloat16]()
	y := gpu.Shared[[16 * 16]gpu.BFloat16]()
	for i := gpu.ThreadIdx.X; i < 64*16; i += 128 {
		if i/16 < rows {
			x[i] = gpu.BFloat16{}
		}
		if i < 16*16 {
			y[i] = gpu.BFloat16{}
		}
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	var a gpu.A64x16[gpu.BFloat16]
	for i := range a {
		row, k := a.At(gpu.ThreadIdx.X, i)
		a[i] = x[16*row+k]
	}
	var sum gpu.C64x16[float32]
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, a, gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32), true)
	gpu.WGMMACommit()
	gpu.WGMMAWait(0)
	for i := range sum {
		if row, col := sum.At(gpu.ThreadIdx.X, i); row < used {
			c[16*row+col] = sum[i]
		}
	}
}

// The mistakes of Shares.
const (
	tooLittleGiven = iota + 1
	givenLate
	partOfGroup
	otherCount
	wrongWay
	givenBehind // a barrier of the warpgroup
)

// Shares has the first of three warpgroups, whose threads have 168 registers each at first, give
// some to the two others.
//
//gpu:kernel target=sm_90a block=384 minblocks=1
func Shares(out []int, fault int) {
	group, warp := gpu.ThreadIdx.X/128, gpu.WarpID()
	switch {
	case group == 0 && fault == tooLittleGiven:
		gpu.SetMaxNRegDec(48)
	case group == 0 && fault == partOfGroup:
		if warp != 3 {
			gpu.SetMaxNRegDec(40)
		}
	case group == 0 && fault == otherCount && warp == 3:
		gpu.SetMaxNRegDec(24)
	case group == 0 && fault == wrongWay:
		gpu.SetMaxNRegDec(176)
	case group == 0 && fault == givenLate: // the others come to the barrier with their registers
		gpu.SyncThreads()
		gpu.SetMaxNRegDec(40)
	case group == 0 && fault == givenBehind:
		gpu.SyncBarrier(1, 128)
		gpu.SetMaxNRegDec(40)
	case group == 0:
		gpu.SetMaxNRegDec(40)
	default:
		gpu.SetMaxNRegInc(232)
		if fault == givenLate {
			gpu.SyncThreads()
		}
	}
	out[gpu.ThreadIdx.X] = group
}

// Takes has a warpgroup ask for what nobody gives away.
//
//gpu:kernel target=sm_90a block=384 minblocks=1
func Takes(out []int) {
	if gpu.ThreadIdx.X < 128 {
		gpu.SetMaxNRegInc(240)
	}
	out[gpu.ThreadIdx.X] = 1
}

// Lends has a warpgroup give registers away and take them again.
//
//gpu:kernel target=sm_90a block=256 minblocks=1
func Lends(out []int) {
	if gpu.ThreadIdx.X < 128 {
		gpu.SetMaxNRegDec(24)
		gpu.ArriveBarrier(2, 256)
		gpu.SyncBarrier(1, 128)
		gpu.SetMaxNRegInc(128)
	} else {
		gpu.SyncBarrier(2, 256)
		gpu.SetMaxNRegInc(232)
		gpu.SyncBarrier(3, 128)
		gpu.SetMaxNRegDec(128)
	}
	out[gpu.ThreadIdx.X] = 1
}

// Gemm multiplies a, of m by k, by the columns of b, n by k: each block gives 64 by 128 elements of
// c. The tiles of 64 elements of k come by asynchronous copies, and one is on its way while
// another is used. All sizes are multiples of the tiles'.
//
//gpu:kernel target=sm_90a block=128
func Gemm(a, b []gpu.BFloat16, c []float32, n, k int) {
	tileA := gpu.Shared[[2][64 * 64]gpu.BFloat16]()
	tileB := gpu.Shared[[2][128 * 64]gpu.BFloat16]()
	row, col := 64*gpu.BlockIdx.Y, 128*gpu.BlockIdx.X
	fetch := func(place, at int) {
		for i := gpu.ThreadIdx.X; i < 64*8; i += 128 {
			copyLine(tileA[place][:], a[(row+i/8)*k+at+8*(i%8):], 16*i)
		}
		for i := gpu.ThreadIdx.X; i < 128*8; i += 128 {
			copyLine(tileB[place][:], b[(col+i/8)*k+at+8*(i%8):], 16*i)
		}
		gpu.CpAsyncCommitGroup()
	}
	var sum gpu.C64x128[float32]
	fetch(0, 0)
	for at := 0; at < k; at += 64 {
		place := at / 64 % 2
		if at+64 < k {
			fetch(1-place, at+64)
			gpu.CpAsyncWaitGroup(1)
		} else {
			gpu.CpAsyncWaitGroup(0)
		}
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
		gpu.WGMMAFence()
		for i := range 4 {
			gpu.WGMMA(&sum, gpu.MatrixOf(tileA[place][16*i:], 0, 1024, gpu.Swizzle128),
				gpu.MatrixOf(tileB[place][16*i:], 0, 1024, gpu.Swizzle128), true)
		}
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		gpu.SyncThreads()
	}
	for i := range sum {
		r, j := sum.At(gpu.ThreadIdx.X, i)
		c[(row+r)*n+col+j] = sum[i]
	}
}

// copyLine copies 16 bytes to a swizzled tile.
func copyLine(to, from []gpu.BFloat16, at int) {
	gpu.CpAsync((*[8]gpu.BFloat16)(to[gpu.Swizzle128.Offset(at)/2:]), (*[8]gpu.BFloat16)(from))
}

// Released has one lane of each warp hand a factor to a thread of another warp, which writes to it.
// Way 1 hands it over before the wait. In way 2 the first lane of the warpgroup hands it over for
// all, and in way 3 before the wait.
//
//gpu:kernel target=sm_90a block=160
func Released(a, b []gpu.BFloat16, c []float32, way int) {
	x, y := gpu.Shared[[64 * 16]gpu.BFloat16](), gpu.Shared[[16 * 16]gpu.BFloat16]()
	empty := gpu.Shared[gpu.MBarrier]()
	thread := gpu.ThreadIdx.X
	tile(x[:], a)
	tile(y[:], b)
	if thread == 0 {
		arrivals := 4
		if way >= 2 {
			arrivals = 1
		}
		gpu.MBarrierInit(empty, arrivals)
	}
	gpu.FenceProxyAsync()
	gpu.SyncThreads()
	if thread >= 128 {
		if thread == 128 {
			gpu.MBarrierWaitParity(empty, 0)
			y[200] = gpu.BFloat16{} // which lane 25 reads
		}
		return
	}
	release := func() {
		if gpu.LaneID() == 0 && (way < 2 || thread == 0) {
			gpu.MBarrierArrive(empty)
		}
	}
	var sum gpu.C64x16[float32]
	gpu.WGMMAFence()
	gpu.WGMMA(&sum, gpu.MatrixOf(x[:], 0, 256, gpu.Swizzle32), gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32), true)
	gpu.WGMMACommit()
	if way%2 == 1 {
		release()
	}
	gpu.WGMMAWait(0)
	if way%2 == 0 {
		release()
	}
	for i := range sum {
		row, col := sum.At(thread, i)
		c[16*row+col] = sum[i]
	}
}

// Remote has the first block of a cluster multiply, while a thread writes to a factor of a block:
// of the other one, which does not multiply, or of the first.
//
//gpu:kernel target=sm_90a block=128 cluster=2
func Remote(a, b []gpu.BFloat16, c []float32, way int) {
	x, y := gpu.Shared[[64 * 16]gpu.BFloat16](), gpu.Shared[[16 * 16]gpu.BFloat16]()
	thread, rank := gpu.ThreadIdx.X, gpu.BlockRank()
	tile(x[:], a)
	tile(y[:], b)
	gpu.FenceProxyAsync()
	gpu.SyncCluster()
	if rank == 0 {
		var sum gpu.C64x16[float32]
		gpu.WGMMAFence()
		gpu.WGMMA(&sum, gpu.MatrixOf(x[:], 0, 256, gpu.Swizzle32), gpu.MatrixOf(y[:], 0, 256, gpu.Swizzle32), true)
		gpu.WGMMACommit()
		if way == 0 && thread == 0 {
			gpu.MapSharedRank(y, 1)[200] = gpu.BFloat16{}
		}
		gpu.WGMMAWait(0)
		c[thread] = sum[0]
	} else if way == 1 && thread == 0 {
		gpu.MapSharedRank(y, 0)[200] = gpu.BFloat16{}
	}
	gpu.SyncCluster()
}
