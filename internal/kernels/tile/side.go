package tile

import "github.com/gridstride/gridstride/gpu"

// staged is the number of elements of A, and of B, that a thread brings for each pair of tiles.
const staged = Size * depth / Block

// Side brings one tile of A or of B after the other from memory into registers, and from there into
// shared memory, where a tile lies with its depth first. A V has lanes elements. In memory,
// elements lie side by side along k if deep, and otherwise along the rows of A or the columns of B.
type Side[V any] struct {
	data []V
	at   [staged]int // the thread's places in the first tile, the first staged/lanes of them
	off  int         // from the first tile to the next
	next int         // how much that grows
	held [staged]V   // what it has brought
}

// Begin is the Side for the tile that starts at first, of size rows of A or columns of B. Those
// behind the last are read as the last: they are used for elements of C that do not exist. stride
// is the number of V from a row in memory to the next.
func Begin[V any](data []V, first, size, stride, lanes int, deep bool) (s Side[V]) {
	s.data = data
	if deep {
		row, col, step := spread(depth / lanes)
		for j := range staged / lanes {
			s.at[j] = min(first+row+j*step, size-1)*stride + col
		}
		s.next = depth / lanes
		return s
	}
	row, col, step := spread(Size / lanes)
	for j := range staged / lanes {
		s.at[j] = (row+j*step)*stride + min(first/lanes+col, (size-1)/lanes)
	}
	s.next = depth * stride
	return s
}

// spread is where the thread is if the block's lie on rows of so many columns, and how many rows
// they fill.
func spread(cols int) (row, col, rows int) {
	return gpu.ThreadIdx.X / cols, gpu.ThreadIdx.X % cols, Block / cols
}

// load brings the next tile into registers, the one that starts at k of n. What lies behind n is
// zeros.
func (s *Side[V]) load(k, n, lanes int, deep bool) {
	if k+depth <= n {
		for j := range staged / lanes {
			s.held[j] = s.data[s.at[j]+s.off]
		}
	} else {
		var zero V
		for j := range staged / lanes {
			s.held[j] = zero
			if k+s.deepest(j, lanes, deep) < n {
				s.held[j] = s.data[s.at[j]+s.off]
			}
		}
	}
	s.off += s.next
}

// deepest is how far into the tile the thread's j-th V begins.
func (s *Side[V]) deepest(j, lanes int, deep bool) int {
	if deep {
		_, col, _ := spread(depth / lanes)
		return col * lanes
	}
	row, _, step := spread(Size / lanes)
	return row + j*step
}

// store writes the tile that load has brought to shared memory.
func store[T gpu.Float, V any](s *Side[V], to *[depth][padded]T, lanes int, deep bool, lane func(v V, i int) T) {
	if deep {
		row, col, step := spread(depth / lanes)
		for j := range staged / lanes {
			for i := range lanes {
				to[col*lanes+i][row+j*step] = lane(s.held[j], i)
			}
		}
		return
	}
	row, col, step := spread(Size / lanes)
	for j := range staged / lanes {
		for i := range lanes {
			to[row+j*step][col*lanes+i] = lane(s.held[j], i)
		}
	}
}
