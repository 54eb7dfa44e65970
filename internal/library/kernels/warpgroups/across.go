package warpgroups

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// Tensor cores take TF32 from shared memory along k alone, and from registers in any layout. So a
// tile of a factor A across k is in panels, one after the other: [PanelK] lines along k of as many
// rows of A each, with [gpu.Swizzle128]. A warpgroup loads its rows into registers.
const (
	PanelK    = tile.LineBytes / 4
	panelSize = PanelK * PanelK
	stepsK    = 4
	stepK     = PanelK / stepsK
)

// Across is a thread's fragments of 64 rows of such a tile, for each of the products along k.
type Across [stepsK]gpu.A64x8[gpu.TF32]

// LoadAcross loads the fragments of the rows that the first two panels of x have. A warp has 16
// rows of a panel, in the order of [AcrossRow]: so a thread loads two side by side at once, and the
// lanes of a warp read from different banks.
func LoadAcross(x []gpu.TF32) (f Across) {
	const chunk = 4 // elements that a swizzle keeps together
	k, row := gpu.LaneID()%4, AcrossRow(gpu.ThreadIdx.X%GroupSize)
	x = x[row/PanelK*panelSize:]
	row %= PanelK
	for half := range 2 { // of what is multiplied at a time: four elements along k
		from := x[(k+half*chunk)*PanelK+(row/chunk^k^half*chunk)*chunk+row%chunk:]
		for step := range stepsK {
			pair := *(*[2]gpu.TF32)(from[step*stepK*PanelK:])
			f[step][2*half], f[step][2*half+1] = pair[0], pair[1]
		}
	}
	return f
}

// AcrossRow is the first of the two rows of A, of 64, whose sums a thread of a warpgroup has when A
// comes from [LoadAcross]. The other is the next.
func AcrossRow(thread int) int {
	warp, lane := thread/gpu.WarpSize, thread/4%8
	return warp/2*PanelK + lane/2%2*16 + warp%2*8 + lane/4*4 + lane%2*2
}

// ProductsAcross is [Products] with a factor A in registers. load loads the fragments of a place
// for the rows of a warpgroup, and multiply starts their products. The sums that write is given are
// of the rows that [AcrossRow] says.
func ProductsAcross[C any](ring tile.Ring, s *Shape, p Place,
	fetch func(place int, full *gpu.MBarrier, row, col, k, batch int),
	load func(place, group int) Across,
	multiply func(sum *C, x *Across, place int, first bool),
	write func(sum *C, batch, row, col int),
) {
	roles(ring, s, p, fetch, func() { consumeAcross(ring, s, p, load, multiply, write) })
}

// consumeAcross is consume with a factor in registers. A round of its loop is two places, whose
// fragments have separate registers: products read them until the wait.
func consumeAcross[C any](ring tile.Ring, s *Shape, p Place, load func(place, group int) Across,
	multiply func(sum *C, x *Across, place int, first bool), write func(sum *C, batch, row, col int),
) {
	order, group := s.Order(p.Cols), gpu.ThreadIdx.X/GroupSize
	var turn tile.Turn
	for i := gpu.ClusterIdx.X; i < order.Tiles(); i += gpu.GridDim.X / Cluster {
		down, across, batch := order.At(i)
		var sum C
		last := turn
		for k := 0; k < s.K; k += 2 * p.Depth {
			multiplyNext(ring, &sum, turn, last, group, k == 0, load, multiply)
			last, turn = turn, ring.Next(turn)
			if k+p.Depth < s.K {
				multiplyNext(ring, &sum, turn, last, group, false, load, multiply)
				last, turn = turn, ring.Next(turn)
			}
		}
		gpu.WGMMAWait(0)
		if s.K > 0 {
			ring.Release(last)
		}
		write(&sum, batch, (Cluster*down+gpu.BlockRank())*TileRows+group*GroupRows, across*p.Cols)
	}
}

// multiplyNext starts the products of a place, and releases the one before, if it is not the first.
func multiplyNext[C any](ring tile.Ring, sum *C, turn, last tile.Turn, group int, first bool, load func(place, group int) Across,
	multiply func(sum *C, x *Across, place int, first bool),
) {
	ring.AwaitFull(turn)
	x := load(turn.Place, group)
	gpu.WGMMAFence()
	multiply(sum, &x, turn.Place, first)
	gpu.WGMMACommit()
	if !first {
		gpu.WGMMAWait(1)
		ring.Release(last)
	}
}

// A box of [StoreTurned] has this many rows of C, and goes by two of [MapC]'s, a warp's each. Two
// warps have its columns.
const (
	turnedRows = 2 * boxRows
	turnedSums = turnedRows / 2
)

// StoreTurned writes the sums of a warpgroup of [ProductsAcross] to C, transposed. They begin
// at a column and a row of C, and the shape's M is C's number of columns. If boxes is set, c
// is a map of C, made by [MapC], and the results of of go there. A kernel that
// does so ends with [gpu.CpAsyncBulkWaitGroupRead]. Otherwise put gets each value, with its
// place in C.
func StoreTurned(sum *gpu.C64x256[float32], stage *Stage[float32], c gpu.TensorMap[float32], boxes bool, s *Shape, batch, col, row int,
	of func(sum float32) float32, put func(at int, x float32),
) {
	warp, lane := gpu.WarpID(), gpu.LaneID()
	col += warp % (GroupSize / gpu.WarpSize) / 2 * boxCols
	places := inTurned()
	half := warp % 2 * boxRows // the rows of the box that the warp has copied
	for box := range len(sum) / turnedSums {
		if row >= s.N || col >= s.M {
			gpu.CpAsyncBulkWaitGroupRead(0) // the next tile begins with the first slot, and counts from here
			break
		}
		slot := stage[(warp/2*slots+box%slots)*2*boxSize:][:2*boxSize]
		if lane == 0 {
			gpu.CpAsyncBulkWaitGroupRead(slots - 1) // until what the slot had has been read
		}
		gpu.SyncBarrier(1+warp/2, 2*gpu.WarpSize)
		for i := 0; i < turnedSums; i += 4 {
			x := [2][2]float32{{sum[box*turnedSums+i], sum[box*turnedSums+i+2]}, {sum[box*turnedSums+i+1], sum[box*turnedSums+i+3]}}
			if lane/2%2 != 0 {
				x[0], x[1] = x[1], x[0]
			}
			for j := range places {
				*(*[2]float32)(slot[places[j]+i/4*8*boxCols:]) = [2]float32{of(x[j][0]), of(x[j][1])}
			}
		}
		if boxes {
			gpu.FenceProxyAsync()
		}
		gpu.SyncBarrier(1+warp/2, 2*gpu.WarpSize)
		if boxes && lane == 0 {
			gpu.CpAsyncBulkTensorStore(c, slot[half*boxCols:], col, row+half, batch)
			gpu.CpAsyncBulkCommitGroup()
		}
		if !boxes && col+lane < s.M {
			for r := range min(boxRows, s.N-row-half) {
				put(batch*s.BatchC+(row+half+r)*s.RowC+col+lane, slot[swizzled(half+r, lane)])
			}
		}
		row += turnedRows
	}
}

// inTurned is the place in a box of a thread's sums of its first row of C, two side by side, and of
// the next row: the other way round in half of the lanes, so that the lanes of a warp write to
// different banks.
func inTurned() (places [2]int) {
	const chunk = 4 // elements that a swizzle keeps together
	lane, col := gpu.LaneID(), AcrossRow(gpu.ThreadIdx.X%GroupSize)%boxCols
	for i := range places {
		row := lane%4*2 + i ^ lane/2%2
		places[i] = row*boxCols + (col/chunk^row)*chunk + col%chunk
	}
	return places
}
