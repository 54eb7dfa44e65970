package sim

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// compiler is the engine that compiles kernels (package native). It goes on from block to block in
// machine code, and interprets the instructions that the code does not know.
type compiler struct {
	leave  func(b *code.Block, i int) bool // see native.Options
	narrow bool                            // see native.Options
	limit  int64                           // of instructions that the code runs at a time
	// patience is how often each instruction of a kernel is interpreted, on average, before the kernel is
	// compiled.
	patience int
	left     func(at place) // when not nil, is told of each exit: see TestCompiledExits
}

// newCompiler makes the engine of machines.
func newCompiler() *compiler { return &compiler{limit: nativeLimit} }

// nativeLimit bounds how long a garbage collection waits for compiled code: less than a millisecond.
// Most instructions take 2 to 30 ns. Those that take longer count for several (package native).
const nativeLimit = 1 << 13

// machineCode is a block's machine code.
type machineCode struct {
	kernel  *native.Kernel
	entries []native.Entry
	exits   []place   // by the numbers of the kernel's exits
	due     int       // the number of the exit at the block's end, -1 for none
	places  []*bblock // all blocks, by their places
	place   int       // the block's place
}

// place is an instruction of a block, or its end.
type place struct {
	b    *bblock
	inst int
}

// patience makes a kernel that runs seldom cost at most 1.3 times what the interpreter takes: compiling an
// instruction takes as long as interpreting it for 300 warps.
const patience = 1024

func (e *compiler) worth(k *code.Kernel) uint64 { return uint64(e.patience * native.Size(k)) }

func (e *compiler) load(k *code.Kernel, bound *binding) {
	c := native.Compile(k, native.Options{Shared: segShared, Memos: segCache, Narrow: e.narrow, Leave: e.leave})
	if c == nil {
		return
	}
	exits := make([]place, len(c.Exits))
	for i, x := range c.Exits {
		exits[i] = place{bound.blocks[x.Block], x.Inst}
	}
	places := make([]*bblock, len(c.Places))
	for i, b := range c.Places {
		places[i] = bound.blocks[b]
	}
	for b, m := range c.Blocks {
		bound.blocks[b].machine = &machineCode{kernel: c, entries: m.Entries, exits: exits, due: m.Due, places: places, place: m.Place}
	}
	for f, spans := range c.Fresh {
		bound.funcs[f].fresh = append([]native.Span{}, spans...)
	}
}

func (e *compiler) run(w *warp) *bblock {
	b, i := w.at, 0
	if t := &w.cta.crew; t.from >= 0 {
		i, t.from = t.from, -1
		if i >= len(b.code) {
			return b
		}
	}
	for i < len(b.code) || len(b.code) == 0 {
		m := b.machine
		if m == nil || w.wk.order != Ascending {
			w.interpret(b, i)
			return b
		}
		if m.entry(i) {
			at, other := e.enter(w, m, m.entries[i])
			if other {
				return nil
			}
			if b, i = at.b, at.inst; i >= len(b.code) {
				return b
			}
			m = b.machine
		}
		if i >= len(b.code) {
			return b
		}
		next := i + 1
		for next < len(b.code) && !m.entry(next) {
			next++
		}
		w.interpretPart(b.code[i:next])
		i = next
	}
	return b
}

// entry reports whether machine code begins at an instruction.
func (m *machineCode) entry(i int) bool {
	return i < len(m.entries) && m.entries[i] != native.Entry{}
}

// enter runs machine code from an entry on, and returns the place at which it exited. other says that
// this is another warp's place, cta.crew.next.
func (e *compiler) enter(w *warp, m *machineCode, at native.Entry) (left place, other bool) {
	wk := w.wk
	c := wk.native
	if c == nil {
		c = native.NewContext()
		wk.native = c
	}
	c.File, c.Segs, c.Rows = w.Base, unsafe.Pointer(unsafe.SliceData(wk.segs)), unsafe.Pointer(unsafe.SliceData(wk.rows))
	c.Mask = w.mask
	c.Limit, c.Order = w.bounds(e.limit)
	w.lendGroups(c)
	teamed := w.cta.form(w, c)
	left = m.exits[m.kernel.Run(at, w.mask == whole, c)]
	if e.left != nil {
		e.left(left)
	}
	if teamed && w.cta.disband(w, c, m, left) {
		return left, true
	}

	w.ran(c, c.Ran(), m, left)
	return left, false
}

// bounds are how many instructions the running group may run before the machine looks, and the lowest
// place of another group that runs first, or that it meets, in the order of basic blocks.
func (w *warp) bounds(most int64) (limit int64, order int32) {
	limit = min(int64(w.fuel), most)
	if len(w.groups) == 1 {
		return limit, math.MaxInt32
	}
	if w.sticky || w.sliceEnd == 0 || w.way() != 0 {
		return 0, 0
	}
	limit, order = min(limit, int64(w.sliceEnd-w.instrs)), math.MaxInt32
	for i := range w.groups {
		g := &w.groups[i]
		if i != w.cur && g.state != atBarrier && g.fr.depth == w.fr.depth {
			order = min(order, int32(g.at.order[0]))
		}
	}
	return limit, order
}
