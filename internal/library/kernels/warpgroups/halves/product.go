package halves

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// product is C = alpha*A*B + beta*C for each of a batch. If boxes is set, beta is 0 and C goes by
// boxes of its map.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func product[T tile.Half, A, B tile.Layout](
	a, b gpu.TensorMap[T], to gpu.TensorMap[float32], c []float32, boxes bool, s warpgroups.Shape, manyA, manyB int, alpha, beta float32,
) {
	stage := gpu.Shared[warpgroups.Stage[float32]]()
	warpgroups.Halves[T, A, B](a, b, &s, manyA, manyB, func(sum *gpu.C64x256[float32], batch, row, col int) {
		warpgroups.Store(sum, stage, to, boxes, &s, batch, row, col,
			func(sum float32) float32 { return alpha * sum },
			func(at int, x float32) {
				if beta != 0 {
					x = gpu.FMA(beta, c[at], x)
				}
				c[at] = x
			})
	})
	gpu.CpAsyncBulkWaitGroupRead(0)
}
