package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Identity is the same for findings that count as one, in any number of runs and launches: the
// kernel, the fault, an unordered pair of positions, the address space and how the threads are
// related. It is comparable.
type Identity struct {
	Kernel   string
	Kind     Kind
	Space    ptx.Space
	Relation Relation
	At       [2]Position // the lower one first, twice the same if there is one
}

// Relation is how near to each other the two threads of a race are, which says what could order
// them. Of any other finding it is the cause.
type Relation string

// The relations of a race.
const (
	InWarp  Relation = "warp"
	InBlock Relation = "block"
	InGrid  Relation = "grid"
)

// compare orders relations of races by how near they are.
func (r Relation) compare(o Relation) int {
	order := []Relation{InWarp, InBlock, InGrid}
	return cmp.Or(cmp.Compare(slices.Index(order, r), slices.Index(order, o)), strings.Compare(string(r), string(o)))
}

// Position tells positions apart: by source with the calls inlined there, or without a source by
// function and instruction.
type Position struct {
	Source  event.Position
	Inlined string
	PTX     string
}

// Identity is the finding's. A barrier is one finding wherever the threads ended that it misses,
// and a kernel that does not end is one wherever its threads wait at that moment.
func (f *Finding) Identity() Identity {
	id := Identity{Kernel: f.Kernel, Kind: f.Kind, Space: f.Space, Relation: Relation(f.Cause)}
	var list []*Witness
	for i := range f.Witnesses {
		if w := &f.Witnesses[i]; !w.Ended() && (f.Kind != NoProgress || w.Role == string(event.Running)) {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return id
	}
	first, last := list[0], list[len(list)-1]
	if f.Kind == NoProgress {
		last = first
	}
	if f.Tool == Racecheck {
		id.Relation = relationOf(first.Thread, last.Thread)
	}
	id.At = [2]Position{first.position(), last.position()}
	if id.At[0].Compare(id.At[1]) > 0 {
		id.At[0], id.At[1] = id.At[1], id.At[0]
	}
	return id
}

// relationOf is the relation of two threads, or "" if they are not known.
func relationOf(x, y *Thread) Relation {
	switch {
	case x == nil || y == nil:
		return ""
	case x.Block != y.Block:
		return InGrid
	case x.Warp != y.Warp:
		return InBlock
	}
	return InWarp
}

// NewPosition is the position of an instruction of a PTX function, whose source is inlined through
// the calls of stack.
func NewPosition(source event.Position, stack []event.Position, function, ptx string) Position {
	if source.Line == 0 {
		return Position{PTX: function + " " + ptx}
	}
	p := Position{Source: source}
	if len(stack) > 0 {
		p.Inlined = fmt.Sprint(stack)
	}
	return p
}

func (w *Witness) position() Position { return NewPosition(w.Source, w.Stack, w.Func, w.PTX) }

func (x Identity) compare(y Identity) int {
	return cmp.Or(strings.Compare(x.Kernel, y.Kernel), strings.Compare(string(x.Kind), string(y.Kind)),
		strings.Compare(string(x.Space), string(y.Space)), x.Relation.compare(y.Relation),
		x.At[0].Compare(y.At[0]), x.At[1].Compare(y.At[1]))
}

// Compare orders positions.
func (x Position) Compare(y Position) int {
	return cmp.Or(CompareSources(x.Source, y.Source), strings.Compare(x.Inlined, y.Inlined),
		strings.Compare(x.PTX, y.PTX))
}

// Compare is the order of reports: kernel, positions, tool, kind, cause, and then the identity.
func (f *Finding) Compare(g *Finding) int {
	c := strings.Compare(f.Kernel, g.Kernel)
	for i := 0; i < len(f.Witnesses) && i < len(g.Witnesses); i++ {
		c = cmp.Or(c, f.Witnesses[i].Compare(g.Witnesses[i]))
	}
	return cmp.Or(c, strings.Compare(string(f.Tool), string(g.Tool)), strings.Compare(string(f.Kind), string(g.Kind)),
		strings.Compare(string(f.Cause), string(g.Cause)), f.Identity().compare(g.Identity()))
}

// Compare orders witnesses by position.
func (w Witness) Compare(o Witness) int {
	return cmp.Or(CompareSources(w.Source, o.Source), strings.Compare(w.Func, o.Func), strings.Compare(w.PTX, o.PTX))
}

// CompareSources orders positions in source files.
func CompareSources(x, y event.Position) int {
	return cmp.Or(strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
}

// Base is the last part of a source file's path, of whatever machine.
func Base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }
