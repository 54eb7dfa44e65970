package largest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// Strip is some elements of each row, which begin Stride apart: Cols of them, with columns from
// First on. Where At has elements, it has the columns, as Values the elements.
type Strip struct {
	Values              []float32
	At                  []int32
	Cols, Stride, First int
}

// column is the column of element i of Values, which is the c-th of its row.
func (s *Strip) column(i, c int) int32 {
	if len(s.At) > 0 {
		return s.At[i]
	}
	return int32(s.First + c)
}

// Chosen is the K largest elements of each row so far, and their columns: -1 if there are fewer.
type Chosen struct {
	Values  []float32
	Columns []int32
	K       int
}

// pick chooses among what was chosen before, unless this is the first strip, and a strip.
//
// Launch with one block for each row.
//
//gpu:kernel block=256
func pick(s Strip, c Chosen, first bool) {
	list := gpu.Shared[collective.TopK[float32]]()
	state := gpu.Shared[collective.TopKState[float32]]()
	row := gpu.BlockIdx.X
	if gpu.ThreadIdx.X == 0 {
		*state = collective.NoLimit[float32]()
	}
	gpu.SyncThreads()
	if !first {
		for j := gpu.ThreadIdx.X; j < c.K; j += gpu.BlockDim.X {
			if col := c.Columns[row*c.K+j]; col >= 0 {
				list.Offer(state, c.Values[row*c.K+j], col) // the list has room for them
			}
		}
		gpu.SyncThreads()
		list.Cut(state, c.K)
	}
	i := gpu.ThreadIdx.X
	for again := true; again; {
		for ; i < s.Cols; i += gpu.BlockDim.X {
			at := row*s.Stride + i
			x, col := s.Values[at], s.column(at, i)
			if state.Passes(x, col) && !list.Offer(state, x, col) {
				break // there is no room: once the list was cut
			}
		}
		gpu.SyncThreads()
		again = state.Count > collective.TopKRoom
		list.Cut(state, c.K)
	}
	for j := gpu.ThreadIdx.X; j < c.K; j += gpu.BlockDim.X {
		at := row*c.K + j
		if j < int(state.Count) {
			c.Values[at], c.Columns[at] = list.Values[j], list.Indices[j]
		} else {
			c.Values[at], c.Columns[at] = 0, -1
		}
	}
}
