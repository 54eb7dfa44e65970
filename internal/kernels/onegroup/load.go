package onegroup

import (
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// A side is how a block has the copies made of its tile of a factor, which has so many rows of A or
// columns of B, and is so many elements deep. Where it lies across k, its lines have width elements,
// and panels of these follow each other. The blocks of a cluster that want the same tile have a part
// of its lines copied each, to all of them. It is known when a kernel is compiled.
type side struct {
	rows, depth, width int
	parts              int
}

// sideOf is a side whose lines are as long as rows or columns allow.
func sideOf[T any](rows, parts int) side {
	line := lineOf[T]()
	return side{rows: rows, depth: line, width: min(rows, line), parts: parts}
}

// lineOf is how many elements a line has.
func lineOf[T any]() int {
	var x T
	return tile.LineBytes / int(unsafe.Sizeof(x))
}

// lines is how many lines one copy has.
func (s side) lines(across bool) int {
	if !across {
		return s.rows / s.parts
	}
	return min(s.rows/s.width*s.depth/s.parts, s.depth)
}

// load starts a block's part of the copies of a tile, of its rows from one on, along k from k on, to
// the blocks with a bit in blocks, or to itself alone.
func load[L tile.Layout, T any](s side, to []T, m gpu.TensorMap[T], full *gpu.MBarrier, part int, blocks uint16, row, k, batch int) {
	var layout L
	across := layout.Transposed()
	lines, length := s.lines(across), s.depth
	all := s.rows / s.parts
	if across {
		length, all = s.width, s.rows/s.width*s.depth/s.parts
	}
	for i := range all / lines {
		first := part*all + i*lines
		x, y := k, row+first
		if across {
			x, y = row+first/s.depth*s.width, k+first%s.depth
		}
		if s.parts == 1 {
			gpu.CpAsyncBulkTensor(to[first*length:], m, full, x, y, batch)
		} else {
			gpu.CpAsyncBulkTensorMulticast(to[first*length:], m, full, blocks, x, y, batch)
		}
	}
}

// matrix is the part of a tile of 16-bit numbers from a step of 16 along k on.
func matrix[L tile.Layout, T tile.Half](s side, t []T, step int) gpu.Matrix[T] {
	var layout L
	switch {
	case !layout.Transposed():
		return gpu.MatrixOf(t[step*16:], 0, 8*tile.LineBytes, gpu.Swizzle128)
	case s.width == 32:
		return gpu.MatrixOf(t[step*16*32:], s.depth*64, 8*64, gpu.Swizzle64)
	}
	return gpu.MatrixOf(t[step*16*64:], s.depth*tile.LineBytes, 8*tile.LineBytes, gpu.Swizzle128)
}

// multiplyHalf starts the products of a tile of A, 64 rows, with one of B.
func multiplyHalf[A, B tile.Layout, C gpu.Sums64[float32], T tile.Half](sum *C, sideA, sideB side, x, y []T, add bool) {
	var a A
	var b B
	for step := range 4 {
		more := add || step > 0
		p, q := matrix[A](sideA, x, step), matrix[B](sideB, y, step)
		switch {
		case a.Transposed() && b.Transposed():
			gpu.WGMMA(sum, p, q, more, gpu.TransposeA, gpu.TransposeB)
		case a.Transposed():
			gpu.WGMMA(sum, p, q, more, gpu.TransposeA)
		case b.Transposed():
			gpu.WGMMA(sum, p, q, more, gpu.TransposeB)
		default:
			gpu.WGMMA(sum, p, q, more)
		}
	}
}
