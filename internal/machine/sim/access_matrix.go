package sim

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has ldmatrix and stmatrix. They access matrices of eight lines, each of 16 bytes at the
// address of one lane: lanes 0 to 7 for the first matrix, 8 to 15 for the second. Each lane has a
// pair of elements of 16 bits of each matrix. The pair is next to each other in a line, or with
// .trans one below the other.

// matrixOp is the access that each of some lanes makes to a line.
type matrixOp struct {
	line  inst
	kind  event.AccessKind
	regs  []uint32 // slots, one for each matrix
	trans bool
}

func (b *binder) matrix(in *code.Inst) *matrixOp {
	m := &matrixOp{kind: event.Load, trans: in.Has(code.Transposed), line: inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}}
	regs := in.Dst
	if in.Site.Does.Kind == ptx.Stores {
		m.kind, regs = event.Store, in.Args[1:]
	}
	for _, r := range regs {
		m.regs = append(m.regs, r.Off)
	}
	b.access(m.kind, in.Mem[0], matrixLine, 1, &m.line)
	return m
}

// access performs the operation for w.Exec, and tells of it.
func (m *matrixOp) access(w *warp) {
	all := w.Exec
	w.Exec &= 1<<(8*len(m.regs)) - 1
	op := m.line.mem
	addrs := *w.saveAddresses(op, &m.line)
	var lines [abi.WarpSize]*[matrixLine / 2]uint16
	for n := w.Exec; n != 0; n &= n - 1 {
		i := firstLane(n)
		lines[i] = (*[matrixLine / 2]uint16)(w.pointer(&m.line, i, addrs[i]))
	}
	mask := w.Exec
	w.Exec = all
	if m.kind == event.Load {
		m.load(w, &lines)
	} else {
		w.noteLines(mask, &lines)
		m.store(w, &lines)
		w.advance()
	}
	if w.wk.obs != nil {
		w.tellAccess(&m.line, &addrs, mask, nil, nil)
	}
}

// noteLines notes what was there before a store, for an observer.
func (w *warp) noteLines(mask uint32, lines *[abi.WarpSize]*[matrixLine / 2]uint16) {
	if w.wk.obs == nil {
		return
	}
	for n := mask; n != 0; n &= n - 1 {
		i := firstLane(n)
		for k, x := range lines[i] {
			w.wk.events.before[i][2*k], w.wk.events.before[i][2*k+1] = byte(x), byte(x>>8)
		}
	}
}

// element is the place of the first or second element of a lane's pair of a matrix: the lane with
// its line, and the place in the line.
func (m *matrixOp) element(matrix, lane, part int) (line, at int) {
	if m.trans {
		return 8*matrix + 2*(lane%4) + part, lane / 4
	}
	return 8*matrix + lane/4, 2*(lane%4) + part
}

func (m *matrixOp) load(w *warp, lines *[abi.WarpSize]*[matrixLine / 2]uint16) {
	for matrix, r := range m.regs {
		d := reg[uint32](w, r)
		for n := w.Exec; n != 0; n &= n - 1 {
			i := firstLane(n)
			var pair uint32
			for part := range 2 {
				if line, at := m.element(matrix, i, part); lines[line] != nil {
					pair |= uint32(lines[line][at]) << (16 * part)
				}
			}
			d[i] = pair
		}
	}
}

func (m *matrixOp) store(w *warp, lines *[abi.WarpSize]*[matrixLine / 2]uint16) {
	for matrix, r := range m.regs {
		d := reg[uint32](w, r)
		for n := w.Exec; n != 0; n &= n - 1 {
			i := firstLane(n)
			for part := range 2 {
				if line, at := m.element(matrix, i, part); lines[line] != nil {
					lines[line][at] = uint16(d[i] >> (16 * part))
				}
			}
		}
	}
}
