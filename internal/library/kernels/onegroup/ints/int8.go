package ints

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Sizes that all formats have.
const (
	groupSize  = warpgroups.GroupSize
	groupRows  = warpgroups.GroupRows
	wideGroups = onegroup.WideGroups
	wideRows   = onegroup.WideRows
	wideCols   = onegroup.WideCols
	wideAcross = onegroup.WideAcross
	buffers    = onegroup.Buffers
	depth8     = onegroup.Depth8
)

// narrowInt8, shortInt8 and wideInt8 are narrowHalf and its like for int8. The short one takes a K
// of at most 128. The short and the wide one take factors along k.
//
//gpu:kernel A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=1 target=sm_90a
//gpu:nobounds
func narrowInt8[A, B tile.Layout](a, b gpu.TensorMap[int8], c []int32, cv []gpu.Int32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta int32) {
	var sum gpu.C64x32[int32]
	int8Alone[A, B](&sum, gpu.Shared[[8 * (64 + 32) * depth8]int8]()[:], gpu.Shared[[buffers * (64 + 32) * depth8]int8]()[:],
		gpu.Shared[[8]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 32)
	onegroup.WriteInts(&sum, &onegroup.Result[int32, gpu.Int32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, 1, 32)
}

//gpu:kernel block=128 minblocks=8 target=sm_90a
//gpu:nobounds
func shortInt8(a, b gpu.TensorMap[int8], c []int32, cv []gpu.Int32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta int32) {
	var sum gpu.C64x64[int32]
	int8Alone[tile.AlongK, tile.AlongK](&sum, gpu.Shared[[(64 + 64) * depth8]int8]()[:], nil,
		gpu.Shared[[1]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 64)
	onegroup.WriteInts(&sum, &onegroup.Result[int32, gpu.Int32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, 1, 64)
}

//gpu:kernel block=288 minblocks=1 cluster=1x2 target=sm_90a
//gpu:nobounds
func wideInt8(a, b gpu.TensorMap[int8], c []int32, cv []gpu.Int32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta int32) {
	const size, place = wideRows * depth8, (wideRows + wideCols) * depth8
	shared := gpu.Shared[[8 * place]int8]()[:]
	sideA, sideB := onegroup.SideOf[int8](wideRows, wideAcross), onegroup.SideOf[int8](wideCols, 1)
	row, col, batch := gpu.BlockIdx.X*wideRows, gpu.BlockIdx.Y*wideCols, gpu.BlockIdx.Z
	var sum gpu.C64x64[int32]
	if onegroup.Together(gpu.Shared[[8]gpu.MBarrier]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], wideAcross, wideGroups, s.K, depth8, &sum,
		func(i int, full *gpu.MBarrier, k int) {
			gpu.MBarrierArriveExpectTx(full, place)
			onegroup.Load[tile.AlongK](sideA, shared[i*place:], a, full, gpu.BlockRank(), 1<<wideAcross-1, row, k, batch*manyA)
			onegroup.Load[tile.AlongK](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
		}, func(sum *gpu.C64x64[int32], i int, add bool) {
			multiplyInts(sum, shared[i*place:], shared[i*place+size:], add)
		}) {
		onegroup.WriteInts(&sum, &onegroup.Result[int32, gpu.Int32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, wideGroups, wideCols)
	}
}

// int8Alone adds up the sums of a block. It turns factors across k on their way to a
// buffer.
func int8Alone[A, B tile.Layout, C gpu.Sums64[int32]](sum *C, shared, turned []int8, full []gpu.MBarrier, a, b gpu.TensorMap[int8],
	s *warpgroups.Shape, manyA, manyB, cols int,
) {
	const rows = groupRows
	sideA, sideB := onegroup.SideOf[int8](rows, 1), onegroup.SideOf[int8](cols, 1)
	row, col, batch := gpu.BlockIdx.X*rows, gpu.BlockIdx.Y*cols, gpu.BlockIdx.Z
	size, place := rows*depth8, (rows+cols)*depth8
	var layoutA A
	var layoutB B
	fetch := func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, place)
		onegroup.Load[A](sideA, shared[i*place:], a, full, 0, 0, row, k, batch*manyA)
		onegroup.Load[B](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
	}
	if !layoutA.Transposed() && !layoutB.Transposed() {
		onegroup.Alone(full, s.K, depth8, sum, fetch, func(sum *C, i int, add bool) {
			multiplyInts(sum, shared[i*place:], shared[i*place+size:], add)
		})
		return
	}
	onegroup.Converted(full, s.K, depth8, sum, fetch, func(i, buffer int) {
		if layoutA.Transposed() {
			turnBytes(shared[i*place:], turned[buffer*place:], sideA.Width, rows)
		}
		if layoutB.Transposed() {
			turnBytes(shared[i*place+size:], turned[buffer*place+size:], sideB.Width, cols)
		}
	}, func(sum *C, i, buffer int, add bool) {
		x, y := shared[i*place:], shared[i*place+size:]
		if layoutA.Transposed() {
			x = turned[buffer*place:]
		}
		if layoutB.Transposed() {
			y = turned[buffer*place+size:]
		}
		multiplyInts(sum, x, y, add)
	})
}

// multiplyInts starts the products of the warpgroup's rows of a tile of A with one of B.
func multiplyInts[C gpu.Sums64[int32]](sum *C, x, y []int8, add bool) {
	x = x[gpu.ThreadIdx.X/groupSize*(groupRows*depth8):]
	for step := range 4 {
		gpu.WGMMAS32(sum, onegroup.AlongK(x, step), onegroup.AlongK(y, step), add || step > 0)
	}
}

// turnBytes turns a tile with lines of width elements across k into one with lines along k.
func turnBytes(from, to []int8, width, rows int) {
	swizzle := gpu.Swizzle64
	if width == 32 {
		swizzle = gpu.Swizzle32
	}
	for i := gpu.ThreadIdx.X; i < rows*depth8/16; i += groupSize {
		row, k := i%rows, i/rows*16
		var x [16]int8
		for j := range x {
			x[j] = from[swizzle.Offset((k+j)*width+row)]
		}
		*(*[16]int8)(to[gpu.Swizzle128.Offset(row*depth8+k):]) = x
	}
}
