package sim

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has wmma.load and wmma.store. They access a matrix in memory whose rows or columns are
// a stride apart, and which the lanes of a warp share. Each lane accesses its own pieces.

// mostPiece is the most bytes that a lane accesses at once.
const mostPiece = 16

// lineAlign is the alignment in bytes of each row, or of each column of a matrix by columns. If a
// lane's part of a row is smaller, its size is the alignment. PTX asks for the latter (wmma.load).
// CUDA C++ asks for 32 bytes, but only for multiples of 16 between the rows, which rules out that a
// GPU needs more.
const lineAlign = 16

// fragmentOp is the access of a warp to a matrix.
type fragmentOp struct {
	tensor.Fragment
	kind   event.AccessKind
	byRows bool
	size   int         // bytes of an element
	align  uint64      // the alignment of the rows, or columns
	regs   []code.Slot // of a lane's elements
	// stride is the slot of the distance between rows, or columns, in elements.
	stride uint32
	pieces []piece
	at     inst // the address of the matrix
}

// piece is elements of a lane that are neighbours in memory.
type piece struct {
	first, n int
	line     inst
}

// fragment binds wmma.load and wmma.store.
func (b *binder) fragment(in *code.Inst) *fragmentOp {
	f := &fragmentOp{
		Fragment: lanes.FragmentOf(in), kind: event.Load, byRows: in.Has(code.ByRows),
		size: in.Type.Bytes(), regs: in.Dst, stride: in.Args[1].Off,
	}
	if in.Site.Does.Kind == ptx.Stores {
		f.kind, f.regs = event.Store, in.Args[2:]
	}
	f.align = min(uint64(len(f.regs)*f.regs[0].Bits/8), lineAlign)
	bind := func(size, n int) (to inst) {
		to = inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
		b.access(f.kind, in.Mem[0], size, n, &to)
		return to
	}
	f.at = bind(f.size, 1)
	for i := 0; i < f.Elements; {
		p := piece{first: i, n: f.run(i)}
		p.line = bind(f.size, p.n)
		p.line.mem.part = f.size * i
		f.pieces = append(f.pieces, p)
		i += p.n
	}
	return f
}

// run is the number of a lane's elements that are neighbours in memory, from element i on: one, two
// or four and so on, at an address that is a multiple of their size.
func (f *fragmentOp) run(i int) int {
	_, first := f.line(0, i)
	n := 1
	for n*f.size < mostPiece && i+2*n <= f.Elements && f.together(i, 2*n) && first%(2*n) == 0 {
		n *= 2
	}
	return n
}

// together reports whether the n elements from element i on are neighbours, for each lane.
func (f *fragmentOp) together(i, n int) bool {
	for lane := range abi.WarpSize {
		line, at := f.line(lane, i)
		for k := 1; k < n; k++ {
			if l, a := f.line(lane, i+k); l != line || a != at+k {
				return false
			}
		}
		if at%n != 0 {
			return false
		}
	}
	return true
}

// line is the row or the column of a lane's element, and its place there.
func (f *fragmentOp) line(lane, i int) (line, at int) {
	row, col := f.Place(lane, i)
	if f.byRows {
		return row, col
	}
	return col, row
}

// access performs it for w.Exec, and tells of it.
func (f *fragmentOp) access(w *warp) {
	var base, addrs [abi.WarpSize]uint64
	strides := *reg[uint32](w, f.stride)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		base[i] = w.address(f.at.mem, &f.at, i)
	}
	if !f.check(w, &base, &strides) {
		return
	}
	for k := range f.pieces {
		p := &f.pieces[k]
		for m := w.Exec; m != 0; m &= m - 1 {
			i := firstLane(m)
			line, at := f.line(i, p.first)
			addrs[i] = base[i] + uint64(f.size)*(uint64(line)*uint64(strides[i])+uint64(at))
		}
		f.accessPiece(w, p, &addrs)
	}
	if f.kind == event.Store {
		w.advance()
	}
}

// check says whether the lanes name one matrix, which is aligned. It raises a fault
// where not.
func (f *fragmentOp) check(w *warp, base *[abi.WarpSize]uint64, strides *[abi.WarpSize]uint32) bool {
	first := firstLane(w.Exec)
	for m := w.Exec; m != 0; m &= m - 1 {
		switch i := firstLane(m); {
		case base[i] != base[first] || strides[i] != strides[first]:
			w.wk.raise(w.fault(&f.at, i, event.BadMatrix, fmt.Sprintf(
				"lane %d names the matrix at %#x with a stride of %d, and lane %d that at %#x with one of %d: the lanes of a warp name one",
				i, base[i], strides[i], first, base[first], strides[first])))
			return false
		case base[i]%f.align != 0 || uint64(strides[i])*uint64(f.size)%f.align != 0:
			w.wk.raise(w.fault(&f.at, i, event.Misaligned, fmt.Sprintf(
				"the lines of this matrix must be at multiples of %d bytes, and here they are from %#x on every %d bytes",
				f.align, base[i], uint64(strides[i])*uint64(f.size))))
			return false
		}
	}
	return true
}

// accessPiece does so for a piece of each lane.
func (f *fragmentOp) accessPiece(w *warp, p *piece, addrs *[abi.WarpSize]uint64) {
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		if f.kind == event.Store && w.wk.obs != nil {
			copyBytes(&w.wk.events.before[i], w.peek(&p.line, i, addrs[i]), uint64(p.n*f.size))
		}
		mem := unsafe.Slice((*byte)(w.pointer(&p.line, i, addrs[i])), p.n*f.size)
		for k := range p.n {
			element := mem[k*f.size:][:f.size]
			if f.kind == event.Load {
				for at := p.first + k; at < f.Copies*f.Elements; at += f.Elements {
					lanes.SetElement(&w.Warp, f.regs, i, at, 8*f.size, littleEndian(element))
				}
				continue
			}
			x := lanes.Element(&w.Warp, f.regs, i, p.first+k, 8*f.size)
			for at := range element {
				element[at] = byte(x >> (8 * at))
			}
		}
	}
	if w.wk.obs != nil {
		w.tellAccess(&p.line, addrs, w.Exec, nil, nil)
	}
}

func littleEndian(b []byte) (x uint64) {
	for i, v := range b {
		x |= uint64(v) << (8 * i)
	}
	return x
}
