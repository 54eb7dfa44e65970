package tile

import "github.com/gridstride/gridstride/gpu"

// Load starts the copies of a tile of a factor, which is there when the phase of full is over: of
// its rows of A, or columns of B, from one on, and [Depth] along k from k on, of a product of a
// batch. What lies outside of the factor is zeros, and counts as bytes all the same.
//
// The dimensions of the map are the elements that lie side by side, the lines, and the products.
// Its boxes are what [Box] says. The tile goes to all blocks of the cluster with bit 1<<rank of
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

// Box is the box of the map of a factor, of which a tile has so many rows of A or columns of B.
func Box[L Layout](rows int) []int {
	var layout L
	if layout.Transposed() {
		return []int{Depth, Depth, 1}
	}
	return []int{Depth, rows, 1}
}
