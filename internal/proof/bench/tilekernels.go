package bench

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// The kernels of this file run a function of gpu/collective on each tile of a vector, a block for
// each, and leave tileBins words of its result for the tile.
const (
	tileSize = 1024
	tileBins = 256
	tileTopK = 16
)

// tileOf is the block's tile.
func tileOf[T gpu.Number](x []T) []T {
	return x[gpu.BlockIdx.X*tileSize : min((gpu.BlockIdx.X+1)*tileSize, len(x))]
}

// sortTiles sorts each tile into out.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func sortTiles[T gpu.Number](x, out []T) {
	keys, scratch := gpu.Shared[[tileSize]T](), gpu.Shared[[tileSize]T]()
	in := tileOf(x)
	for i := gpu.ThreadIdx.X; i < len(in); i += gpu.BlockDim.X {
		keys[i] = in[i]
	}
	collective.BlockSort(keys[:len(in)], scratch[:])
	sorted := tileOf(out)
	for i := gpu.ThreadIdx.X; i < len(sorted); i += gpu.BlockDim.X {
		sorted[i] = keys[i]
	}
}

// sortPairs sorts each tile into out, and carries each key's index along.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func sortPairs[T gpu.Number](x, out []T) {
	keys, scratch := gpu.Shared[[tileSize]T](), gpu.Shared[[tileSize]T]()
	at, atScratch := gpu.Shared[[tileSize]int32](), gpu.Shared[[tileSize]int32]()
	in := tileOf(x)
	for i := gpu.ThreadIdx.X; i < len(in); i += gpu.BlockDim.X {
		keys[i], at[i] = in[i], int32(i)
	}
	collective.BlockSortByKey(keys[:len(in)], at[:len(in)], scratch[:], atScratch[:])
	sorted := tileOf(out)
	for i := gpu.ThreadIdx.X; i < len(sorted); i += gpu.BlockDim.X {
		sorted[i] = in[at[i]]
	}
}

// topOfTiles writes the tileTopK largest of each tile to the tile's first elements of out.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func topOfTiles[T gpu.Number](x, out []T) {
	largest, at := gpu.Shared[[tileTopK]T](), gpu.Shared[[tileTopK]int32]()
	n := collective.BlockTopK(tileOf(x), tileTopK, largest[:], at[:])
	if i := gpu.ThreadIdx.X; i < n {
		tileOf(out)[i] = largest[i]
	}
}

// histogramTiles counts how many of each tile are in each of tileBins bins, and histogramMatched
// does it with matches.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func histogramTiles[T gpu.Number](x []T, bins []uint32) {
	counts := gpu.Shared[[tileBins]uint32]()
	in := tileOf(x)
	collective.BlockHistogram(counts[:], len(in), func(i int) int { return binOf(in[i]) })
	bins[gpu.BlockIdx.X*tileBins+gpu.ThreadIdx.X] = counts[gpu.ThreadIdx.X]
}

//gpu:kernel block=256 T=float32,float64,int32,int64
func histogramMatched[T gpu.Number](x []T, bins []uint32) {
	counts := gpu.Shared[[tileBins]uint32]()
	in := tileOf(x)
	collective.BlockHistogramMatched(counts[:], len(in), func(i int) int { return binOf(in[i]) })
	bins[gpu.BlockIdx.X*tileBins+gpu.ThreadIdx.X] = counts[gpu.ThreadIdx.X]
}

// binOf is an element's bin: the bin of its integer part and its first binary digits together.
func binOf[T gpu.Number](x T) int { return int(int64(x*16) & (tileBins - 1)) }

// runsOfTiles writes the number of runs in each tile to the first of the tile's bins.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func runsOfTiles[T gpu.Number](x []T, bins []uint32) {
	starts := gpu.Shared[[tileSize + 1]int32]()
	n := collective.BlockRunLength(tileOf(x), starts[:])
	if gpu.ThreadIdx.X == 0 {
		bins[gpu.BlockIdx.X*tileBins] = uint32(n)
	}
}
