package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// This file has the blocks with which machine code goes on when a team's block has ended. The team takes
// the next block of the grid as worker.admit would, and its warps begin as warp.start would have them.

// lendGrid lets a team go on with the next blocks, unless the worker would do more than start them.
func (c *cta) lendGrid(nc *native.Context) {
	wk, r := c.wk, c.wk.launch
	fn, n := r.entry.fn, c.shared.Size
	if len(wk.ctas) > 1 || r.entry.Cooperative || r.entry.registers > 0 || fn.frame.size > 0 || fn.fresh == nil ||
		n > 0 && n < native.SeriesBytes || !c.reusable() {
		return
	}
	t := &c.crew
	for i, w := range c.warps {
		if w.live == 0 {
			t.mates[i].File = w.own.base
		}
	}
	begin := int64(n)
	for _, s := range fn.fresh {
		begin += int64(len(c.warps)) * int64(s.Size)
	}
	nc.Series = native.Series{
		Next: (*int64)(unsafe.Pointer(&r.next)), Blocks: r.clusters, Linear: int64(c.Linear),
		Index: [3]uint32{uint32(c.Index[0]), uint32(c.Index[1]), uint32(c.Index[2])},
		Wide:  [2]uint32{uint32(c.Grid[0]), uint32(c.Grid[1])},
		Mates: &t.mates[0], Warps: uint32(len(c.warps)), Image: unsafe.Pointer(unsafe.SliceData(fn.file)),
		Shared: unsafe.Pointer(unsafe.SliceData(c.shared.Mem)), Bytes: int64(len(c.shared.Mem)), Cost: 1 + begin/beginBytes,
	}
}

// beginBytes is how many bytes of registers and shared memory a block that begins writes in the time of an
// instruction.
const beginBytes = 1 << 10

// reusable reports whether all warps are whole, and no warp that has ended has anything that warp.start
// would clear. The warps that live are in the team, so they have nothing of that kind.
func (c *cta) reusable() bool {
	for _, w := range c.warps {
		if w.exist != whole || w.live == 0 && (w.owed|uint32(w.products) != 0 || len(w.setmaxes)+len(w.agent.queue) > 0 || w.tested != nil) {
			return false
		}
	}
	return true
}

// follow makes the cta the block with which machine code went on. All its warps have begun, and w is the
// warp that called the code.
func (c *cta) follow(w *warp, nc *native.Context) {
	c.wk.blocks += int(nc.Series.Ended)
	c.Linear = int(nc.Linear)
	for axis, i := range nc.Index {
		c.Index[axis] = int(i)
	}
	c.live = len(c.warps) * abi.WarpSize
	// The turns before the block will be taken off too.
	c.fuel = c.wk.blockFuel() + int(nc.Began) + int(w.instrs-w.begun)
	c.crew.skip, c.crew.missed = 0, 0
	for _, w := range c.warps {
		w.beginAgain()
	}
}

// beginAgain puts the warp where machine code put it: at the first instruction of the kernel, with the
// registers that it has.
func (w *warp) beginAgain() {
	f := w.own
	if w.live != 0 {
		f = w.groups[0].fr
	}
	f.lanes, f.id = whole, 0
	w.live, w.Carry, w.frames, w.endedAt = whole, 0, 1, nil
	w.polls, w.sticky, w.sliceEnd = 0, false, 0
	w.groups = append(w.groups[:0], group{mask: whole, at: f.fn.blocks[0], fr: f})
	w.cur = 0
}
