package warpgroups

import "github.com/gridstride/gridstride/gpu"

// A warp has 16 rows of a warpgroup's sums. They go to C by way of shared memory, a box of 32 columns
// at a time, which are 128 bytes: C takes whole lines so. A warp has room for so many boxes, of which
// some are on their way to C while it fills the next, or multiplies.
const (
	boxRows, boxCols = 16, 32
	boxSize          = boxRows * boxCols
	boxSums          = boxSize / gpu.WarpSize
	slots            = 2
)

// Number is the elements of C.
type Number interface{ float32 | int32 }

// Stage is the room for the boxes of all consumers, in shared memory.
type Stage[S Number] [Consumers / gpu.WarpSize * slots * boxSize]S

// Store writes the sums of a warpgroup to C, which begin at a row and a column of a product: what of
// makes of each. Where there are boxes, c is a map of C, which [MapC] makes, and the sums are copied
// there by boxes. A kernel that does so ends with [gpu.CpAsyncBulkWaitGroupRead]. Elsewhere they are
// given to put, each with its place in C.
func Store[S Number](sum *gpu.C64x256[S], stage *Stage[S], c gpu.TensorMap[S], boxes bool, s *Shape, batch, row, col int,
	of func(sum S) S, put func(at int, x S),
) {
	store(sum, stage, c, boxes, s, batch, row, col, of, func([]S, int, int) {}, put)
}

// StoreColumns is [Store] with a change of all elements before they go to C: what column gives for
// a column changes the elements of it, each with its place in C.
func StoreColumns[S Number](sum *gpu.C64x256[S], stage *Stage[S], c gpu.TensorMap[S], boxes bool, s *Shape, batch, row, col int,
	of func(sum S) S, column func(col int) func(at int, x S) S, put func(at int, x S),
) {
	lane := gpu.LaneID()
	store(sum, stage, c, boxes, s, batch, row, col, of, func(slot []S, row, col int) {
		gpu.SyncWarp(gpu.FullMask)
		if col+lane < s.N {
			change := column(col + lane)
			for r := range min(boxRows, s.M-row) {
				at := swizzled(r, lane)
				slot[at] = change(batch*s.BatchC+(row+r)*s.RowC+col+lane, slot[at])
			}
		}
	}, put)
}

// store is the body of both. change is given a box that a warp has filled, with where it begins in C.
func store[S Number](sum *gpu.C64x256[S], stage *Stage[S], c gpu.TensorMap[S], boxes bool, s *Shape, batch, row, col int,
	of func(sum S) S, change func(slot []S, row, col int), put func(at int, x S),
) {
	lane := gpu.LaneID()
	row += gpu.WarpID() % 4 * boxRows
	places := inBox()
	for box := range len(sum) / boxSums {
		if row >= s.M || col >= s.N {
			gpu.CpAsyncBulkWaitGroupRead(0) // the next tile begins with the first slot, and counts from here
			break
		}
		slot := stage[(gpu.WarpID()*slots+box%slots)*boxSize:][:boxSize]
		if lane == 0 {
			gpu.CpAsyncBulkWaitGroupRead(slots - 1) // until what the slot had has been read
		}
		gpu.SyncWarp(gpu.FullMask)
		for i := 0; i < boxSums; i += 2 {
			x, y := of(sum[box*boxSums+i]), of(sum[box*boxSums+i+1])
			if lane/4&1 != 0 {
				x, y = y, x
			}
			at := slot[i/2%2*8*boxCols:]
			at[places[i/4]], at[places[i/4]^1] = x, y
		}
		change(slot, row, col)
		if boxes {
			gpu.FenceProxyAsync()
		}
		gpu.SyncWarp(gpu.FullMask)
		if boxes && lane == 0 {
			gpu.CpAsyncBulkTensorStore(c, slot, col, row, batch)
			gpu.CpAsyncBulkCommitGroup()
		}
		if !boxes && col+lane < s.N {
			for r := range min(boxRows, s.M-row) {
				put(batch*s.BatchC+(row+r)*s.RowC+col+lane, slot[swizzled(r, lane)])
			}
		}
		col += boxCols
	}
}

// inBox is where a thread's sums of its first row lie in a box: of each two side by side the one that
// it writes first, the second in odd rows. So the lanes of a warp write to different banks.
func inBox() (places [4]int) {
	lane := gpu.LaneID()
	for i := range places {
		places[i] = swizzled(lane/4, 8*i+lane%4*2+lane/4&1)
	}
	return places
}

// swizzled is where an element of a box lies.
func swizzled(row, col int) int { return gpu.Swizzle128.Offset((row*boxCols+col)*4) / 4 }
