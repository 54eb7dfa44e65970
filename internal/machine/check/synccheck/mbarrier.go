package synccheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Mbarriers: operations on an address without one, init of one in use, more arrivals than a phase
// has left, and phases that never end. Racecheck reports races with an init, and arrivals that
// nothing orders.

// mbarrier is synccheck's knowledge of an address in a block's shared memory.
type mbarrier struct {
	init    *event.Site // of the mbarrier that is there; nil for none
	inval   *event.Site // of the one that was there
	word    lanes.Mbarrier
	phase   int             // the number of the phase under way
	arrived arrivals        // in that phase
	before  arrivals        // in the previous phase
	unborn  *report.Finding // of a use before any init
	early   bool            // it was used before its init
	used    bool            // it was used since its init
}

// arrivals are threads of the blocks of a cluster, by the blocks' linear indices.
type arrivals map[int]tool.Threads

// add adds a thread of a block.
func (a arrivals) add(st *tool.Block, warp, lane int) {
	if a[st.Linear] == nil {
		a[st.Linear] = make(tool.Threads, st.Warps())
	}
	a[st.Linear][warp] |= 1 << lane
}

// without are those that are not in b.
func (a arrivals) without(b arrivals) arrivals {
	rest := arrivals{}
	for block, list := range a {
		list = slices.Clone(list)
		for i, lanes := range b[block] {
			list[i] &^= lanes
		}
		rest[block] = list
	}
	return rest
}

// text is "threads 0..30", or in a cluster of several blocks "threads 0..30 of block (1,0,0)". It
// is "" if there are none.
func (a arrivals) text(of *tool.Block) string {
	var list []string
	for _, block := range slices.Sorted(maps.Keys(a)) {
		if a[block].Empty() {
			continue
		}
		s := "threads " + a[block].String()
		if of.ClusterSize() > 1 {
			s += " of block " + event.Dims(of.IndexOf(block))
		}
		list = append(list, s)
	}
	return strings.Join(list, " and ")
}

// mbarrier follows an operation on an mbarrier.
func (c *Check) mbarrier(st *tool.Block, e *event.Atomic, mask uint32) {
	op, ok := strings.CutPrefix(e.Op, "mbarrier.")
	if !ok || e.Space != ptx.SharedSpace {
		return
	}
	c.seen++
	b := c.block(c.run.InFlight(e.Home))
	if b.mbarriers == nil {
		b.mbarriers = map[uint64]*mbarrier{}
	}
	var m *mbarrier
	var at uint64
	for _, l := range e.Lanes {
		lane := int(l & 31)
		if mask>>lane&1 == 0 {
			continue
		}
		if m == nil || e.Addrs[lane] != at {
			at = e.Addrs[lane]
			if m = b.mbarriers[at]; m == nil {
				m = &mbarrier{}
				b.mbarriers[at] = m
			}
		}
		switch {
		case op == "init":
			c.initAgain(st, e, lane, m)
			*m = mbarrier{init: e.Site, word: lanes.Mbarrier(e.New[lane]), early: m.early || m.unborn != nil,
				arrived: arrivals{}, before: arrivals{}}
		case m.init == nil && m.inval != nil:
			c.misuse(st, e, lane, report.NoMbarrier, m.inval)
		case m.init == nil:
			if m.unborn == nil {
				m.unborn = c.describe(st, e, lane, report.NoMbarrier, nil)
			}
		case op == "inval":
			*m = mbarrier{inval: e.Site}
		default:
			c.count(st, e, lane, m)
		}
	}
}

// count follows the word of an mbarrier.
func (c *Check) count(st *tool.Block, e *event.Atomic, lane int, m *mbarrier) {
	was, is := lanes.Mbarrier(e.Old[lane]), lanes.Mbarrier(e.New[lane])
	m.word, m.used = is, true
	if e.Order == event.Release && e.Op != "mbarrier.complete_tx" {
		m.arrived.add(st, e.Index, lane)
	}
	switch {
	case was.Phase() != is.Phase():
		m.phase++
		m.arrived, m.before = m.before, m.arrived
		clear(m.arrived)
	case is.Pending() > was.Pending():
		c.misuse(st, e, lane, report.TooManyArrivals, m.init)
	}
}

// initAgain makes a finding of an init where an mbarrier is. If nobody has used that mbarrier, as in
// kernels of Triton, only the pedantic mind.
func (c *Check) initAgain(st *tool.Block, e *event.Atomic, lane int, m *mbarrier) {
	switch {
	case m.init == nil:
	case m.used:
		c.misuse(st, e, lane, report.LiveMbarrier, m.init)
	case c.run.Pedantic:
		f := c.describe(st, e, lane, report.LiveMbarrier, m.init)
		f.Level, f.Summary = report.Pedantic, "second init of an mbarrier that nobody has used"
		c.run.Add(f, 0, e.Seq)
	}
}

// misuse makes a finding of an operation that an mbarrier is not there for.
func (c *Check) misuse(st *tool.Block, e *event.Atomic, lane int, cause report.Cause, other *event.Site) {
	c.run.Add(c.describe(st, e, lane, cause, other), 0, e.Seq)
}

// mbarrierTexts has for each cause its summary, the reason, and a remedy.
var mbarrierTexts = map[report.Cause]struct{ summary, why, fix string }{
	report.NoMbarrier: {"no mbarrier there", "an mbarrier is there from its init to its inval",
		"init it first, and order the init before this"},
	report.LiveMbarrier: {"init of an mbarrier in use", "an mbarrier is there already, and the manual forbids a second init",
		"inval it first, when all threads are done with it"},
	report.TooManyArrivals: {"more arrivals than the phase has left",
		"all arrivals of the phase were there already, or this one counts for more than are missing",
		"init the mbarrier with the number of arrivals in a phase"},
}

func (c *Check) describe(st *tool.Block, e *event.Atomic, lane int, cause report.Cause, other *event.Site) *report.Finding {
	text := mbarrierTexts[cause]
	here := c.run.Witness(strings.TrimPrefix(e.Op, "mbarrier."), e.Site)
	here.Thread = c.run.Thread(int32(st.Linear), int32(e.Index), lane)
	f := &report.Finding{Tool: report.Synccheck, Kind: report.Barrier, Level: report.Error, Cause: cause,
		Summary: text.summary, Space: ptx.SharedSpace, Object: c.mbarrierAt(e.Addrs[lane], e.Site),
		Witnesses: []report.Witness{here}, Why: text.why, Fix: text.fix, Count: 1, Blocks: 1}
	if other != nil {
		role := "init"
		if cause == report.NoMbarrier {
			role = "inval"
		}
		f.Why += fmt.Sprintf(": the %s is at %s", role, tool.LineOf(other))
	}
	return f
}

// mbarrierAt is the variable that an mbarrier is in.
func (c *Check) mbarrierAt(offset uint64, at *event.Site) *report.Object {
	return c.run.Object(ptx.SharedSpace, offset, 8, offset, offset+7, ptx.B64, tool.IsC(at.Source.File))
}

// unborn makes findings of what a block used that never was an mbarrier in it.
func (c *Check) unborn(b *blockState) {
	for _, addr := range slices.Sorted(maps.Keys(b.mbarriers)) {
		if f := b.mbarriers[addr].unborn; f != nil {
			c.run.Add(f, 0, 0)
		}
	}
}

// awaits turns the finding of blocks that are stuck into one of the mbarriers that their threads
// wait for. It says whether there is a finding left to make.
func (c *Check) awaits(f *report.Finding, blocks []event.StuckBlock) bool {
	f.Kind, f.Cause, f.Summary = report.Barrier, report.PhaseNeverEnds, "threads wait for a phase that never ends"
	var why []string
	bytes, more := false, false // bytes that have not come, or come unexpected; more arrivals than a phase takes
	parity, part := "", false   // of threads that wait for a phase at which nobody has arrived; somebody has, at another
	for _, blk := range blocks {
		st := c.at(blk.Block)
		for _, t := range blk.Threads {
			if st == nil || t.State != event.AtMbarrier {
				continue
			}
			m := c.block(st).mbarriers[t.Mbarrier]
			if m == nil || m.init == nil || m.early && c.run.Has(report.Racecheck) {
				return false // its misuse has a finding already
			}
			bytes = bytes || m.word.Transactions() != 0
			more = more || m.word.Pending() > m.word.Expected()
			part = part || len(m.arrived) > 0
			if len(m.arrived) == 0 && len(m.before) == 0 && m.word.Pending() == m.word.Expected() && slices.Contains(t.Site.Instr.Mods, "parity") {
				parity = fmt.Sprintf("at %s wait for parity %d instead of %d if what is awaited is the phase before phase %d, as of memory "+
					"that nobody has used yet; otherwise let the threads that arrive do so before they wait",
					tool.LineOf(t.Site), 1-m.phase&1, m.phase&1, m.phase)
			}
			if text := c.lacks(f, st, m, t); !slices.Contains(why, text) {
				why = append(why, text)
			}
		}
	}
	f.Why = strings.Join(why, "; ")
	if bytes {
		f.Fix = "expect as many bytes as the copies of the phase have, zeros outside of a tensor included"
		return true
	}
	switch {
	case more:
		f.Fix = "let a thread arrive for a phase only after its wait for the phase before: the parity of that wait changes with every phase"
		return true
	case parity != "" && !part:
		f.Fix = parity
		return true
	}
	f.Fix = "let as many threads arrive in each phase as the init of the mbarrier says, also those that end or have nothing to do"
	return len(why) > 0
}

// lacks says what the phase under way of an mbarrier of a block lacks, for which threads wait.
func (c *Check) lacks(f *report.Finding, st *tool.Block, m *mbarrier, t event.StuckThreads) string {
	name := "the mbarrier"
	if o := c.mbarrierAt(t.Mbarrier, t.Site); o != nil {
		if name = o.Element(o.Index); f.Object == nil {
			f.Object = o
		}
	}
	if st.ClusterSize() > 1 {
		name += " of block " + event.Dims(st.Index)
	}
	text := fmt.Sprintf("phase %d of %s has %s", m.phase, name, m.word.Arrivals()) + m.word.Bytes()
	if s := m.arrived.text(st); s != "" {
		text += ", of " + s
	}
	if s := m.before.without(m.arrived).text(st); s != "" {
		text += "; " + s + " arrived in the phase before and not in this one"
	}
	return text
}
