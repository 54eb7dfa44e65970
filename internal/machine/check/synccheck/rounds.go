package synccheck

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Only when pedantic: do the threads of a block reach a barrier in a loop in the same round?

// jumped counts, for lanes that take a branch backwards, how often they did since the last barrier.
func (c *Check) jumped(w *warpState, at *event.Site, lanes uint32) {
	if c.jumps == nil || lanes == 0 {
		return
	}
	id := c.run.Site(at)
	to, ok := c.jumps[id]
	if !ok {
		const far = 1 << 30 // of a branch whose target is not known
		if to, ok = c.run.Flow(at.Func).Target(at.Instr); !ok {
			to = far
		}
		c.jumps[id] = to
	}
	if to > at.Index {
		return
	}
	n := w.rounds[id]
	if n == nil {
		if w.rounds == nil {
			w.rounds = map[int32]*[abi.WarpSize]uint32{}
		}
		n = new([abi.WarpSize]uint32)
		w.rounds[id] = n
	}
	for m := lanes; m != 0; m &= m - 1 {
		n[tool.LaneOf(m)]++
	}
}

// rounds compares how often the threads at a barrier went round the loops that it is in, if
// compared, and begins to count anew.
func (c *Check) rounds(st *tool.Block, e *event.BarrierComplete, compared bool) {
	if c.jumps == nil {
		return
	}
	at := e.Sites[0]
	for _, id := range slices.Sorted(maps.Keys(c.jumps)) {
		if !compared {
			break
		}
		to, back := c.jumps[id], c.run.SiteAt(id)
		if back.Func != at.Func || to > at.Index || at.Index > back.Index {
			continue
		}
		if sets := c.byRounds(st, e, id); len(sets) > 1 {
			c.otherRound(st, at, sets)
			break
		}
	}
	for i := range st.Warps() {
		clear(c.warp(st, i).rounds)
	}
}

// byRounds sorts the threads at a barrier by how often they took a branch since the last.
func (c *Check) byRounds(st *tool.Block, e *event.BarrierComplete, id int32) map[uint32]tool.Threads {
	sets := map[uint32]tool.Threads{}
	for i, lanes := range e.Arrived {
		counts := c.warp(st, i).rounds[id]
		for m := lanes; m != 0; m &= m - 1 {
			var n uint32
			if counts != nil {
				n = counts[tool.LaneOf(m)]
			}
			if sets[n] == nil {
				sets[n] = make(tool.Threads, st.Warps())
			}
			sets[n][i] |= m & -m
		}
	}
	return sets
}

func (c *Check) otherRound(st *tool.Block, at *event.Site, sets map[uint32]tool.Threads) {
	b := c.run
	f := &report.Finding{
		Tool: report.Synccheck, Kind: report.Barrier, Level: report.Pedantic, Cause: report.OtherRound,
		Summary: "threads meet in different rounds of a loop", Count: 1, Blocks: 1,
		Why: "the threads wait at one place, but have gone round the loop differently often since the last barrier",
		Fix: "let all threads go round the loop alike",
	}
	var counts []uint32
	for n := range sets {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	for _, n := range counts {
		p := b.Crowd("wait at", at, st, sets[n])
		p.Note = jumpsNote(n)
		f.Witnesses = append(f.Witnesses, p)
	}
	b.Add(f, 0, 0)
}

func jumpsNote(n uint32) string {
	if n == 1 {
		return "after 1 jump"
	}
	return fmt.Sprintf("after %d jumps", n)
}
