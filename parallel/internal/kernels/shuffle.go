package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/order"
)

// Shuffle sets dst[i] to the element of src where i is in a permutation.
//
//gpu:kernel open block=256
func Shuffle[T any](dst, src []T, p order.Permutation) {
	for i := range gpu.GridStride(len(src)) {
		dst[i] = src[p.Of(i)]
	}
}
