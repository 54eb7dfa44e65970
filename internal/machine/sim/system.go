package sim

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// systemCall is a function without a body that every device has: see "System Calls" in NVIDIA's PTX
// Writer's Guide to Interoperability. It runs for one lane, and reports whether the lane goes on.
type systemCall struct {
	args, results int
	run           func(l *systemLane) (goesOn bool)
}

// systemCalls are those that nvcc's code calls for printf, assert, malloc and free.
var systemCalls = map[string]systemCall{
	"vprintf":      {2, 1, (*systemLane).vprintf},
	"__assertfail": {5, 0, (*systemLane).assertFail},
	"malloc":       {1, 1, (*systemLane).malloc},
	"free":         {1, 0, (*systemLane).free},
}

// systemOp is a call of a function that has no body in the module.
type systemOp struct {
	name          string
	results, args []code.Param
	read          inst // reads a byte of generic memory
}

// external binds a call of a function without a body.
func external(in *code.Inst) *systemOp {
	return &systemOp{
		name: in.Call.External, results: in.Call.Results, args: in.Call.Args,
		read: inst{site: in.Site, seg: segWindow, mem: &memOp{kind: event.Load, space: ptx.GenericSpace, size: 1}},
	}
}

// run runs a system call in the lanes' order. A function that is none is a fault of the
// thread that calls it.
func (op *systemOp) run(w *warp, in *inst) {
	if w.wk.obs != nil {
		w.sendStepMask(in.site)
	}
	call, ok := systemCalls[op.name]
	if !ok || len(op.args) != call.args || len(op.results) != call.results {
		why := "call of " + op.name + ", which is declared but has no body in this module"
		if ok {
			why = "call of " + op.name + " with other parameters than the device's function has"
		}
		w.sendResults(in.site, op)
		w.wk.raise(w.fault(in, firstLane(w.mask), event.BadTarget, why))
		w.at = w.at.next
		return
	}
	w.Exec = w.mask
	var ended uint32
	for _, lane := range w.lanesInOrder() {
		l := systemLane{w: w, in: in, op: op, lane: int(lane)}
		if !call.run(&l) {
			ended |= 1 << lane
		}
	}
	w.sendResults(in.site, op)
	w.at = w.at.next
	if ended != 0 {
		w.endAt(in.site, ended)
	}
}

// systemLane is a system call of one lane.
type systemLane struct {
	w    *warp
	in   *inst
	op   *systemOp
	lane int
}

// arg is an argument's value.
func (l *systemLane) arg(i int) uint64 {
	p := &l.op.args[i]
	if p.Reg.Bits != 0 {
		return l.w.fr.get(p.Reg, l.lane)
	}
	var v [8]byte
	copy(v[:], l.w.localBytes(l.w.fr, l.lane, p))
	return *(*uint64)(unsafe.Pointer(&v))
}

// result sets the call's result.
func (l *systemLane) result(v uint64) {
	p := &l.op.results[0]
	if p.Reg.Bits != 0 {
		l.w.fr.set(p.Reg, l.lane, v)
		return
	}
	copy(l.w.localBytes(l.w.fr, l.lane, p), (*[8]byte)(unsafe.Pointer(&v))[:])
}

// byteAt reads generic memory.
func (l *systemLane) byteAt(addr uint64) byte {
	return *(*byte)(l.w.pointer(&l.op.read, l.lane, addr))
}

// word reads n bytes, little endian.
func (l *systemLane) word(addr uint64, n int) (v uint64) {
	for i := range n {
		v |= uint64(l.byteAt(addr+uint64(i))) << (8 * i)
	}
	return v
}

// maxText is how long a string may be that a kernel prints.
const maxText = 1 << 16

// text reads a string up to its zero byte.
func (l *systemLane) text(addr uint64) string {
	var b []byte
	for i := range uint64(maxText) {
		c := l.byteAt(addr + i)
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}

// vprintf prints to the launch's Output, and returns how many arguments the format took, or -1 for
// a null format or one that it does not know.
func (l *systemLane) vprintf() bool {
	if l.arg(0) == 0 {
		l.result(1<<32 - 1)
		return true
	}
	p := printing{arguments: l, at: l.arg(1)}
	text, ok := p.format(l.text(l.arg(0)))
	if !ok {
		l.result(1<<32 - 1)
		return true
	}
	l.w.wk.launch.print(text)
	l.result(uint64(p.taken))
	return true
}

// assertFail ends the thread with a trap that says what CUDA's message does.
func (l *systemLane) assertFail() bool {
	detail := fmt.Sprintf("assertion `%s` failed at %s:%d", l.text(l.arg(0)), l.text(l.arg(1)), uint32(l.arg(2)))
	if fn := l.arg(3); fn != 0 {
		detail += " in " + l.text(fn)
	}
	l.w.wk.raise(l.w.fault(l.in, l.lane, event.Trap, detail))
	return false
}

func (l *systemLane) malloc() bool {
	size := l.arg(0)
	addr := l.w.wk.launch.alloc(size)
	if obs := l.w.wk.obs; obs != nil && addr != 0 {
		obs.Observe(&event.Malloc{Warp: l.w.event(l.in.site, 1<<l.lane), Addr: addr, Size: int64(size)})
	}
	l.result(addr)
	return true
}

// free gives memory of malloc back. A null pointer is none. The accesses that remember an
// allocation forget it.
func (l *systemLane) free() bool {
	addr := l.arg(0)
	if addr == 0 {
		return true
	}
	wk := l.w.wk
	if s := wk.m.Find(addr); s != nil {
		wk.forget(s)
	}
	if !wk.launch.free(addr) {
		wk.raise(l.w.fault(l.in, l.lane, event.BadFree,
			fmt.Sprintf("%#x is not the start of memory that malloc returned, or it was freed before", addr)))
	}
	return true
}

// print writes to the launch's Output, whole texts one after the other.
func (r *launch) print(text string) {
	if r.Output == nil {
		return
	}
	r.printing.Lock()
	defer r.printing.Unlock()
	if _, err := r.Output.Write([]byte(text)); err != nil {
		r.fail(fmt.Errorf("output of the kernel: %w", err))
	}
}

// sendResults tells of what a function of the device's own returns.
func (w *warp) sendResults(site *event.Site, op *systemOp) {
	if w.wk.obs == nil || len(op.results) == 0 {
		return
	}
	e := &event.Return{Warp: w.event(site, w.mask), CallerFrame: w.fr.id}
	for i := range op.results {
		e.Copies = append(e.Copies, event.Copy{From: event.CallOperand{Reg: -1, Immediate: true}, To: w.fr.operand(&op.results[i])})
	}
	w.wk.obs.Observe(e)
}
