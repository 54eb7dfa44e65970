package tile

import "github.com/gridstride/gridstride/gpu"

// Load starts the copies of a tile of a factor. The tile is there when the phase of full is over.
// It has rows of A, or columns of B, from row on, and [Depth] elements along k from k on, of one
// product of a batch. Elements outside of the factor are zeros, and count as bytes all the same.
//
// The dimensions of the map are the adjacent elements, the lines, and the products.
// [Box] gives its boxes. The tile goes to all blocks of the cluster with bit 1<<rank of
// blocks.
func Load[L Layout, T Half](tile []T, m gpu.TensorMap[T], full *gpu.MBarrier, blocks uint16, row, k, batch int) {
	var layout L
	if !layout.Transposed() {
		gpu.CpAsyncBulkTensorMulticast(tile, m, full, blocks, k, row, batch)
		return
	}
	for panel := range len(tile) / (Depth * Depth) {
		gpu.CpAsyncBulkTensorMulticast(tile[panel*Depth*Depth:], m, full, blocks, row+panel*Depth, k, batch)
	}
}

// Box is the box of the map of a factor, for tiles with that number of rows of A or columns of B.
func Box[L Layout](rows int) []int {
	var layout L
	if layout.Transposed() {
		return []int{Depth, Depth, 1}
	}
	return []int{Depth, rows, 1}
}
