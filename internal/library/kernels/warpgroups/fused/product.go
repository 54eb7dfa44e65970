package fused

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/epilogue"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

//go:generate go tool gridstride build

// product is C = e(alpha*A*B + beta*C). C goes by boxes of its map if boxes is
// set.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func product[T tile.Half, A, B tile.Layout](
	a, b gpu.TensorMap[T], to gpu.TensorMap[float32], c []float32, boxes bool, s warpgroups.Shape, alpha, beta float32, e epilogue.End,
) {
	stage := gpu.Shared[warpgroups.Stage[float32]]()
	warpgroups.Halves[T, A, B](a, b, &s, 0, 0, func(sum *gpu.C64x256[float32], batch, row, col int) {
		warpgroups.StoreColumns(sum, stage, to, boxes, &s, batch, row, col,
			func(sum float32) float32 { return alpha * sum },
			func(col int) func(at *warpgroups.Some[int], x *warpgroups.Some[float32]) {
				bias, some := e.Column(col)
				return func(at *warpgroups.Some[int], x *warpgroups.Some[float32]) {
					if beta != 0 {
						for i := range x {
							x[i] = gpu.FMA(beta, c[at[i]], x[i])
						}
					}
					e.Each(x[:], bias, some)
				}
			},
			func(at int, x float32) { c[at] = x })
	})
	gpu.CpAsyncBulkWaitGroupRead(0)
}
