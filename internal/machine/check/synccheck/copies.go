package synccheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// A compiler copies a barrier when it unrolls the loop around it, and when it inlines the function
// around it. All copies have one source position, and a PTX file need not say where a function was
// inlined. Threads that meet at two copies of an unrolled loop are in different rounds of it, and
// that is a finding only for the pedantic. If one of two copies leads to the other, they may be
// such copies. If neither does, as for a function called in both branches of an if, they are two
// barriers: threads that are at both have parted.

// gathering is threads at one barrier.
type gathering struct {
	at       *event.Site
	position report.Position
	set      tool.Threads
}

// twoBarriers says whether two instructions are two barriers, and not one or copies of one in a
// loop.
func (c *Check) twoBarriers(x, y *event.Site) bool {
	switch {
	case x == y:
		return false
	case tool.PositionOf(x) != tool.PositionOf(y):
		return true
	case x.Func != y.Func:
		return false
	}
	f := c.run.Flow(x.Func)
	return !f.Leads(x.Index, y.Index) && !f.Leads(y.Index, x.Index)
}

// gather sorts the lanes that arrived by the barrier, or by the instruction, that they are at.
func (c *Check) gather(st *tool.Block, arrived []arrivedLanes, two func(x, y *event.Site) bool) []*gathering {
	var list []*gathering
	for _, a := range arrived {
		i := slices.IndexFunc(list, func(g *gathering) bool { return !two(g.at, a.site) })
		if i < 0 {
			i = len(list)
			list = append(list, &gathering{a.site, tool.PositionOf(a.site), make(tool.Threads, st.Warps())})
		}
		g := list[i]
		g.set[a.warp] |= a.lanes
		if a.site.Index < g.at.Index {
			g.at = a.site
		}
	}
	slices.SortFunc(list, func(x, y *gathering) int {
		return cmp.Or(x.position.Compare(y.position), cmp.Compare(x.at.Index, y.at.Index))
	})
	return list
}

// parted makes a finding of a barrier that completed although its threads are at two. It reports
// whether it did.
func (c *Check) parted(st *tool.Block, arrived []arrivedLanes) bool {
	list := c.gather(st, arrived, c.twoBarriers)
	if len(list) < 2 {
		return false
	}
	b, first := c.run, list[0]
	say := tool.WordsOf(first.at.Source.File)
	barrier := say.Barrier
	if first.at.Does.Meets == ptx.MeetCluster {
		barrier = say.ClusterBarrier
	}
	f := &report.Finding{
		Tool: report.Synccheck, Kind: report.Barrier, Level: report.Error, Cause: report.TwoBarriers,
		Summary: "threads of one block wait at different barriers", Count: 1, Blocks: 1,
		Why: "all threads of a block must reach the same barrier", Fix: "one " + barrier + " after the branch",
	}
	if tool.OwnCall(first.at) != "" {
		f.Fix = "one call after the branch, for all threads"
	}
	if first.position == list[1].position {
		f.Why = "its function was inlined in two branches: " + f.Why
		f.Fix = "one call of the function after the branch, for all threads"
	}
	if at := c.split(st, first.at, first.set, list[1].set); at != nil {
		f.Why += ", and " + b.BranchText(at) + " parts them"
	}
	for _, g := range list {
		p := b.Crowd("wait at", g.at, st, g.set)
		if first.position == list[1].position {
			p.Note = copyNote(p)
		}
		f.Witnesses = append(f.Witnesses, p)
	}
	slices.SortStableFunc(f.Witnesses, report.Witness.Compare)
	b.Add(f, 0, 0)
	return true
}

// otherCopy makes a finding, for the pedantic, of threads that meet at copies of one barrier.
func (c *Check) otherCopy(st *tool.Block, arrived []arrivedLanes) {
	list := c.gather(st, arrived, func(x, y *event.Site) bool { return x != y })
	if len(list) < 2 {
		return
	}
	b := c.run
	f := &report.Finding{
		Tool: report.Synccheck, Kind: report.Barrier, Level: report.Pedantic, Cause: report.OtherRound,
		Summary: "threads meet at different copies of a barrier", Count: 1, Blocks: 1,
		Why: "the barrier is in a loop that was unrolled or in a function that was inlined, and the threads are in different rounds or calls",
		Fix: "let all threads go round the loop, and call the function, alike",
	}
	for _, g := range list {
		p := b.Crowd("wait at", g.at, st, g.set)
		p.Note = copyNote(p)
		f.Witnesses = append(f.Witnesses, p)
	}
	b.Add(f, 0, 0)
}

// copyNote tells a copy from the others: "copy at ptx:57".
func copyNote(p report.Witness) string {
	if at, _, ok := strings.Cut(p.PTX, ": "); ok {
		return "copy at " + at
	}
	return ""
}
