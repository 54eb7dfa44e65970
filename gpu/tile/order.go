package tile

// An Order is the order in which blocks take the tiles of the products of a batch. Each product has
// Rows rows and Cols columns of tiles. An order has bands of Band rows, and in a band the columns
// one after the other. So blocks that run at once share rows of A and columns of B, which they find
// in the cache.
type Order struct{ Rows, Cols, Count, Band int }

// Tiles is how many there are.
func (o Order) Tiles() int { return o.Rows * o.Cols * o.Count }

// At is the row and the column of tile i, 0 <= i < o.Tiles(), and its product in the batch.
func (o Order) At(i int) (row, col, batch int) {
	batch, i = i/(o.Rows*o.Cols), i%(o.Rows*o.Cols)
	first := i / (o.Band * o.Cols) * o.Band
	i -= first * o.Cols
	height := min(o.Band, o.Rows-first)
	return first + i%height, i / height, batch
}
