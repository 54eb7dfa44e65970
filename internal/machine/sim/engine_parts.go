package sim

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// This file lends the groups of a warp's lanes to machine code, which schedules them as warp.next
// does, and takes them back.

// lendGroups describes the groups to machine code. It may not change them if anything but the order of
// blocks decides which of them runs.
func (w *warp) lendGroups(c *native.Context) {
	c.MayPart, c.Full, c.GroupCount, c.Current, c.Sliced = 0, w.mask, 1, 0, native.NotSliced
	if w.sticky || w.way() != 0 {
		return
	}
	if len(w.groups) == 1 {
		if !w.groups[0].polled {
			c.MayPart = 1
		}
		return
	}
	full := uint32(0)
	for i := range w.groups {
		g := &w.groups[i]
		if g.state != ready || g.polled || g.fr != w.fr || g.at.machine == nil {
			return
		}
		full |= g.mask
		c.Groups[i] = native.Group{Mask: g.mask, Place: uint32(g.at.machine.place), Ran: int64(g.ran - w.instrs)}
	}
	c.MayPart, c.Full, c.GroupCount, c.Current, c.Sliced = 1, full, uint32(len(w.groups)), uint32(w.cur), native.SameSlice
}

// ran brings a warp to the place at which machine code left it, n instructions later.
func (w *warp) ran(c *native.Context, n int, m *machineCode, left place) {
	_, lost := c.Lost()
	w.instrs += uint64(n)
	w.lanes += uint64(n*bits.OnesCount32(c.Full)) - uint64(lost)
	w.fuel -= n
	if c.Stored() {
		w.advance()
	}
	if c.GroupCount > 1 || len(w.groups) > 1 && c.MayPart != 0 {
		w.takeGroups(c, m.places)
	}
	w.at = left.b
}

// takeGroups makes the groups what machine code made of them.
func (w *warp) takeGroups(c *native.Context, places []*bblock) {
	before := w.instrs - uint64(c.Ran())
	w.groups = w.groups[:0]
	for i := range c.Groups[:c.GroupCount] {
		g := &c.Groups[i]
		w.groups = append(w.groups, group{mask: g.Mask, at: places[g.Place], fr: w.fr, ran: before + uint64(g.Ran)})
	}
	w.cur, w.mask = int(c.Current), c.Mask
	w.groups[w.cur].mask = c.Mask
	switch {
	case c.GroupCount == 1:
		w.sliceEnd = 0
	case c.Sliced >= 0:
		w.sliceEnd = before + uint64(c.Sliced) + sliceFuel
	}
}
