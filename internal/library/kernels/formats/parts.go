package formats

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// partTile and smallPartTile are the tilings of the kernels whose factors are sums of parts. A
// stage has all parts, so that few blocks have room on a multiprocessor.
func partTile() tile.StagedTiling {
	return tile.StagedTiling{Threads: 256, Size: tile.Size{Rows: 128, Cols: 128}, WarpCols: 4, Down: 4, Across: 4}
}

// partC is the numbers of C that largeParts has in shared memory, and partBytes all it has there.
const (
	partC     = 8 * tile.WrittenRows * (32 + tile.PadC)
	partBytes = tile.SumParts*largeLines*16 + 4*partC
)

// largeParts computes C = alpha*A*B + beta*C of factors that packParts has made, whose parts are so
// many elements apart, with the exponents of A's rows and B's columns.
//
//gpu:kernel block=256 minblocks=1 target=sm_80
//gpu:nobounds
func largeParts(a, b []gpu.BFloat16, exponentsA, exponentsB []int32, c []float32, s Shape, partA, partB int, alpha, beta float32) {
	productParts(gpu.Shared[[tile.SumParts * largeLines * tile.PerLineHalf]gpu.BFloat16]()[:], gpu.Shared[[partC]float32]()[:],
		a, b, exponentsA, exponentsB, c, s, partA, partB, alpha, beta, partTile())
}

//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func smallParts(a, b []gpu.BFloat16, exponentsA, exponentsB []int32, c []float32, s Shape, partA, partB int, alpha, beta float32) {
	productParts(gpu.Shared[[tile.SumParts * smallLines * tile.PerLineHalf]gpu.BFloat16]()[:], gpu.Shared[[smallC]float32]()[:],
		a, b, exponentsA, exponentsB, c, s, partA, partB, alpha, beta, smallStaged())
}

// specialParts computes the sums that are not finite, where special[0] says that there are any.
//
//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func specialParts(special []uint32, a, b []gpu.BFloat16, c []float32, s Shape, alpha, beta float32) {
	if special[0] != 0 {
		shared := gpu.Shared[[smallLines * tile.PerLineHalf]gpu.BFloat16]()
		firstParts(shared[:], gpu.Shared[[smallC]float32]()[:], a, b, c, s, alpha, beta, smallStaged())
	}
}

// productParts is the body of the kernels. A number that is not finite is a part, and the products
// of the other parts with it are not what its products are. So a sum that is not finite is computed
// again, of the first parts alone, which have the signs and zeros of their numbers.
func productParts(shared []gpu.BFloat16, sharedC []float32, a, b []gpu.BFloat16, exponentsA, exponentsB []int32, c []float32,
	s Shape, partA, partB int, alpha, beta float32, t tile.StagedTiling,
) {
	row, col := t.Corner(s.M, s.N)
	batch := gpu.BlockIdx.Y
	if s.BatchA > 0 {
		exponentsA = exponentsA[batch*s.M:]
	}
	if s.BatchB > 0 {
		exponentsB = exponentsB[batch*s.N:]
	}
	r, q := t.Warp()
	var sum tile.WarpSums[float32]
	tile.Stream(shared, tile.Source[gpu.BFloat16]{Data: a[batch*s.BatchA:], Size: s.M, Stride: s.RowA, PartStride: partA},
		tile.Source[gpu.BFloat16]{Data: b[batch*s.BatchB:], Size: s.N, Stride: s.RowB, PartStride: partB}, s.K, row, col, t,
		tile.SumParts, tile.PerLineHalf, true, true, copyHalf[gpu.BFloat16],
		func(tileA, tileB []gpu.BFloat16) { tile.MultiplyParts(&sum, t, tileA, tileB, r, q) })
	finite := true
	tile.Write(&sum, sharedC, row, col, s.M, s.N, t, func(row, col int, sum float32) {
		if sum-sum != 0 {
			finite = false
			return
		}
		if sum != 0 {
			sum = float32(gpu.Ldexp(float64(sum), -tile.PartShift(exponentsA[row])-tile.PartShift(exponentsB[col])))
		}
		writeScaled(sum, c[batch*s.BatchC:], row*s.RowC+col, alpha, beta)
	})
	if gpu.SyncThreadsOr(!finite) {
		firstParts(shared, sharedC, a, b, c, s, alpha, beta, t)
	}
}

// firstParts computes those elements of a tile of C whose sums are not finite, of the first parts.
func firstParts(shared []gpu.BFloat16, sharedC []float32, a, b []gpu.BFloat16, c []float32, s Shape, alpha, beta float32, t tile.StagedTiling) {
	r, q := t.Warp()
	staged(shared, sharedC, a, b, c, s, t, tile.PerLineHalf, true, true, copyHalf[gpu.BFloat16],
		func(sum *tile.WarpSums[float32], tileA, tileB []gpu.BFloat16) {
			tile.Multiply(sum, t,
				func(f, step int) gpu.A16x16[gpu.BFloat16] { return tile.HalfA(tileA, r+16*f, step, t.Rows, true) },
				func(j, step int) [2]gpu.B16x8[gpu.BFloat16] { return tile.HalfB(tileB, q+16*j, step, t.Cols, true) },
				gpu.MMA16x8x16[gpu.BFloat16])
		}, func(c []float32, at int, sum float32) {
			if sum-sum != 0 {
				writeScaled(sum, c, at, alpha, beta)
			}
		})
}
