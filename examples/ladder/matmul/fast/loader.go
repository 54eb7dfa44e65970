package fast

import "github.com/gridstride/gridstride/gpu"

// staged is the number of elements of A, and of B, that a thread brings for each pair of tiles.
const staged = Tile * tileDepth / Block

// loader brings one pair of tiles after the other from memory into registers, and from there into
// shared memory. A V has lanes elements, so a row of A's tile is tileDepth/lanes of them, and one
// of B's Tile/lanes. The block's threads are spread over them, row after row.
type loader[V any] struct {
	a, b         []V
	n, l         int
	atA, atB     [staged]int // the thread's places in the first pair, the first staged/lanes of them
	offA, offB   int         // from the first pair to the next
	tileA, tileB [staged]V   // loaded data
}

// begin is the loader for the tile of C at row0 and col0. Rows of A and columns of B after the last
// are read as the last: only elements of C that do not exist use them.
func begin[V any](a, b []V, m, n, l, row0, col0, lanes int) (t loader[V]) {
	t.a, t.b, t.n, t.l = a, b, n, l
	rowA, colA, stepA := spread(tileDepth / lanes)
	rowB, colB, stepB := spread(Tile / lanes)
	for j := range staged / lanes {
		t.atA[j] = min(row0+rowA+j*stepA, m-1)*(n/lanes) + colA
		t.atB[j] = (rowB+j*stepB)*(l/lanes) + min(col0/lanes+colB, l/lanes-1)
	}
	return t
}

// spread is the thread's place if the block's threads cover rows of cols columns, and the number of
// rows that they fill.
func spread(cols int) (row, col, rows int) {
	return gpu.ThreadIdx.X / cols, gpu.ThreadIdx.X % cols, Block / cols
}

// load brings the next pair of tiles, from column, or row, k on, into registers. Columns of A and
// rows of B after the last are zeros.
func (t *loader[V]) load(k, lanes int) {
	if k+tileDepth <= t.n {
		for j := range staged / lanes {
			t.tileA[j] = t.a[t.atA[j]+t.offA]
		}
		for j := range staged / lanes {
			t.tileB[j] = t.b[t.atB[j]+t.offB]
		}
	} else {
		t.loadLast(k, lanes)
	}
	t.offA += tileDepth / lanes
	t.offB += tileDepth * (t.l / lanes)
}

// loadLast is load for tiles that reach over the end of A and B.
func (t *loader[V]) loadLast(k, lanes int) {
	_, colA, _ := spread(tileDepth / lanes)
	rowB, _, stepB := spread(Tile / lanes)
	var zero V
	for j := range staged / lanes {
		t.tileA[j] = zero
		if k+colA*lanes < t.n {
			t.tileA[j] = t.a[t.atA[j]+t.offA]
		}
	}
	for j := range staged / lanes {
		t.tileB[j] = zero
		if k+rowB+j*stepB < t.n {
			t.tileB[j] = t.b[t.atB[j]+t.offB]
		}
	}
}

// store writes the pair of tiles that load has brought to shared memory.
func store[T gpu.Float, V any](t *loader[V], shared *tiles[T], buf, lanes int, lane func(v V, i int) T) {
	rowA, colA, stepA := spread(tileDepth / lanes)
	rowB, colB, stepB := spread(Tile / lanes)
	for j := range staged / lanes {
		for i := range lanes {
			shared.a[buf][colA*lanes+i][rowA+j*stepA] = lane(t.tileA[j], i)
		}
	}
	for j := range staged / lanes {
		for i := range lanes {
			shared.b[buf][rowB+j*stepB][colB*lanes+i] = lane(t.tileB[j], i)
		}
	}
}
