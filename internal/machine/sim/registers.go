package sim

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has setmaxnreg, by which warpgroups hand each other registers. A block has a pool of
// them, which is empty at first. What a warp gives away goes there, and one that asks for more than
// the pool has waits. Warps that end keep theirs: no manual says that they give them back.

// registerOp is a setmaxnreg.
type registerOp struct {
	more  bool // it asks for registers, and else gives some away
	count int  // registers of a thread after it
}

// registerStep is the granularity of a thread's registers.
const registerStep = 8

// firstRegisters is the number of registers of a thread of a block when a kernel with setmaxnreg
// starts: as many as .maxnreg says, or .minnctapersm allows, and no more than some instruction asks
// for. It is 0 if neither is given, and ptxas ignores setmaxnreg then. ptxas 12.4 says so for
// sm_90a (-v).
func (e *Entry) firstRegisters(threads int) int {
	most := 0
	for _, d := range e.Func.Perf {
		switch {
		case len(d.Args) == 0 || d.Args[0] <= 0:
		case d.Name == "maxnreg":
			return min(d.Args[0]/registerStep*registerStep, e.registers)
		case d.Name == "minnctapersm":
			warps := (threads + abi.WarpSize - 1) / abi.WarpSize
			most = abi.RegistersPerSM / (warps * abi.WarpSize * d.Args[0]) / registerStep * registerStep
		}
	}
	return min(most, e.registers)
}

// askedRegisters is the most registers that a setmaxnreg of an entry asks for. It is
// abi.MostRegisters if all give some away, and 0 without setmaxnreg.
func askedRegisters(f *code.Func) (most int) {
	any := false
	for _, b := range f.Blocks {
		if b.Op == nil || b.Op.Op != ptx.OpSetmaxnreg {
			continue
		}
		any = true
		if b.Op.Fn == code.FnInc {
			most = max(most, setRegisters(b.Op))
		}
	}
	if any && most == 0 {
		return abi.MostRegisters
	}
	return most
}

// setRegisters is how many registers a setmaxnreg gives a thread.
func setRegisters(in *code.Inst) int { return int(in.Site.Instr.Args[0].(ptx.Int).Bits) }

// take performs a setmaxnreg for the warp. It says false where the pool has too few registers.
func (r *registerOp) take(w *warp, in *inst) bool {
	c := w.cta
	if c.pool.first == 0 {
		return true
	}
	switch diff := r.count - w.registers; {
	case r.more && diff < 0, !r.more && diff > 0:
		way := "gives registers away and would have more"
		if r.more {
			way = "asks for registers and would have fewer"
		}
		w.wk.raise(w.fault(in, firstLane(w.mask), event.BadRegisters, fmt.Sprintf(
			"warp %d has %d registers a thread, and setmaxnreg %s: %d", w.index, w.registers, way, r.count)))
	case diff > c.pool.spare:
		return false
	default:
		c.pool.spare -= diff
		w.registers = r.count
		if diff < 0 {
			c.wakeForRegisters()
		}
	}
	w.setmaxes = append(w.setmaxes, setmax{r, in.site})
	w.sameRegisters(in)
	return true
}

// setmax is a setmaxnreg that a warp has come to.
type setmax struct {
	*registerOp
	site *event.Site
}

// registerPool is the registers of a block.
type registerPool struct {
	first int // of a thread when the block starts; 0 where nobody can say
	spare int // those that were given away: registers of a thread, for each warp
}

// fillPool gives the warps of a block that starts the registers they have.
func (c *cta) fillPool() {
	c.pool = registerPool{}
	if e := c.wk.launch.entry; e.registers > 0 {
		c.pool.first = e.firstRegisters(c.Threads())
	}
	for _, w := range c.warps {
		w.registers, w.setmaxes = c.pool.first, w.setmaxes[:0]
	}
}

// wakeForRegisters lets the warps of the block look at the pool again that wait for it.
func (c *cta) wakeForRegisters() {
	for _, w := range c.warps {
		for i := range w.groups {
			if w.groups[i].state == atRegisters {
				w.groups[i].state = ready
			}
		}
	}
}

// sameRegisters raises a fault where warps of one warpgroup have come to different instructions, or
// where one cannot come to this one any more.
func (w *warp) sameRegisters(in *inst) {
	first, n := w.index/event.Warpgroup*event.Warpgroup, len(w.setmaxes)
	for i := first; i < first+event.Warpgroup; i++ {
		what := "is not in the block"
		if i < len(w.cta.warps) {
			o := w.cta.warps[i]
			switch {
			case len(o.setmaxes) >= n && *o.setmaxes[n-1].registerOp != *w.setmaxes[n-1].registerOp:
				what = "has come to another, at " + o.setmaxes[n-1].site.String()
			case len(o.setmaxes) < n && o.live != ^uint32(0):
				what = "lacks threads, or some have ended"
			default:
				continue
			}
		}
		w.wk.raise(w.fault(in, firstLane(w.mask), event.PartOfWarp, fmt.Sprintf(
			"warp %d %s, and the four warps from %d on come to one setmaxnreg together", i, what, first)))
		return
	}
}

// lackOfRegisters says what a warp that waits for registers lacks.
func (w *warp) lackOfRegisters(g *group) string {
	r := g.at.sync.registers
	var held []string
	for i, o := range w.cta.warps {
		if i%event.Warpgroup == 0 {
			held = append(held, fmt.Sprintf("warps %d..%d have %d", i, min(i+event.Warpgroup, len(w.cta.warps))-1, o.registers))
		}
	}
	return fmt.Sprintf("each has %d registers and asks for %d; %d of the registers given away are left; %s",
		w.registers, r.count, w.cta.pool.spare, strings.Join(held, ", "))
}
