package level3

import "github.com/gridstride/gridstride/internal/library/kernels/tile"

// The tilings of the kernels. With largeTile, a thread takes 24 words from shared memory for 128
// multiply-adds: it is the scheme of V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense
// linear algebra" (SC 2008), with the order of the threads in a warp of NVIDIA's CUTLASS. The
// others share k among warps, as the "sliced" kernels there do.
func largeTile() tile.Tiling {
	return tile.Tiling{Threads: 128, Size: tile.Size{Rows: 128, Cols: 128}, ThreadRows: 16, WarpCols: 2, Slices: 1, Depth: 8, Vector: 4}
}

func halfTile() tile.Tiling {
	return tile.Tiling{Threads: 256, Size: tile.Size{Rows: 64, Cols: 128}, ThreadRows: 16, WarpCols: 2, Slices: 4, Depth: 4, Vector: 4}
}

func mediumTile() tile.Tiling {
	return tile.Tiling{Threads: 128, Size: tile.Size{Rows: 64, Cols: 64}, ThreadRows: 8, WarpCols: 1, Slices: 2, Depth: 8, Vector: 4}
}

func smallTile() tile.Tiling {
	return tile.Tiling{Threads: 128, Size: tile.Size{Rows: 32, Cols: 64}, ThreadRows: 8, WarpCols: 1, Slices: 4, Depth: 8, Vector: 4}
}

func tinyTile() tile.Tiling {
	return tile.Tiling{Threads: 128, Size: tile.Size{Rows: 16, Cols: 64}, ThreadRows: 4, WarpCols: 1, Slices: 4, Depth: 8, Vector: 4}
}

func anyTile() tile.Tiling {
	return tile.Tiling{Threads: 256, Size: tile.Size{Rows: 128, Cols: 128}, ThreadRows: 8, WarpCols: 2, Slices: 1, Depth: 8, Vector: 4}
}

func tile64() tile.Tiling {
	return tile.Tiling{Threads: 256, Size: tile.Size{Rows: 128, Cols: 128}, ThreadRows: 8, WarpCols: 2, Slices: 1, Depth: 8, Vector: 2}
}

const (
	words32 = 2 * 32 * (32 + 64 + 2*tile.Pad) // of shared memory: two stages of A and of B
	words64 = 2 * 8 * (128 + 128 + 2*tile.Pad)
)

// place is the position of the thread. There is none where the triangle has nothing of the tile.
func place(s Shape, t tile.Tiling) (p tile.Position, ok bool) {
	row, col, ok := corner(s, t.Size)
	if !ok {
		return p, false
	}
	return t.At(row, col), true
}

// corner is the first row and column of the block's tile. There is none where the triangle has
// nothing of the tile.
func corner(s Shape, t tile.Size) (row, col int, ok bool) {
	row, col = t.Corner(s.M, s.N)
	outside := s.Triangle == Upper && col+t.Cols <= row || s.Triangle == Lower && row+t.Rows <= col
	return row, col, !outside
}
