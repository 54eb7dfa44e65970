package rowmax

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

//go:generate go tool gridstride build

// rowMax leaves the largest element of each row of A*B in each tile of HalfCols columns, and its
// column, the lowest if several have it: -1 if all are NaN. A row's results are s.RowC apart from
// the next row's.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func rowMax[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], values []float32, columns []int32, s warpgroups.Shape) {
	warpgroups.Halves[T, A, B](a, b, &s, 0, 0, func(sum *gpu.C64x256[float32], _, row, col int) {
		for half := range 2 { // a thread has elements of two rows
			best := largestOf(sum, half, min(warpgroups.HalfCols, s.N-col))
			for d := 1; d < 4; d *= 2 { // four lanes have a row
				best = best.or(largest{gpu.ShflXorSync(gpu.FullMask, best.value, d), gpu.ShflXorSync(gpu.FullMask, best.column, d)})
			}
			r, _ := sum.At(gpu.ThreadIdx.X%warpgroups.GroupSize, 2*half)
			if r += row; gpu.LaneID()%4 == 0 && r < s.M {
				at := r*s.RowC + col/warpgroups.HalfCols
				values[at], columns[at] = best.value, int32(col)+best.column
				if best.column < 0 {
					columns[at] = -1
				}
			}
		}
	})
}

// largest is an element and its column in the tile, which is -1 if there is none.
type largest struct {
	value  float32
	column int32
}

// or is the larger one, or the one of the lower column.
func (x largest) or(y largest) largest {
	if x.column < 0 || y.column >= 0 && (y.value > x.value || y.value == x.value && y.column < x.column) {
		return y
	}
	return x
}

// largestOf is the thread's largest element of its first row or its second, among cols columns. A
// column is a number that depends on the lane, plus one that does not, which is compared, without a
// branch: NVIDIA's assembler of CUDA 12.4 makes a segmentation fault otherwise.
func largestOf(sum *gpu.C64x256[float32], half, cols int) largest {
	_, lane := sum.At(gpu.LaneID(), 0)
	left := int32(cols - lane)
	lowest := float32(math.Inf(-1))
	best := largest{lowest, -1}
	for i := range len(sum) / 2 {
		i = i/2*4 + half*2 + i%2
		_, c := sum.At(0, i)
		x := sum[i]
		if int32(c) >= left {
			x = lowest
		}
		if x > best.value {
			best = largest{x, int32(c)}
		}
	}
	if best.column < 0 { // NaN are above nothing, as what begins is not either
		for i := range len(sum) / 2 {
			i = len(sum) - 1 - (i/2*4 + (1-half)*2 + i%2)
			if _, c := sum.At(0, i); sum[i] == lowest && int32(c) < left {
				best.column = int32(c)
			}
		}
	}
	if best.column >= 0 {
		best.column += int32(lane)
	}
	return best
}
