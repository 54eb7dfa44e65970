package tf32

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
	depth32    = onegroup.Depth32
)

// narrowTF32 is narrowHalf for float32, which the copies round to TF32. If only A is along k, the
// transposes are computed, as products of B's transpose and A's: the kernel gets these, and the
// sizes of the transpose of C.
//
//gpu:kernel A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=1 target=sm_90a
//gpu:nobounds
func narrowTF32[A, B tile.Layout](a, b gpu.TensorMap[gpu.TF32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	const places, place, size, cols = 12, (groupRows + 32) * depth32, groupRows * depth32, 32
	shared, turned := gpu.Shared[[places * place]gpu.TF32]()[:], gpu.Shared[[buffers * place]gpu.TF32]()[:]
	full := gpu.Shared[[places]gpu.MBarrier]()[:]
	var layoutA A
	var layoutB B
	acrossA, acrossB := layoutA.Transposed(), layoutB.Transposed()
	sideA, sideB := onegroup.SideOf[gpu.TF32](groupRows, 1), onegroup.SideOf[gpu.TF32](cols, 1)
	row, col, batch := gpu.BlockIdx.X*groupRows, gpu.BlockIdx.Y*cols, gpu.BlockIdx.Z
	fetch := func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 4*place)
		x, y := shared[i*place:], shared[i*place+size:]
		if acrossA || acrossB {
			onegroup.Load[tile.AcrossK](sideA, x, a, full, 0, 0, row, k, batch*manyA)
		} else {
			onegroup.Load[tile.AlongK](sideA, x, a, full, 0, 0, row, k, batch*manyA)
		}
		if acrossA && acrossB {
			onegroup.Load[tile.AcrossK](sideB, y, b, full, 0, 0, col, k, batch*manyB)
		} else {
			onegroup.Load[tile.AlongK](sideB, y, b, full, 0, 0, col, k, batch*manyB)
		}
	}
	var sum gpu.C64x32[float32]
	to := &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}
	switch {
	case acrossA && acrossB:
		onegroup.Converted(full, s.K, depth32, &sum, fetch, func(i, buffer int) {
			turnTF32(shared[i*place:], turned[buffer*place:], groupRows, groupSize)
			turnTF32(shared[i*place+size:], turned[buffer*place+size:], cols, groupSize)
		}, func(sum *gpu.C64x32[float32], _, buffer int, add bool) {
			multiplyTF32(sum, turned[buffer*place:], turned[buffer*place+size:], add)
		})
	case acrossA || acrossB:
		aloneAcross(full, s.K, depth32, &sum, fetch, func(sum *gpu.C64x32[float32], i int, add bool) {
			startAcross(sum, shared[i*place:], shared[i*place+size:], add)
		})
		writeAcross(&sum, to, &s, 1, cols, acrossB)
		return
	default:
		onegroup.Alone(full, s.K, depth32, &sum, fetch, func(sum *gpu.C64x32[float32], i int, add bool) {
			multiplyTF32(sum, shared[i*place:], shared[i*place+size:], add)
		})
	}
	onegroup.Write(&sum, to, &s, 1, cols)
}

// wideTF32 is wideHalf for float32, which the copies round to TF32, and a B along k. turnedTF32 is
// for a B across k, and an A along k: it computes the transposes of the products as narrowTF32
// does.
//
//gpu:kernel A=tile.AlongK,tile.AcrossK block=288 minblocks=1 cluster=1x2 target=sm_90a
//gpu:nobounds
func wideTF32[A tile.Layout](a, b gpu.TensorMap[gpu.TF32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	productWide[A](gpu.Shared[[widePlaces * widePlace]gpu.TF32]()[:], gpu.Shared[[widePlaces]gpu.MBarrier]()[:], gpu.Shared[[widePlaces]gpu.MBarrier]()[:],
		a, b, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, manyA, manyB, false)
}

//gpu:kernel block=288 minblocks=1 cluster=1x2 target=sm_90a
//gpu:nobounds
func turnedTF32(a, b gpu.TensorMap[gpu.TF32], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	productWide[tile.AcrossK](gpu.Shared[[widePlaces * widePlace]gpu.TF32]()[:], gpu.Shared[[widePlaces]gpu.MBarrier]()[:], gpu.Shared[[widePlaces]gpu.MBarrier]()[:],
		a, b, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, manyA, manyB, true)
}

// The wide kernels' number of places, and of elements in each.
const (
	widePlaces = 9
	widePlace  = (wideRows + wideCols) * depth32
)

// productWide is the body of the wide kernels.
func productWide[A tile.Layout](shared []gpu.TF32, full, empty []gpu.MBarrier, a, b gpu.TensorMap[gpu.TF32], to *onegroup.Result[float32, gpu.Float32x2],
	s *warpgroups.Shape, manyA, manyB int, turned bool,
) {
	sideA, sideB := onegroup.SideOf[gpu.TF32](wideRows, wideAcross), onegroup.SideOf[gpu.TF32](wideCols, 1)
	row, col, batch := gpu.BlockIdx.X*wideRows, gpu.BlockIdx.Y*wideCols, gpu.BlockIdx.Z
	const size = wideRows * depth32
	fetch := func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 4*widePlace)
		onegroup.Load[A](sideA, shared[i*widePlace:], a, full, gpu.BlockRank(), 1<<wideAcross-1, row, k, batch*manyA)
		onegroup.Load[tile.AlongK](sideB, shared[i*widePlace+size:], b, full, 0, 0, col, k, batch*manyB)
	}
	var sum gpu.C64x64[float32]
	var layout A
	if !layout.Transposed() {
		if onegroup.Together(full, empty, wideAcross, wideGroups, s.K, depth32, &sum, fetch, func(sum *gpu.C64x64[float32], i int, add bool) {
			multiplyTF32(sum, shared[i*widePlace:], shared[i*widePlace+size:], add)
		}) {
			onegroup.Write(&sum, to, s, wideGroups, wideCols)
		}
		return
	}
	if togetherAcross(full, empty, wideAcross, wideGroups, s.K, depth32, &sum, fetch, func(sum *gpu.C64x64[float32], i int, add bool) {
		x := shared[i*widePlace+gpu.ThreadIdx.X/groupSize*(groupRows*depth32):]
		startAcross(sum, x, shared[i*widePlace+size:], add)
	}) {
		writeAcross(&sum, to, s, wideGroups, wideCols, turned)
	}
}

// multiplyTF32 starts the products of the warpgroup's rows of a tile of A with one of B.
func multiplyTF32[C gpu.Sums64[float32]](sum *C, x, y []gpu.TF32, add bool) {
	x = x[gpu.ThreadIdx.X/groupSize*(groupRows*depth32):]
	for step := range 4 {
		gpu.WGMMA(sum, onegroup.AlongK(x, step), onegroup.AlongK(y, step), add || step > 0)
	}
}

// turnTF32 turns a tile with lines across k into one with lines along k.
func turnTF32(from, to []gpu.TF32, rows, threads int) {
	onegroup.Turn(rows, threads, func(panel, across, k int) {
		var x [4][4]gpu.TF32
		for i := range 4 {
			line := from[panel*depth32*depth32+onegroup.InLine(4*k+i, across):]
			for j := range 4 {
				x[i][j] = line[j]
			}
		}
		for j := range 4 {
			line := to[panel*depth32*depth32+onegroup.InLine(4*across+j, k):]
			for i := range 4 {
				line[i] = x[i][j]
			}
		}
	})
}
