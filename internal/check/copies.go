package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/sim"
)

// A compiler copies a barrier when it unrolls the loop around it, and when it inlines the function
// around it. All copies have one source place, and a PTX file need not say where a function was
// inlined. Threads that meet at two copies of an unrolled loop are in different rounds of it, which
// only the pedantic mind. Of two copies one of which leads to the other, that may be so. Copies
// that do not, as those of a function called in both branches of an if, are two barriers: threads
// that are at both have parted.

// gathering is threads at one barrier.
type gathering struct {
	at    *sim.Site
	place string
	set   threadSet
}

// twoBarriers says whether two instructions are two barriers, and not one or copies of one in a
// loop.
func (c *synccheck) twoBarriers(x, y *sim.Site) bool {
	if placeID(x) != placeID(y) {
		return true
	}
	if x == y || x.Func != y.Func {
		return false
	}
	f := c.s.book.flowOf(x.Func)
	return !f.leads(x.Index, y.Index) && !f.leads(y.Index, x.Index)
}

// gather sorts the lanes that arrived by the barrier, or by the instruction, that they are at.
func (c *synccheck) gather(st *blockState, arrived []arrivedLanes, two func(x, y *sim.Site) bool) []*gathering {
	var list []*gathering
	for _, a := range arrived {
		i := slices.IndexFunc(list, func(g *gathering) bool { return !two(g.at, a.site) })
		if i < 0 {
			i = len(list)
			list = append(list, &gathering{a.site, placeID(a.site), make(threadSet, len(st.warps))})
		}
		g := list[i]
		g.set[a.warp] |= a.lanes
		if a.site.Index < g.at.Index {
			g.at = a.site
		}
	}
	slices.SortFunc(list, func(x, y *gathering) int {
		return cmp.Or(strings.Compare(x.place, y.place), cmp.Compare(x.at.Index, y.at.Index))
	})
	return list
}

// parted makes a finding of a barrier that completed although its threads are at two; it reports
// whether it did.
func (c *synccheck) parted(st *blockState, arrived []arrivedLanes) bool {
	list := c.gather(st, arrived, c.twoBarriers)
	if len(list) < 2 {
		return false
	}
	b, first := c.s.book, list[0]
	say := wordsOf(first.at.Source.File)
	f := &Finding{
		Tool: Synccheck, Kind: Barrier, Level: Error, Cause: TwoBarriers, Summary: "threads of one block wait at different barriers", Count: 1, Blocks: 1,
		Why: "all threads of a block must reach the same barrier", Fix: "one " + say.barrier + " behind the branch",
	}
	if first.place == list[1].place {
		f.Why = "its function was inlined in two branches: " + f.Why
		f.Fix = "one call of the function behind the branch, for all threads"
	}
	if at := c.split(st, first.at, first.set, list[1].set); at != nil {
		f.Why += ", and " + b.branchText(at) + " parts them"
	}
	id := string(Barrier) + "|" + string(TwoBarriers)
	for _, g := range list {
		p := b.crowd("wait at", g.at, st, g.set)
		if first.place == list[1].place {
			p.Note = copyNote(p)
		}
		f.Places = append(f.Places, p)
		id += "|" + g.place
	}
	slices.SortStableFunc(f.Places, comparePlaces)
	b.add(id, f, 0, 0)
	return true
}

// otherCopy makes a finding, for the pedantic, of threads that meet at copies of one barrier.
func (c *synccheck) otherCopy(st *blockState, arrived []arrivedLanes) {
	list := c.gather(st, arrived, func(x, y *sim.Site) bool { return x != y })
	if len(list) < 2 {
		return
	}
	b := c.s.book
	f := &Finding{
		Tool: Synccheck, Kind: Barrier, Level: Pedantic, Cause: OtherRound, Summary: "threads meet at different copies of a barrier", Count: 1, Blocks: 1,
		Why: "the barrier is in a loop that was unrolled or in a function that was inlined, and the threads are in different rounds or calls",
		Fix: "let all threads go round the loop, and call the function, alike",
	}
	for _, g := range list {
		p := b.crowd("wait at", g.at, st, g.set)
		p.Note = copyNote(p)
		f.Places = append(f.Places, p)
	}
	b.add(string(Barrier)+"|"+string(OtherRound)+"|"+list[0].place, f, 0, 0)
}

// copyNote tells a copy from the others: "copy at ptx:57".
func copyNote(p Place) string {
	if at, _, ok := strings.Cut(p.PTX, ": "); ok {
		return "copy at " + at
	}
	return ""
}
