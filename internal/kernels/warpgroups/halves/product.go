package halves

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups"
)

// product is C = alpha*A*B + beta*C for each of a batch.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func product[T tile.Half, A, B tile.Layout](
	a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x4, s warpgroups.Shape, manyA, manyB int, alpha, beta float32,
) {
	warpgroups.Halves[T, A, B](a, b, &s, manyA, manyB, func(sum *gpu.C64x256[float32], batch, row, col int) {
		store(sum, c, cv, &s, batch, row, col, alpha, beta)
	})
}
