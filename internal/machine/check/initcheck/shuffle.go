package initcheck

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// absentLane is a lane that a shuffle reads although it takes no part. The value is undefined (CUDA
// C++ programming guide, "Warp Shuffle Functions"; PTX ISA, shfl.sync).
type absentLane struct {
	lane  int
	which string      // "that has returned"
	ended *event.Site // where the lane has ended, or nil
	fix   string
}

// warpSync takes data that nothing has written from lane to lane.
func (c *Check) warpSync(st *blockState, e *event.WarpSync) {
	w := &st.warps[e.Index]
	switch does := e.Site.Does; {
	case does.Kind == ptx.Exchanges:
		if len(w.regs) > 0 || readsAbsent(e) {
			c.shuffle(st, e)
		}
	case len(w.regs) == 0:
	case does.Kind == ptx.Multiplies && does.Agent == ptx.NoAgent: // an agent's accesses tell
		c.product(w, e)
	case does.Kind == ptx.Votes:
		c.vote(w, e)
	}
}

// readsAbsent says whether a shuffle reads a lane that takes no part.
func readsAbsent(e *event.WarpSync) bool {
	if e.Mask == ^uint32(0) {
		return false
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		if e.Mask>>(e.Sources[tool.LaneOf(m)]&31)&1 == 0 {
			return true
		}
	}
	return false
}

// siteOf is a lane's instruction.
func siteOf(e *event.WarpSync, lane int) *event.Site {
	if e.Sites != nil {
		return e.Sites[lane]
	}
	return e.Site
}

// shuffle does so for a shuffle. Lanes whose absence has its finding are not looked at, and none
// without synccheck.
func (c *Check) shuffle(st *blockState, e *event.WarpSync) {
	known := ^uint32(0)
	if c.sync != nil {
		known = c.sync.Found()
	}
	w := &st.warps[e.Index]
	var out [abi.WarpSize]taint
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		switch from := int(e.Sources[lane] & 31); {
		case e.Mask>>from&1 == 0:
			if known>>from&1 == 0 {
				out[lane] = c.absent(st, e, lane, from)
			}
		default:
			out[lane] = w.get(regKey{e.Frame, c.usage(siteOf(e, from)).values[0]}, from)
		}
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		at := siteOf(e, lane)
		dests := c.usage(at).dests
		if p, ok := at.Instr.Args[0].(ptx.Pair); ok { // the second says whether the lane is in range
			if len(dests) > 0 {
				c.set(w, regKey{e.Frame, dests[len(dests)-1]}, lane, taint{})
			}
			if p.First == ptx.Name("_") {
				continue
			}
		}
		if len(dests) > 0 {
			c.set(w, regKey{e.Frame, dests[0]}, lane, out[lane])
		}
	}
}

// absent is the taint of the value that a lane reads from a lane that takes no part.
func (c *Check) absent(st *blockState, e *event.WarpSync, lane, from int) taint {
	const word = 0xf // the bytes of a register that shuffles move
	at := c.run.Site(siteOf(e, lane))
	if id, ok := c.byPlace[[2]int32{at, 0}]; ok {
		return taint{id, word}
	}
	a := &absentLane{lane: from}
	switch {
	case st.Existing(e.Index)>>from&1 == 0:
		a.which = fmt.Sprintf("that a block of %d threads does not have", st.Threads())
		a.fix = "take the value only from lanes that the block has"
	case st.Exited[e.Index]>>from&1 != 0:
		a.which, a.ended = "that has returned", c.sync.Ended(st.Block, e.Index, from)
		a.fix = "let all threads reach the shuffle, those without data with a value that changes nothing, and return after it"
	default:
		a.which = fmt.Sprintf("that is not in the mask %#08x", e.Member)
		a.fix = "take the value only from lanes that the mask names"
	}
	return taint{c.originOf(origin{
		load: at, block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq, absent: a,
	}), word}
}

// describe says what is wrong with using what a shuffle read.
func (a *absentLane) describe(b *tool.Run, f *report.Finding, o *origin, how string) {
	f.Cause = report.AbsentLane
	f.Summary = fmt.Sprintf("value of a lane %s, used %s", a.which, how)
	f.Why = "what a shuffle reads from a lane that takes no part in it is undefined"
	f.Fix = a.fix
	f.Witnesses[0].Note = fmt.Sprintf("from lane %d", a.lane)
	if a.ended != nil {
		p := b.Witness("finished", a.ended)
		p.Source, p.Text = b.End(p.Source), ""
		p.Thread = b.Thread(o.block, o.warp, a.lane)
		f.Witnesses = slices.Insert(f.Witnesses, 1, p)
	}
}

// vote computes with the values of all lanes.
func (c *Check) vote(w *warpState, e *event.WarpSync) {
	var any taint
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		if t := w.get(regKey{e.Frame, c.usage(siteOf(e, lane)).values[0]}, lane); t.bytes != 0 {
			any = t
		}
	}
	any = c.usedBy(e.Site, any)
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		for _, reg := range c.usage(siteOf(e, lane)).dests {
			c.set(w, regKey{e.Frame, reg}, lane, any)
		}
	}
}

// usedBy is the taint of what an instruction computes from a value.
func (c *Check) usedBy(site *event.Site, t taint) taint {
	if t.bytes == 0 {
		return taint{}
	}
	o := c.origins[t.origin]
	if o.use == 0 {
		o.use = c.run.Site(site)
		t.origin = c.originOf(o)
	}
	t.bytes = 0xff
	return t
}
