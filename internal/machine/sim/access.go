package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// memOp is how an instruction accesses memory.
type memOp struct {
	kind    event.AccessKind
	space   ptx.Space // of the instruction; generic when it names none
	cluster bool      // it names the shared memory of all blocks of the cluster
	size    uint64    // bytes of an access, all elements of a vector
	align   uint64    // the alignment of the address, if that is more than size; else 0
	addr32  bool      // the address register is 32 bits wide
	order   event.MemOrder
	scope   event.Scope
	regs    []uint32            // a vector's registers; 0 for a result that is thrown away
	elem    uint64              // bytes of a vector's element
	extend  func(uint64) uint64 // of an ordered load: what the register gets
	wide    bool                // the registers of an ordered access are 64 bits
	atom    *atomOp             // of an atomic
	lined   bool                // a weak access of one register, whose lanes look in memory as in the register
	parity  bool                // of a test of an mbarrier: by parity, not by token
	part    int                 // see Access.Part
	reduces bool                // see Access.Reduces
	texel   *event.Texel        // see Access.Texel
}

// The first entries of worker.segs. After them every access to global memory has an entry for the
// segment that it met last.
const (
	segShared = iota // the current block's shared memory, at its shared addresses
	segWindow        // the same, at its generic addresses
	segParam         // the launch's parameters
	segCache
)

// element is the type of one lane's value in memory.
type element interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64
}

// The loops below call nothing, which would cost them half their speed: a lane whose address the
// segment does not hold ends the loop, and the rest of the lanes takes the slow way. Rotating an
// offset right by the size's logarithm makes a misaligned one larger than any element's number, so
// that one comparison checks bounds and alignment.

// pointer returns the memory of one lane's access, checked. It does not return when the access is a
// fault, unless the launch keeps going: then it returns memory to waste.
func (w *warp) pointer(in *inst, lane int, addr uint64) unsafe.Pointer {
	return w.pointerTo(in, lane, addr, in.mem.size)
}

// pointerTo is pointer for an access that uses only the first size bytes.
func (w *warp) pointerTo(in *inst, lane int, addr, size uint64) unsafe.Pointer {
	op := in.mem
	seg := w.wk.segs[in.seg]
	if off := addr - seg.Base; off < seg.Size && seg.Size-off >= size && off&(op.size-1) == 0 && op.align == 0 {
		return unsafe.Add(seg.P, off)
	}
	local := w.localSegment(lane)
	s := w.find(op, addr, local)
	if s != nil {
		off := addr - s.Base
		if off < s.Size && s.Size-off >= size && off&(max(op.size, op.align)-1) == 0 && (op.kind == event.Load || !s.ReadOnly) {
			if in.seg >= segCache && s != local {
				w.wk.remember(in.seg, s)
			}
			return unsafe.Add(s.P, off)
		}
	}
	w.badAccess(in, lane, addr, s)
	return w.wk.wasted()
}

// nextRow notes that an access reads a row for 32 lanes, and predicts which row it reads next: a
// warp in a loop goes on by the same distance.
func (wk *worker) nextRow(seg uint32, row uintptr) (next uintptr) {
	last := &wk.rows[seg]
	next = 2*row - *last
	*last = row
	return next
}

// remember makes an instruction look into s first from now on; a block's shared memory only as long
// as that block runs.
func (wk *worker) remember(seg uint32, s *memory.Segment) {
	wk.segs[seg] = s
	if memory.WindowOf(s.Base) == ptx.SharedSpace {
		wk.borrowed = append(wk.borrowed, seg)
	}
}

// forget makes the accesses that remember a segment look again.
func (wk *worker) forget(s *memory.Segment) {
	for i, old := range wk.segs {
		if i >= segCache && old == s {
			wk.segs[i] = &memory.Segment{}
		}
	}
}

// find returns the segment that an address of a space points into; nil for none.
func (w *warp) find(op *memOp, addr uint64, local *memory.Segment) *memory.Segment {
	switch op.space {
	case ptx.SharedSpace:
		if memory.IsPeer(addr) && len(w.cta.cluster.ctas) > 1 {
			return w.peer(op, addr, 0)
		}
		return w.wk.segs[segShared]
	case ptx.LocalSpace:
		local.Base = memory.LocalBase
		return local
	case ptx.GlobalSpace, ptx.ConstSpace:
		return w.wk.m.Find(addr)
	}
	switch memory.WindowOf(addr) { // generic; parameters have generic addresses
	case ptx.SharedSpace:
		if memory.IsPeer(addr) && len(w.cta.cluster.ctas) > 1 {
			return w.peer(op, addr, 1)
		}
		return w.wk.segs[segWindow]
	case ptx.LocalSpace:
		return local
	case ptx.ParamSpace:
		return w.wk.segs[segParam]
	}
	return w.wk.m.Find(addr)
}

// localSegment is a lane's local memory at its generic addresses, up to the end of the running
// frame.
func (w *warp) localSegment(lane int) *memory.Segment {
	s := &w.wk.local
	s.Base, s.Size = memory.LocalWindow+memory.LocalBase, uint64(w.fr.stack+w.fr.fn.frame.size)
	s.P = w.local.lane(lane)
	return s
}

// loadLocal and storeLocal access the threads' local memory.

// matrixLine is how many bytes a line has.
const matrixLine = 16

// address is a lane's address of an access.
func (w *warp) address(op *memOp, in *inst, lane int) uint64 {
	if op.addr32 {
		return uint64(reg[uint32](w, in.A)[lane&31] + uint32(in.Imm))
	}
	return reg[uint64](w, in.A)[lane&31] + in.Imm
}
