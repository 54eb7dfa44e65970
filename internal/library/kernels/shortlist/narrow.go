package shortlist

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// The norms that copies are made of, except 0, and the part of its norm by which a row's copy may
// differ before the row's size is larger than its norm.
const (
	leastNorm = 0x1p-50
	mostNorm  = 0x1p50
	usual     = 0x1p-9
)

// narrowBlock is the number of threads of a block of narrow and narrowQueries.
const narrowBlock = 256

// narrow makes the copies of n rows, as they are or with a norm of 1: copy i is row [rowOf](i,
// step, n)'s. Copies begin wide elements apart. A block makes the copies of a tile, and leaves the
// largest of their sizes.
//
// Launch with one block for each tile.
//
//gpu:kernel block=256
func narrow(rows []float32, n, cols, stride, step int, unit bool, copies []gpu.BFloat16, wide int, sizes, largest []float32) {
	const warps = narrowBlock / gpu.WarpSize
	most := gpu.Shared[[warps]float32]()
	var mine float32
	first := gpu.BlockIdx.X * tileCols
	for i := first + gpu.WarpID(); i < min(first+tileCols, n); i += warps {
		norm, off := narrowRow(rows[rowOf(i, step, n)*stride:][:cols], unit, copies[i*wide:][:cols])
		size := up(max(norm, off/usual))
		mine = max(mine, size)
		if gpu.LaneID() == 0 {
			sizes[i] = size
		}
	}
	if gpu.LaneID() == 0 {
		most[gpu.WarpID()] = mine
	}
	gpu.SyncThreads()
	if gpu.ThreadIdx.X == 0 {
		for _, x := range most {
			mine = max(mine, x)
		}
		largest[gpu.BlockIdx.X] = mine
	}
}

// rowOf is the row of copy i of n: rows that are close together, and may be alike, are spread over
// all copies.
func rowOf(i, step, n int) int { return i * step % n }

// narrowQueries makes the copies of queries, with norms of 1, and their slacks. loss is the share
// of the norms that sums may lose. The limit of a query is below everything at first. A query that
// has no copy, or is 0 and has equal scores only, remains to scan: its list has run over.
//
// Launch with any number of blocks.
//
//gpu:kernel block=256
func narrowQueries(queries []float32, n, cols, stride int, loss float64, copies []gpu.BFloat16, wide int, slacks, limits []float32, counts []int32) {
	const warps = narrowBlock / gpu.WarpSize
	for i := gpu.BlockIdx.X*warps + gpu.WarpID(); i < n; i += gpu.GridDim.X * warps {
		norm, off := narrowRow(queries[i*stride:][:cols], true, copies[i*wide:][:cols])
		if gpu.LaneID() > 0 {
			continue
		}
		slacks[i], limits[i], counts[i] = up(off+(norm+off)*(usual+loss)), float32(math.Inf(-1)), 0
		if norm == 0 || math.IsInf(norm, 0) {
			slacks[i], limits[i], counts[i] = 0, float32(math.Inf(1)), overrun
		}
	}
}

// narrowRow makes the copy of a row, by a warp. All lanes get the norm of the row, or of the row
// with a norm of 1 if that is copied, and the norm of the difference. Both are infinite for a row
// without a copy.
func narrowRow(row []float32, unit bool, out []gpu.BFloat16) (norm, off float64) {
	for i := gpu.LaneID(); i < len(row); i += gpu.WarpSize {
		norm = gpu.FMA(float64(row[i]), float64(row[i]), norm)
	}
	norm = gpu.Sqrt(collective.WarpSum(norm))
	scale, some := float32(1), norm >= leastNorm && norm <= mostNorm
	if unit && some {
		scale = float32(1 / norm)
	}
	for i := gpu.LaneID(); i < len(row); i += gpu.WarpSize {
		var y gpu.BFloat16
		if some {
			x := float64(row[i]) * float64(scale)
			y = gpu.BFloat16Of(float32(x))
			x -= gpu.ToFloat64(y)
			off = gpu.FMA(x, x, off)
		}
		out[i] = y
	}
	off = gpu.Sqrt(collective.WarpSum(off))
	if !some && norm != 0 {
		return math.Inf(1), math.Inf(1)
	}
	return norm * float64(scale), off
}

// up is x in float32, no smaller.
func up(x float64) float32 { return float32(x * (1 + 0x1p-20)) }
