package sim

import (
	"encoding/binary"
	"fmt"
	"iter"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has copies of boxes of tensors, cp.async.bulk.tensor: the addresses of a box in global
// memory and, swizzled, in shared memory.

// tensorOp is a copy of a box. The first of args is the address of the tensor map, and
// the coordinates follow, and the blocks of a multicast.
type tensorOp struct {
	bulkOp
	dims int
}

func (b *binder) tensorOp(in *code.Inst) *tensorOp {
	op := &tensorOp{bulkOp: bulkOpOf(in), dims: in.Dims}
	global := code.Address{Space: ptx.GlobalSpace, Base: in.Args[0], Memo: -1}
	kinds := [2]event.AccessKind{event.Load, event.Store}
	if op.load {
		kinds = [2]event.AccessKind{event.Store, event.Load}
		op.signal = b.part(event.AtomicRMW, in.Mem[1], 8)
	}
	if len(in.Mem) > 0 {
		op.shared = b.part(kinds[0], in.Mem[0], bulkUnit)
	}
	op.other = b.part(kinds[1], global, 1)
	if op.reduce != "" {
		reduces(&op.other)
	}
	return op
}

// tensorPrefetch binds a prefetch, which fetches nothing here, but whose map must be one.
func (b *binder) tensorPrefetch(in *code.Inst) exec {
	op := b.tensorOp(in)
	return func(w *warp, in *inst) {
		for m := w.Exec; m != 0; m &= m - 1 {
			w.tensorMap(in, op, firstLane(m))
		}
	}
}

func (b *binder) tensorCopy(in *code.Inst) exec {
	op := b.tensorOp(in)
	return eachLane(func(w *warp, in *inst, lane int) { w.copyBox(in, op, lane) })
}

// tensorMap is the map of a lane. It raises a fault and returns nil if there is none.
func (w *warp) tensorMap(in *inst, op *tensorOp, lane int) *abi.TensorMap {
	addr := reg[uint64](w, op.args[0].Off)[lane]
	bad := func(format string, args ...any) *abi.TensorMap {
		w.wk.raise(w.fault(in, lane, event.BadTensorMap, fmt.Sprintf(format, args...)))
		return nil
	}
	s := w.find(&memOp{kind: event.Load, size: abi.TensorMapSize}, addr, w.localSegment(lane))
	if s == nil || addr-s.Base > s.Size || s.Size-(addr-s.Base) < abi.TensorMapSize {
		return bad("there is no tensor map at %#x", addr)
	}
	at := addr - s.Base
	m, ok := abi.DecodeTensorMap(s.Mem[at : at+abi.TensorMapSize])
	switch {
	case addr%abi.TensorMapAlign != 0:
		return bad("the tensor map is at %#x, no multiple of %d", addr, abi.TensorMapAlign)
	case !ok:
		return bad("the memory at %#x is no tensor map", addr)
	case m.Check() != "":
		return bad("%s", m.Check())
	case len(m.Dims) != op.dims:
		return bad("the tensor map has %d dimensions, and the copy %d", len(m.Dims), op.dims)
	}
	return &m
}

// tensorMemory is the memory of a map's tensor. It raises a fault and returns nil if there is none.
func (w *warp) tensorMemory(in *inst, op *tensorOp, lane int, m *abi.TensorMap) *memory.Segment {
	s := w.wk.m.Find(m.Address)
	if s != nil && s.Size-(m.Address-s.Base) >= m.Span() && (op.load || !s.ReadOnly) {
		return s
	}
	addr := m.Address
	if s != nil {
		addr = s.Base + s.Size
	}
	w.badAccess(&op.other, lane, addr, s)
	return nil
}

// copyBox issues the copy of a lane.
func (w *warp) copyBox(in *inst, op *tensorOp, lane int) {
	m := w.tensorMap(in, op, lane)
	if m == nil {
		return
	}
	s := w.tensorMemory(in, op, lane, m)
	if s == nil {
		return
	}
	var reduce reducer
	if op.reduce != "" {
		if reduce = tensorReducer(op.reduce, m); reduce == nil {
			w.wk.raise(w.fault(in, lane, event.BadTensorMap, "the elements of the tensor have a type that ."+string(op.reduce)+" does not combine"))
			return
		}
	}
	shared := op.shared.mem
	addr := w.address(shared, &op.shared, lane)
	if !w.fitsBox(in, op, lane, m, addr) {
		return
	}
	var at [abi.MaxTensorDims]int64
	for i := range m.Dims {
		at[i] = int64(int32(reg[uint32](w, op.args[1+i].Off)[lane]))
	}
	if why := boxAt(m, at, op.load); why != "" {
		w.wk.raise(w.fault(in, lane, event.BadTensorMap, why))
		return
	}
	lines := boxLines(m, at, memory.OwnAddress(addr), op.load)
	if !op.load && !w.fitsMemory(in, lane, s, lines) {
		return
	}
	other := func(addr uint64, n int) []byte { return s.Mem[addr-s.Base:][:n] }
	if op.load && m.Type == abi.TensorTF32 {
		other = func(addr uint64, n int) []byte { return nearestTF32(s.Mem[addr-s.Base:][:n]) }
	}
	w.startBulk(in, &op.bulkOp, &bulkCopy{
		lane: lane, load: op.load, block: w.reach(shared, addr), bytes: uint64(m.BoxBytes()), lines: lines, other: other,
		box: m, reduce: reduce,
	})
}

// nearestTF32 is float32 as a copy of TF32 leaves them in shared memory: rounded to ten bits of
// fraction, to nearest and ties to even, subnormals too, and all NaN the same, as on an H200.
func nearestTF32(x []byte) []byte {
	const low, infinity, nan = 1<<13 - 1, 0x7f800000, 0x7fffe000
	rounded := make([]byte, len(x))
	for i := 0; i < len(x); i += 4 {
		b := binary.LittleEndian.Uint32(x[i:])
		if b&^(1<<31) > infinity {
			b = nan
		} else {
			b = (b + low/2 + b>>13&1) &^ low
		}
		binary.LittleEndian.PutUint32(rounded[i:], b)
	}
	return rounded
}

// boxAt says what is wrong with the coordinates of a box, "" where nothing is. An H200 ends a
// kernel with an illegal instruction whose box begins between multiples of 16 bytes. The CUDA C++
// Programming Guide allows no negative coordinates in stores ("Tensor memory access").
func boxAt(m *abi.TensorMap, at [abi.MaxTensorDims]int64, load bool) string {
	if n := at[0] * int64(m.Type.Size()); n%bulkUnit != 0 {
		return fmt.Sprintf("the first coordinate, %d, is %d bytes from the first element, no multiple of %d", at[0], n, bulkUnit)
	}
	for i, x := range at[:len(m.Dims)] {
		if x < 0 && !load {
			return fmt.Sprintf("coordinate %d of a store is negative, %d", i, x)
		}
	}
	return ""
}

// fitsBox reports whether the box of a lane is in shared memory, and aligned for its swizzle. If
// not, it raises a fault.
func (w *warp) fitsBox(in *inst, op *tensorOp, lane int, m *abi.TensorMap, addr uint64) bool {
	row := uint64(m.Box[0]) * uint64(m.Type.Size())
	bytes := uint64(m.BoxBytes()) / row * uint64(m.Pitch())
	align := min(uint64(abi.SwizzleAlign(m.Swizzle)), max(128, bytes&-bytes))
	if addr%align != 0 {
		w.wk.raise(w.fault(in, lane, event.Misaligned, fmt.Sprintf(
			"a box of %d bytes with a swizzle of %d bytes begins at a multiple of %d in shared memory, and this is byte %d",
			bytes, m.Swizzle, align, sharedOffset(addr))))
		return false
	}
	for _, end := range []uint64{addr, addr + bytes - uint64(m.Pitch()) + row - bulkUnit} {
		if w.pointer(&op.shared, lane, end) == unsafe.Pointer(&w.wk.waste) {
			return false
		}
	}
	return true
}

// fitsMemory reports whether all that a store of a lane writes is in the memory of its tensor. If
// not, it raises a fault: the memory may end within the last 16 bytes of a row.
func (w *warp) fitsMemory(in *inst, lane int, s *memory.Segment, lines iter.Seq[line]) bool {
	for l := range lines {
		if l.hi == l.lo || l.other-s.Base+uint64(l.hi-l.lo) <= s.Size {
			continue
		}
		f := w.fault(in, lane, event.OutOfBounds, fmt.Sprintf(
			"a store of a box writes %d bytes at a time, also after the end of a row", bulkUnit))
		f.Access, f.Space, f.Addr, f.Size = event.Store, ptx.GlobalSpace, l.other, l.hi-l.lo
		f.Near = w.wk.m.Nearest(l.other)
		w.wk.raise(f)
		return false
	}
	return true
}

// boxLines are the lines of the box at coordinates that begins at an address of shared memory. A
// load ends where a row of the tensor ends. A store writes whole 16 bytes, also after the end of a
// row, as an H200 does.
func boxLines(m *abi.TensorMap, at [abi.MaxTensorDims]int64, shared uint64, load bool) iter.Seq[line] {
	size := int64(m.Type.Size())
	row, end := int64(m.Box[0])*size, int64(m.Dims[0])*size
	if !load {
		end = (end + bulkUnit - 1) &^ (bulkUnit - 1)
	}
	first := min(max(0, -at[0])*size, row)
	last := max(first, min(row, end-at[0]*size))
	return func(yield func(line) bool) {
		for n := range m.BoxBytes() / int(row) {
			base, inside := boxRow(m, at, n)
			for b := int64(0); b < row; b += bulkUnit {
				l := line{shared: swizzled(shared+uint64(int64(n*m.Pitch())+b), m.Swizzle)}
				if inside {
					l.lo, l.hi = int(min(max(first-b, 0), bulkUnit)), int(min(max(last-b, 0), bulkUnit))
				}
				l.hi = max(l.lo, l.hi)
				l.other = base + uint64(at[0]*size+b+int64(l.lo))
				if !yield(l) {
					return
				}
			}
		}
	}
}

// boxRow is the address in global memory of the n-th row of the box at coordinates, from the
// element with the first coordinate 0 on, and whether any of it is in the tensor.
func boxRow(m *abi.TensorMap, at [abi.MaxTensorDims]int64, n int) (addr uint64, inside bool) {
	addr, inside = m.Address, true
	for i, stride := range m.Strides {
		x := at[i+1] + int64(n%int(m.Box[i+1]))
		n /= int(m.Box[i+1])
		inside = inside && x >= 0 && x < int64(m.Dims[i+1])
		addr += uint64(x) * stride
	}
	return addr, inside
}

// swizzled exchanges the pieces of 16 bytes in rows of swizzle bytes, by the bits of their address.
func swizzled(addr uint64, swizzle int) uint64 {
	return addr ^ addr>>3&uint64(max(swizzle, bulkUnit)-bulkUnit)
}
