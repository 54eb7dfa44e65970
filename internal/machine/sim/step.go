package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
)

// exec runs one bound instruction for the lanes of warp.Exec.
type exec func(w *warp, in *inst)

// inst is a decoded instruction bound to the function that runs it: lane when it computes registers
// from registers, else run.
type inst struct {
	lanes.Inst
	lane lanes.Op
	run  exec
	seg  uint32 // index into worker.segs: where an access looks first
	wide bool   // the destination of a masked instruction is 64 bits a lane
	ext  any    // what else run needs

	// masked is the same instruction with the scratch slot as its destination; nil when lane itself
	// obeys warp.Exec.
	masked *lanes.Inst

	// observed replaces run when an observer watches; nil for instructions without events.
	observed exec
	site     *event.Site
	follows  bool // another inst of the same PTX instruction has sent its Step, or will
}

// reg is a register slot of the running frame.
func reg[T lanes.Word](w *warp, slot uint32) *[abi.WarpSize]T { return lanes.Reg[T](&w.Warp, slot) }

// predicate is a predicate register: bit i belongs to lane i.
func predicate(w *warp, slot uint32) *uint32 { return lanes.Pred(&w.Warp, slot) }

// full runs instructions when every live lane of the frame takes part, so that it does not matter
// what the other lanes' registers get.
func (w *warp) full(code []inst) {
	for i := range code {
		if in := &code[i]; in.lane != nil {
			in.lane(&w.Warp, &in.Inst)
		} else {
			in.run(w, in)
		}
	}
}

// part runs instructions for the lanes of w.Exec only.
func (w *warp) part(code []inst) {
	for i := range code {
		w.step(&code[i])
	}
}

// step runs one instruction for the lanes of w.Exec. An operation that computes all lanes gets a
// scratch slot when only some run, and theirs are copied; so each operation is written once.
func (w *warp) step(in *inst) {
	switch m := in.masked; {
	case in.lane == nil:
		in.run(w, in)
	case m == nil || w.fr.lanes&^w.Exec == 0:
		in.lane(&w.Warp, &in.Inst)
	case in.wide:
		in.lane(&w.Warp, m)
		lanes.Blend[uint64](&w.Warp, in.D, m.D)
	default:
		in.lane(&w.Warp, m)
		lanes.Blend[uint32](&w.Warp, in.D, m.D)
	}
}

// watched runs instructions with an observer.
func (w *warp) watched(code []inst) {
	for i := range code {
		w.watch(&code[i])
	}
}

// watch runs one instruction with an observer.
func (w *warp) watch(in *inst) {
	if in.observed != nil {
		in.observed(w, in)
		return
	}
	if !in.follows {
		w.sendStep(in.site)
	}
	w.step(in)
}

// guard is the ext of a guarded instruction: run in when the predicate in slot pred says so.
type guard struct {
	pred, neg uint32
	in        inst
}

func runGuarded(w *warp, in *inst) {
	g := in.ext.(*guard)
	all := w.Exec
	w.Exec = all & (*predicate(w, g.pred) ^ g.neg)
	if w.Exec != 0 {
		w.step(&g.in)
	}
	w.Exec = all
}

func watchGuarded(w *warp, in *inst) {
	g := in.ext.(*guard)
	all := w.Exec
	w.Exec = all & (*predicate(w, g.pred) ^ g.neg)
	if !g.in.follows {
		w.sendSkip(in.site, all&^w.Exec)
	}
	if w.Exec != 0 {
		w.watch(&g.in)
	}
	w.Exec = all
}

// registerFile is the storage of one frame's registers.
type registerFile []uint64

// newImage is what a register file holds when a frame starts.
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
