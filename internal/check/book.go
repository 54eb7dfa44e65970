package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// book collects what the tools find in all orders of a launch.
type book struct {
	*siteTable
	o       *Options
	entry   *sim.Entry
	l       *sim.Launch
	m       *sim.Machine
	extents []sim.Extent
	module  *ptx.Module
	initial *Init // what the host had written before the launch; nil for all

	order        int
	orders       []string
	races        map[raceKey]*raceSeen // of the order under way
	findings     map[report.Identity]*found
	seen         map[report.Tool]uint64
	guesses      map[int32]bool // sites of plain reads that a compare-and-swap checks
	declarations map[string]sim.Position
	flows        map[string]*flow // of functions
	polling      map[int32]bool   // of sites, whether their loads wait for something
	scopes       map[string]*ptx.Scope
}

// found is a finding with what is needed to compare it with other sightings.
type found struct {
	*report.Finding
	rank  int // of the witness: the lowest is shown
	order int // the witness's
	seq   uint64
}

func newBook(o *Options, m *sim.Machine, e *sim.Entry, l *sim.Launch) *book {
	b := &book{
		siteTable: &siteTable{sites: map[*sim.Site]int32{}, siteAt: []*sim.Site{nil}},
		o:         o, entry: e, l: l, m: m, extents: m.Extents(), module: e.Module(),
		findings: map[report.Identity]*found{}, seen: map[report.Tool]uint64{}, guesses: map[int32]bool{}, flows: map[string]*flow{}, polling: map[int32]bool{}, scopes: map[string]*ptx.Scope{},
	}
	if o.Init != nil {
		b.initial = o.Init.clone()
	}
	return b
}

func (b *book) saw(t report.Tool, n int) {
	b.seen[t] += uint64(n)
}

// extent finds the allocation that holds an address.
func (b *book) extent(addr uint64) *sim.Extent {
	i, ok := slices.BinarySearchFunc(b.extents, addr, func(x sim.Extent, a uint64) int { return cmp.Compare(x.Addr, a) })
	if !ok {
		i--
	}
	if i < 0 || addr-b.extents[i].Addr >= uint64(b.extents[i].Size) {
		return nil
	}
	return &b.extents[i]
}

// begin starts an order.
func (b *book) begin(order int, name string) {
	b.order = order
	b.orders = append(b.orders, name)
	b.races = map[raceKey]*raceSeen{}
}

// add puts a finding down, or adds a sighting to one that is there. Within an order counts add up;
// of several, the first counts.
func (b *book) add(f *report.Finding, rank int, seq uint64) {
	f.Kernel, f.Grid, f.Block, f.LaunchedFrom = b.o.Kernel, b.l.Grid, b.l.Block, b.o.LaunchedFrom
	id := f.Identity()
	have := b.findings[id]
	name := b.orders[b.order]
	if have == nil {
		f.Orders = []string{name}
		b.findings[id] = &found{f, rank, b.order, seq}
		return
	}
	if have.Orders[0] == name {
		have.Count += f.Count
		have.Blocks = max(have.Blocks, f.Blocks)
	}
	if have.Object != nil && f.Object != nil {
		f.Object.First, f.Object.Last = min(have.Object.First, f.Object.First), max(have.Object.Last, f.Object.Last)
		have.Object.First, have.Object.Last = f.Object.First, f.Object.Last
	}
	if !slices.Contains(have.Orders, name) {
		have.Orders = append(have.Orders, name)
	}
	if rank < have.rank || rank == have.rank && have.order == b.order && seq < have.seq {
		f.Count, f.Blocks, f.Orders = have.Count, have.Blocks, have.Orders
		b.findings[id] = &found{f, rank, b.order, seq}
	}
}

// finish folds what the order under way has found into the findings.
func (b *book) finish() {
	list := make([]*raceSeen, 0, len(b.races))
	for _, s := range b.races {
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y *raceSeen) int {
		return cmp.Or(cmp.Compare(x.witness.seq, y.witness.seq), cmp.Compare(x.earlier, y.earlier), cmp.Compare(x.later, y.later),
			cmp.Compare(x.relation, y.relation), cmp.Compare(len(x.blocks), len(y.blocks)))
	})
	for _, s := range list {
		b.addRace(s)
	}
}

// list is the findings, sorted for people: by place. What another finding explains is left out.
func (b *book) list() []*report.Finding {
	var list []*report.Finding
	for id, f := range b.findings {
		f.Every = len(f.Orders) == len(b.orders)
		id.Kind = report.Race
		if f.Kind == report.SameValue && b.findings[id] != nil {
			continue
		}
		if f.Kind == report.Uninitialized && b.raced(f.Finding) {
			continue
		}
		list = append(list, f.Finding)
	}
	slices.SortFunc(list, (*report.Finding).Compare)
	return list
}

// raced says whether what a thread read uninitialised has a writer that is merely unordered: then
// that race is the finding.
func (b *book) raced(f *report.Finding) bool {
	for _, x := range b.findings {
		if x.Kind != report.Race || x.Space != f.Space {
			continue
		}
		for _, p := range x.Witnesses {
			if p.Source == f.Witnesses[0].Source && p.Func == f.Witnesses[0].Func && (p.Source.Line > 0 || p.PTX == f.Witnesses[0].PTX) {
				return true
			}
		}
	}
	return false
}

// place describes an instruction.
func (b *book) place(role string, at *sim.Site) report.Witness {
	p := report.Witness{Role: role}
	if at == nil {
		return p
	}
	p.Source, p.Stack, p.Func = at.Source, at.Stack, at.Func
	if p.Source.Line == 0 {
		p.Source.File = b.entry.Module().Source.Name
	}
	p.PTX = ptxOf(at)
	p.Text = b.text(at.Source)
	return p
}

// text is a source line, without white space around it.
func (b *book) text(s sim.Position) string {
	if b.o.Text == nil || s.Line == 0 {
		return ""
	}
	return strings.TrimSpace(b.o.Text(s.File, s.Line))
}

// thread describes a thread of the launch.
func (b *book) thread(block, warp int32, lane int) *report.Thread {
	linear := int(warp)*sim.WarpSize + lane
	g, d := b.l.Grid, b.l.Block
	n := int(block)
	return &report.Thread{
		Block:  [3]int{n % g[0], n / g[0] % g[1], n / (g[0] * g[1])},
		Thread: [3]int{linear % d[0], linear / d[0] % d[1], linear / (d[0] * d[1])},
		Warp:   int(warp), Lane: lane,
	}
}

// positionOf is the position of an instruction.
func positionOf(at *sim.Site) report.Position {
	return report.NewPosition(at.Source, at.Stack, at.Func, ptxOf(at))
}

// ptxOf is "ptx:57: st.shared.f32 …", without the line where that is not known.
func ptxOf(at *sim.Site) string {
	if at.Instr == nil {
		return ""
	}
	text := at.Instr.String()
	if line := at.Instr.Pos.Line; line > 0 {
		text = fmt.Sprintf("ptx:%d: %s", line, text)
	}
	return text
}
