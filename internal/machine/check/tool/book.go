package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Launch is a launch under the checks, and the options of the checks that the tools need.
type Launch struct {
	Entry       *event.Kernel
	Grid, Block [3]int
	Shared      int             // bytes of dynamic shared memory
	Params      []byte          // Entry.ParamSize bytes
	Budget      uint64          // warp instructions that the launch may run without progress
	Memory      []memory.Extent // what is allocated when the launch begins, sorted by address
	LocalLimit  int             // bytes of local memory that a thread may use
	Tools       []report.Tool   // the tools that were asked for; all when empty

	Kernel       string   // the kernel's name in reports
	LaunchedFrom string   // the host's source position; may be empty
	Buffers      []Buffer // names of global memory; where none fits, the kernel's pointer parameters do
	// Text returns a line of a source file without its line end, "" when it is not known. Lines
	// count from 1. nil is no text.
	Text     func(file string, line int) string
	Pedantic bool
}

// Buffer is a named range of global memory.
type Buffer struct {
	Name string
	Addr uint64
	Size int64
	Elem ptx.Type // "" when not known
	Type string   // the element's type in reports, such as "float32"; empty means the name of Elem
}

// Has reports whether a tool was asked for.
func (l *Launch) Has(t report.Tool) bool { return Asked(l.Tools, t) }

// Asked reports whether a tool is one of those asked for: all when there are none.
func Asked(tools []report.Tool, t report.Tool) bool {
	return len(tools) == 0 || slices.Contains(tools, t)
}

// Book collects what the tools find in all runs of a launch.
type Book struct {
	*Launch
	Module *ptx.Module

	sites        map[*event.Site]int32
	recent       [recentSites]recentSite
	siteAt       []*event.Site // by number; 0 is none
	extents      []memory.Extent
	order        int
	orders       []string
	findings     map[report.Identity]*found
	needs        map[report.Identity]*Order // of findings, what their places need
	seen         map[report.Tool]uint64
	declarations map[string]event.Position
	flows        map[string]*Flow // of functions
	ending       map[string]bool  // of functions, whether a thread can end there
	searched     int              // for places of barriers: see longestSearch
	polling      map[int32]bool   // of instructions, whether their loads wait for something
	scopes       map[string]*ptx.Scope
	numbers      map[*report.Object]ptx.Type // of objects whose declaration tells
}

// found is a finding with what is needed to compare it with other sightings.
type found struct {
	*report.Finding
	rank  int // of the witness: the lowest is shown
	order int // the witness's
	seq   uint64
}

// NewBook makes an empty book for a launch.
func NewBook(l *Launch) *Book {
	return &Book{
		Launch: l, Module: l.Entry.Module, extents: l.Memory,
		sites: map[*event.Site]int32{}, siteAt: []*event.Site{nil},
		findings: map[report.Identity]*found{}, needs: map[report.Identity]*Order{}, seen: map[report.Tool]uint64{},
		flows: map[string]*Flow{}, ending: map[string]bool{}, polling: map[int32]bool{}, scopes: map[string]*ptx.Scope{}, numbers: map[*report.Object]ptx.Type{},
	}
}

// recentSite is an instruction that Site was asked for, and its number.
type recentSite struct {
	at *event.Site
	n  int32
}

// recentSites is how many of them a book remembers, by the low bits of the instruction's place in its
// function.
const recentSites = 256

// Site gives an instruction its number, the same in all runs. No instruction has number 0.
func (b *Book) Site(at *event.Site) int32 {
	if at == nil {
		return b.number(at)
	}
	r := &b.recent[at.Index&(recentSites-1)]
	if r.at != at {
		*r = recentSite{at, b.number(at)}
	}
	return r.n
}

func (b *Book) number(at *event.Site) int32 {
	n, ok := b.sites[at]
	if !ok {
		n = int32(len(b.siteAt))
		b.sites[at] = n
		b.siteAt = append(b.siteAt, at)
	}
	return n
}

// SiteAt is the instruction of a number.
func (b *Book) SiteAt(n int32) *event.Site { return b.siteAt[n] }

// Sites are the instructions that have numbers.
func (b *Book) Sites() []*event.Site { return b.siteAt[1:] }

// allocated tells of memory that a kernel's malloc gave out. Addresses only grow, so the list stays
// sorted.
func (b *Book) allocated(e *event.Malloc) {
	b.extents = append(b.extents, memory.Extent{Addr: e.Addr, Size: e.Size, Name: "memory of malloc"})
}

// Extent finds the allocation that holds an address.
func (b *Book) Extent(addr uint64) *memory.Extent {
	lo, hi := 0, len(b.extents)
	for lo < hi {
		mid := (lo + hi) / 2
		if b.extents[mid].Addr <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	if x := &b.extents[lo-1]; addr-x.Addr < uint64(x.Size) {
		return x
	}
	return nil
}

// saw adds what a tool has looked at in a run.
func (b *Book) saw(t Tool) { b.seen[t.Name()] += t.Seen() }

// Seen returns how many accesses or operations a tool has looked at.
func (b *Book) Seen(t report.Tool) uint64 { return b.seen[t] }

// Begin starts a run, and names its order.
func (b *Book) Begin(order int, name string) {
	b.order = order
	b.orders = append(b.orders, name)
}

// Add puts a finding down, or adds a sighting to one that is there. Within an order counts add up;
// of several, the first counts.
func (b *Book) Add(f *report.Finding, rank int, seq uint64) {
	f.Kernel, f.Grid, f.Block, f.LaunchedFrom = b.Kernel, b.Grid, b.Block, b.LaunchedFrom
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
		f.Object.Span(have.Object)
		have.Object.Span(f.Object)
	}
	if !slices.Contains(have.Orders, name) {
		have.Orders = append(have.Orders, name)
	}
	if rank < have.rank || rank == have.rank && have.order == b.order && seq < have.seq {
		f.Count, f.Blocks, f.Orders = have.Count, have.Blocks, have.Orders
		b.findings[id] = &found{f, rank, b.order, seq}
	}
}

// Needs notes what the places of a finding need that has been added.
func (b *Book) Needs(f *report.Finding, o *Order) {
	switch id := f.Identity(); {
	case o == nil:
	case b.needs[id] == nil:
		b.needs[id] = o
	default:
		b.needs[id].join(o)
	}
}

// Order returns the order that the places of a finding need, nil for no barrier.
func (b *Book) Order(f *report.Finding) *Order { return b.needs[f.Identity()] }

// Findings returns the findings, sorted by position. It leaves out findings that another one
// explains.
func (b *Book) Findings() []*report.Finding {
	var list []*report.Finding
	for id, f := range b.findings {
		f.Every = len(f.Orders) == len(b.orders)
		id.Kind = report.Race
		if f.Kind == report.SameValue && b.findings[id] != nil {
			continue
		}
		if f.Kind == report.Uninitialized && b.Raced(f.Finding) {
			continue
		}
		if o := b.needs[f.Identity()]; o != nil && o.Insert != "" && reachOf(f.Cause) > 0 {
			f.Inserts = nil
			for _, at := range o.Before {
				f.Inserts = append(f.Inserts, report.Insertion{Func: o.Func, At: at, PTX: o.Insert})
			}
		}
		list = append(list, f.Finding)
	}
	slices.SortFunc(list, (*report.Finding).Compare)
	return list
}

// Raced says whether what a thread read uninitialised has a writer that is merely unordered: then
// that race is the finding.
func (b *Book) Raced(f *report.Finding) bool {
	for _, x := range b.findings {
		if x.Kind != report.Race || x.Space != f.Space {
			continue
		}
		for _, p := range x.Witnesses {
			if p.Source == f.Witnesses[0].Source && p.Func == f.Witnesses[0].Func &&
				(p.Source.Line > 0 || p.PTX == f.Witnesses[0].PTX) {
				return true
			}
		}
	}
	return false
}

// Witness describes an instruction, at which threads did what the role says.
func (b *Book) Witness(role string, at *event.Site) report.Witness {
	p := report.Witness{Role: role}
	if at == nil {
		return p
	}
	p.Source, p.Stack, p.Func = at.Source, at.Stack, at.Func
	if p.Source.Line == 0 {
		p.Source.File = b.Module.Source.Name
	}
	p.PTX = ptxOf(at)
	p.Text = b.Line(at.Source)
	return p
}

// Line is a source line, without white space around it.
func (b *Book) Line(s event.Position) string {
	if b.Text == nil || s.Line == 0 {
		return ""
	}
	return strings.TrimSpace(b.Text(s.File, s.Line))
}

// Thread describes a thread of the launch.
func (b *Book) Thread(block, warp int32, lane int) *report.Thread {
	linear := int(warp)*abi.WarpSize + lane
	g, d := b.Grid, b.Block
	n := int(block)
	return &report.Thread{
		Block:  [3]int{n % g[0], n / g[0] % g[1], n / (g[0] * g[1])},
		Thread: [3]int{linear % d[0], linear / d[0] % d[1], linear / (d[0] * d[1])},
		Warp:   int(warp), Lane: lane,
	}
}

// PositionOf is the position of an instruction.
func PositionOf(at *event.Site) report.Position {
	return report.NewPosition(at.Source, at.Stack, at.Func, ptxOf(at))
}

// ptxOf is "ptx:57: st.shared.f32 …", without the line where that is not known.
func ptxOf(at *event.Site) string {
	if at.Instr == nil {
		return ""
	}
	text := at.Instr.String()
	if line := at.Instr.Pos.Line; line > 0 {
		text = fmt.Sprintf("ptx:%d: %s", line, text)
	}
	return text
}
