package sim

import (
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// frame is a call of a function by some lanes of a warp. Lanes that call the same function from the
// same place and the same frame share one, each in its lane of the register slots, even when they
// arrive one after the other.
type frame struct {
	base   unsafe.Pointer // of file
	file   registerFile
	fn     *function
	parent *frame
	call   *callOp // by which it was entered, nil for the kernel
	lanes  uint32  // lanes in this frame or in calls made from it
	depth  int
	id     uint64
	stack  uint32 // where its local memory starts in each thread's
	calls  []*frame
	filled uint64 // the launch for which a warp's own frame has its special registers; 0 for none
}

// frameLayout is where a function keeps local variables and the parameters of calls in a thread's
// local memory, relative to the frame.
type frameLayout struct {
	size  uint32
	align uint32 // of the frame's start, a power of two
}

// next is where a frame of fn starts that is called from f.
func (f *frame) next(fn *function) uint32 {
	return (f.stack + f.fn.frame.size + fn.frame.align - 1) &^ (fn.frame.align - 1)
}

// localMemory is the local memory of the lanes of a warp, one after the other.
type localMemory struct {
	mem    []byte
	stride uint32 // bytes a lane
}

// grow makes room for size bytes a lane.
func (l *localMemory) grow(size uint32) {
	if size <= l.stride {
		return
	}
	stride := max(size, 2*l.stride, 64)
	stride = (stride + 15) &^ 15
	mem := memory.NewBytes(int64(stride) * abi.WarpSize)
	l.stride, l.mem = stride, l.relocate(mem, stride)
}

func (l *localMemory) relocate(mem []byte, stride uint32) []byte {
	for lane := uint32(0); lane < abi.WarpSize && l.stride > 0; lane++ {
		copy(mem[lane*stride:], l.mem[lane*l.stride:(lane+1)*l.stride])
	}
	return mem
}

// lane returns a lane's local memory from a frame's start on.
func (l *localMemory) lane(lane int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(l.mem)), uintptr(lane)*uintptr(l.stride))
}

// enter gives lanes a frame of fn, called from parent by a call (both nil for the kernel itself).
func (w *warp) enter(parent *frame, fn *function, call *callOp, lanes uint32) *frame {
	if parent != nil {
		for _, f := range parent.calls {
			if f.fn == fn && f.call == call && f.lanes&lanes == 0 {
				f.lanes |= lanes
				w.fillLocal(f, lanes)
				return f
			}
		}
	}
	f := w.unused(parent, fn)
	f.parent, f.call, f.lanes, f.depth, f.stack, f.calls = parent, call, lanes, 0, 0, f.calls[:0]
	f.id = w.frames
	w.frames++
	if parent != nil {
		f.depth = parent.depth + 1
		f.stack = parent.next(fn)
		parent.calls = append(parent.calls, f)
	}
	w.freshen(f)
	w.local.grow(f.stack + fn.frame.size)
	w.fillLocal(f, lanes)
	w.fillSpecial(f)
	return f
}

// fillLocal poisons a frame's local memory.
func (w *warp) fillLocal(f *frame, lanes uint32) {
	size := f.fn.frame.size
	if size == 0 {
		return
	}
	for lane := range abi.WarpSize {
		if lanes>>lane&1 != 0 {
			memory.Poison(unsafe.Slice((*byte)(unsafe.Add(w.local.lane(lane), f.stack)), size))
		}
	}
}

// leave takes lanes out of a frame and those around it, up to but not including the frame until. It
// saves frames without lanes for the next call.
func (w *warp) leave(f *frame, lanes uint32, until *frame) {
	for ; f != until; f = f.parent {
		if f.lanes &^= lanes; f.lanes != 0 {
			continue
		}
		if p := f.parent; p != nil {
			i := slices.Index(p.calls, f)
			p.calls = slices.Delete(p.calls, i, i+1)
		}
		if f.parent == nil {
			w.own = f
			continue
		}
		w.wk.frames[f.fn] = append(w.wk.frames[f.fn], f)
	}
}

// unused returns an unused frame of a function. For the kernel itself that is the warp's own, which
// has most of its special registers from the last block.
func (w *warp) unused(parent *frame, fn *function) *frame {
	if f := w.own; parent == nil && f != nil && f.fn == fn {
		return f
	}
	return w.wk.newFrame(fn)
}

// freshen gives a frame the registers with which a call begins. An observer, with which no engine runs,
// may show any of them.
func (w *warp) freshen(f *frame) {
	if w.wk.engine == nil || f.fn.fresh == nil {
		copy(f.file, f.fn.file)
		return
	}
	image := unsafe.Pointer(unsafe.SliceData(f.fn.file))
	for _, s := range f.fn.fresh {
		copy(unsafe.Slice((*byte)(f.slot(s.Off)), s.Size), unsafe.Slice((*byte)(unsafe.Add(image, s.Off)), s.Size))
	}
}

// newFrame returns an unused frame of a function. Its registers hold anything.
func (wk *worker) newFrame(fn *function) *frame {
	if pool := wk.frames[fn]; len(pool) > 0 {
		f := pool[len(pool)-1]
		wk.frames[fn] = pool[:len(pool)-1]
		return f
	}
	f := &frame{fn: fn, file: slices.Clone(fn.file)}
	f.base = unsafe.Pointer(unsafe.SliceData(f.file))
	return f
}

// slot returns the storage of a register slot.
func (f *frame) slot(off uint32) unsafe.Pointer { return unsafe.Add(f.base, off) }

// lanesOf views a slot that is not a predicate as lanes of its width.
func (f *frame) get(s code.Slot, lane int) uint64 {
	switch s.Bits {
	case 1:
		return uint64(*(*uint32)(f.slot(s.Off)) >> lane & 1)
	case 32:
		return uint64((*[abi.WarpSize]uint32)(f.slot(s.Off))[lane&31])
	}
	return (*[abi.WarpSize]uint64)(f.slot(s.Off))[lane&31]
}

func (f *frame) set(s code.Slot, lane int, v uint64) {
	switch s.Bits {
	case 1:
		p := (*uint32)(f.slot(s.Off))
		*p = *p&^(1<<lane) | uint32(v&1)<<lane
	case 32:
		(*[abi.WarpSize]uint32)(f.slot(s.Off))[lane&31] = uint32(v)
	default:
		(*[abi.WarpSize]uint64)(f.slot(s.Off))[lane&31] = v
	}
}

// copySlot and restoreSlot save a slot and bring lanes of it back.

func (f *frame) copySlot(s code.Slot) []uint64 {
	v := make([]uint64, abi.WarpSize)
	for i := range v {
		v[i] = f.get(s, i)
	}
	return v
}

func (f *frame) restoreSlot(s code.Slot, v []uint64, lanes uint32) {
	for i := range v {
		if lanes>>i&1 != 0 {
			f.set(s, i, v[i])
		}
	}
}

// moveLanes copies lanes of a slot of one frame to a slot of another.
func moveLanes(to *frame, d code.Slot, from *frame, s code.Slot, lanes uint32) {
	for i := range abi.WarpSize {
		if lanes>>i&1 != 0 {
			to.set(d, i, from.get(s, i))
		}
	}
}

// registerFile is the storage of one frame's registers.
type registerFile []uint64

// newImage makes the register file with which a frame starts.
func newImage(f *code.File) registerFile {
	image := make(registerFile, (f.Size+7)/8)
	base := unsafe.Pointer(unsafe.SliceData(image))
	for _, c := range f.Constants() {
		p := unsafe.Add(base, c.Off)
		switch c.Bits {
		case 1:
			*(*uint32)(p) = -uint32(c.Value)
		case 32:
			fill((*[abi.WarpSize]uint32)(p), uint32(c.Value))
		case 64:
			fill((*[abi.WarpSize]uint64)(p), c.Value)
		}
	}
	return image
}

func fill[T any](to *[abi.WarpSize]T, v T) {
	for i := range to {
		to[i] = v
	}
}

// frameAlign is the least alignment of a frame. One with a variable of a larger alignment has that.
const frameAlign = memory.LocalBase

// callOp is a call of a function of the module.
type callOp struct {
	fn            *function // nil for an indirect call
	target        uint32    // slot of the address of an indirect call
	results, args []code.Param
	next          *bblock
}

// specialSlot is a slot that is filled when a frame starts: a special register whose value does not
// change while a block runs, or an address in the frame's local memory.
type specialSlot struct {
	code.Slot
	fill filler
	// perBlock says that the value differs between the blocks that a warp runs in a launch.
	perBlock bool
}

// filler gives a slot of a fresh frame its value.
type filler func(w *warp, f *frame, s code.Slot)

// fillSpecial gives a fresh frame its special registers.
func (w *warp) fillSpecial(f *frame) {
	again := f.filled == w.wk.launch.id && w.wk.engine != nil && f.fn.fresh != nil
	for i := range f.fn.special {
		if s := &f.fn.special[i]; s.perBlock || !again {
			s.fill(w, f, s.Slot)
		}
	}
	if f == w.own {
		f.filled = w.wk.launch.id
	}
}
