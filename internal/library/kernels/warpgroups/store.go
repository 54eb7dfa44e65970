package warpgroups

import "github.com/gridstride/gridstride/gpu"

// A warp has 16 rows of a warpgroup's sums. They go to C through shared memory, a box of 32 columns
// at a time, which are 128 bytes, whole lines of C. A warp has room for this many boxes. Some are
// on their way to C while it fills the next, or multiplies.
const (
	boxRows, boxCols = 16, 32
	boxSize          = boxRows * boxCols
	boxSums          = boxSize / gpu.WarpSize
	boxesOf          = len(gpu.C64x256[float32]{}) / boxSums // a warp's sums
	slots            = 2
)

// Number is the elements of C.
type Number interface{ float32 | int32 }

// Stage is the room for the boxes of all consumers, in shared memory.
type Stage[S Number] [Consumers / gpu.WarpSize * slots * boxSize]S

// Store writes the sums of a warpgroup to C, from a row and a column of a product on, as of(sum).
// If boxes is set, c is a map of C, made by [MapC], and the values are copied there by boxes. A
// kernel that does so ends with [gpu.CpAsyncBulkWaitGroupRead]. Otherwise put gets each value, with
// its place in C.
func Store[S Number](sum *gpu.C64x256[S], stage *Stage[S], c gpu.TensorMap[S], boxes bool, s *Shape, batch, row, col int,
	of func(sum S) S, put func(at int, x S),
) {
	places := inBox()
	store(stage, c, boxes, s, batch, row, col, func(col int) func(slot []S, box int) {
		return func(slot []S, box int) { fillBox(slot, sum, box*boxSums, places, of) }
	}, put)
}

// Some is elements of a column that follow each other, which are changed at once: one after the
// other they would each wait for shared memory.
type Some[S any] [4]S

// StoreColumns is [Store] with a change of all elements before they go to C: column(col)
// returns the function that changes the elements of a column, given their places in C. The
// column is inside C. Changes of elements below C do not matter. These have places in the last
// row.
func StoreColumns[S Number](sum *gpu.C64x256[S], stage *Stage[S], c gpu.TensorMap[S], boxes bool, s *Shape, batch, row, col int,
	of func(sum S) S, column func(col int) func(at *Some[int], x *Some[S]), put func(at int, x S),
) {
	lane, first, places := gpu.LaneID(), row+warpRow(), inBox()
	store(stage, c, boxes, s, batch, row, col, func(col int) func(slot []S, box int) {
		col = min(col+lane, s.N-1)
		change := column(col)
		return func(slot []S, box int) {
			for i := range boxesOf { // sums are registers: the loop over the boxes has this for each, and the rest once
				if i == box {
					fillBox(slot, sum, i*boxSums, places, of)
				}
			}
			gpu.SyncWarp(gpu.FullMask)
			for r := 0; r < boxRows; r += len(Some[S]{}) {
				var x Some[S]
				var at Some[int]
				for i := range x {
					x[i], at[i] = slot[swizzled(r+i, lane)], batch*s.BatchC+min(first+r+i, s.M-1)*s.RowC+col
				}
				change(&at, &x)
				for i := range x {
					slot[swizzled(r+i, lane)] = x[i]
				}
			}
		}
	}, put)
}

// store is the body of both. begin is given where a box begins along the rows of C, and gives what
// fills a slot with that box, of those that the sums are.
func store[S Number](stage *Stage[S], c gpu.TensorMap[S], boxes bool, s *Shape, batch, row, col int,
	begin func(col int) func(slot []S, box int), put func(at int, x S),
) {
	lane := gpu.LaneID()
	row += warpRow()
	for box := range boxesOf {
		if row >= s.M || col >= s.N {
			gpu.CpAsyncBulkWaitGroupRead(0) // the next tile begins with the first slot, and counts from here
			break
		}
		slot := stage[(gpu.WarpID()*slots+box%slots)*boxSize:][:boxSize]
		fill := begin(col)
		if lane == 0 {
			gpu.CpAsyncBulkWaitGroupRead(slots - 1) // until what the slot had has been read
		}
		gpu.SyncWarp(gpu.FullMask)
		fill(slot, box)
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

// fillBox puts what of makes of a thread's sums from one on into a box.
func fillBox[S Number](slot []S, sum *gpu.C64x256[S], first int, places [4]int, of func(sum S) S) {
	for i := 0; i < boxSums; i += 2 {
		x, y := of(sum[first+i]), of(sum[first+i+1])
		if gpu.LaneID()/4&1 != 0 {
			x, y = y, x
		}
		at := slot[i/2%2*8*boxCols:]
		at[places[i/4]], at[places[i/4]^1] = x, y
	}
}

// warpRow is the first of a warp's rows of its warpgroup.
func warpRow() int { return gpu.WarpID() % 4 * boxRows }

// inBox is the place in a box of a thread's sums of its first row: of each two side by side the one
// that it writes first, the second in odd rows. So the lanes of a warp write to different banks.
func inBox() (places [4]int) {
	lane := gpu.LaneID()
	for i := range places {
		places[i] = swizzled(lane/4, 8*i+lane%4*2+lane/4&1)
	}
	return places
}

// swizzled is the offset of an element of a box.
func swizzled(row, col int) int { return gpu.Swizzle128.Offset((row*boxCols+col)*4) / 4 }
