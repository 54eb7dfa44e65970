package tile

import (
	"fmt"

	"github.com/gridstride/gridstride/gpu"
)

// groupRows is how many rows of tiles are computed together.
const groupRows = 16

// Tiles is the number of tiles of a matrix.
func (t Size) Tiles(rows, cols int) int { return ((rows-1)/t.Rows + 1) * ((cols-1)/t.Cols + 1) }

// Grid is the number of tiles of a C. Each has a block.
//
// Errors: more tiles than a grid has blocks at most.
func (t Size) Grid(rows, cols, most int) (int, error) {
	tiles := t.Tiles(rows, cols)
	if tiles > most {
		return 0, fmt.Errorf("c is %d x %d, which is %d tiles of %d x %d; want %d at most, the blocks of a grid", rows, cols, tiles, t.Rows, t.Cols, most)
	}
	return tiles, nil
}

// Corner is the first row and column of the block's tile of a matrix.
//
// Blocks that run at the same time take tiles of a group of rows, column after column, so that what
// they read of A and B is still in the second-level cache.
func (t Size) Corner(rows, cols int) (row, col int) {
	down, across := uint32((rows+t.Rows-1)/t.Rows), uint32((cols+t.Cols-1)/t.Cols) // a division of 64 bits is long
	if down <= groupRows {
		return int(uint32(gpu.BlockIdx.X)%down) * t.Rows, int(uint32(gpu.BlockIdx.X)/down) * t.Cols
	}
	group, in := uint32(gpu.BlockIdx.X)/(groupRows*across), uint32(gpu.BlockIdx.X)%(groupRows*across)
	height := min(down-group*groupRows, groupRows)
	return int(group*groupRows+in%height) * t.Rows, int(in/height) * t.Cols
}
