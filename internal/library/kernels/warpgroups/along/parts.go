package along

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Of factors that are sums of three BFloat16, a block has 128 columns of B, and room for two
// places.
const (
	sumParts   = 3
	partCols   = 128
	partPlaces = 2
	depthBF16  = 64
)

// placeParts is the factors multiplied at a time.
type placeParts struct {
	a [sumParts * warpgroups.TileRows * depthBF16]gpu.BFloat16
	b [sumParts * partCols * depthBF16]gpu.BFloat16
}

// productParts is product for factors that are sums of parts, with the exponents of A's rows and
// B's columns, as package formats makes them. Sums that are not finite are not written, and
// special[0] becomes 1 if there are any.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func productParts(a, b gpu.TensorMap[gpu.BFloat16], exponentsA, exponentsB []int32, special []uint32, c []float32, s warpgroups.Shape,
	manyA, manyB, partA, partB int, alpha, beta float32,
) {
	at := gpu.Shared[[partPlaces]placeParts]()
	products(gpu.Shared[[partPlaces]gpu.MBarrier]()[:], gpu.Shared[[partPlaces]gpu.MBarrier]()[:], a, b, &s,
		lines{cols: partCols, depth: depthBF16, parts: sumParts, manyA: manyA, manyB: manyB, partA: partA, partB: partB, waits: true},
		func(i int) (a, b []gpu.BFloat16) { return at[i].a[:], at[i].b[:] },
		multiplyParts,
		func(sum *gpu.C64x128[float32], batch, row, col int) {
			warpgroups.Pairs(sum, &s, row, col, func(row, col, count int, x, y float32) {
				i := batch*s.BatchC + row*s.RowC + col
				exponentsB := exponentsB[batch*manyB*s.N+col:]
				shift := tile.PartShift(exponentsA[batch*manyA*s.M+row])
				putShifted(x, shift+tile.PartShift(exponentsB[0]), special, c, i, alpha, beta)
				if count > 1 {
					putShifted(y, shift+tile.PartShift(exponentsB[1]), special, c, i+1, alpha, beta)
				}
			})
		})
}

// multiplyParts adds the products of parts whose numbers add up to at most 2, the smallest first:
// in each step along k from zero on, and then to the sum with a rounding to nearest.
func multiplyParts(sum *gpu.C64x128[float32], x, y []gpu.BFloat16, _ bool) {
	for step := range steps {
		var some gpu.C64x128[float32]
		gpu.WGMMAFence()
		multiplyPart(&some, x, y, step, 0, 2, false)
		multiplyPart(&some, x, y, step, 1, 1, true)
		multiplyPart(&some, x, y, step, 2, 0, true)
		multiplyPart(&some, x, y, step, 0, 1, true)
		multiplyPart(&some, x, y, step, 1, 0, true)
		multiplyPart(&some, x, y, step, 0, 0, true)
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		for i := range len(sum) {
			sum[i] += some[i]
		}
	}
}

// multiplyPart starts the product of a part of A and one of B.
func multiplyPart(some *gpu.C64x128[float32], x, y []gpu.BFloat16, step, p, q int, add bool) {
	gpu.WGMMA(some, stepOf(x[p*warpgroups.TileRows*depthBF16:], step, depthBF16), stepOf(y[q*partCols*depthBF16:], step, depthBF16), add)
}

// putShifted writes alpha*sum*2^-shift + beta*C to an element of C.
func putShifted(sum float32, shift int, special []uint32, c []float32, at int, alpha, beta float32) {
	if sum-sum != 0 {
		gpu.AtomicStore(&special[0], 1)
		return
	}
	if sum != 0 {
		sum = float32(gpu.Ldexp(float64(sum), -shift))
	}
	put(c, at, alpha*sum, beta)
}
