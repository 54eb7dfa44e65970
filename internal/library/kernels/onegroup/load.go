package onegroup

import (
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// A Side says how a block has the copies of its tile of a factor made. The tile has rows of A
// or columns of B, and is Depth elements deep. A tile across k has lines of Width elements, in
// panels, one after the other. The blocks of a cluster that need the same tile have a part of its
// lines copied each, to all of them. It is constant when a kernel is compiled.
type Side struct {
	Depth, Width int
	rows, parts  int
}

// SideOf is a side whose lines are as long as rows or columns allow.
func SideOf[T any](rows, parts int) Side {
	line := lineOf[T]()
	return Side{Depth: line, Width: min(rows, line), rows: rows, parts: parts}
}

// lineOf is how many elements a line has.
func lineOf[T any]() int {
	var x T
	return tile.LineBytes / int(unsafe.Sizeof(x))
}

// lines is how many lines one copy has.
func (s Side) lines(across bool) int {
	if !across {
		return s.rows / s.parts
	}
	return min(s.rows/s.Width*s.Depth/s.parts, s.Depth)
}

// Load starts a block's part of the copies of a tile, of its rows from one on, along k from k on,
// to the blocks with a bit in blocks, or to itself alone.
func Load[L tile.Layout, T any](s Side, to []T, m gpu.TensorMap[T], full *gpu.MBarrier, part int, blocks uint16, row, k, batch int) {
	var layout L
	across := layout.Transposed()
	lines, length := s.lines(across), s.Depth
	all := s.rows / s.parts
	if across {
		length, all = s.Width, s.rows/s.Width*s.Depth/s.parts
	}
	for i := range all / lines {
		first := part*all + i*lines
		x, y := k, row+first
		if across {
			x, y = row+first/s.Depth*s.Width, k+first%s.Depth
		}
		if s.parts == 1 {
			gpu.CpAsyncBulkTensor(to[first*length:], m, full, x, y, batch)
		} else {
			gpu.CpAsyncBulkTensorMulticast(to[first*length:], m, full, blocks, x, y, batch)
		}
	}
}

// Depth32 is how many elements of 32 bits a line has, and Depth8 how many of 8.
const (
	Depth32 = tile.LineBytes / 4
	Depth8  = tile.LineBytes
)

// AlongK is a tile with lines along k, from a step of 32 bytes on.
func AlongK[T any](t []T, step int) gpu.Matrix[T] {
	const steps = 4
	return gpu.MatrixOf(t[step*lineOf[T]()/steps:], 0, 8*tile.LineBytes, gpu.Swizzle128)
}
