package tool

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Order describes how to order two places of a function: a barrier on every way from one to the
// other.
type Order struct {
	Func string
	// Ways are the ways that need a barrier: one, or two if the places are in a loop. Each is a
	// pair of instruction numbers, from and to. If both places are inside a branch that not all
	// threads enter, the way leads round the loop outside: to is then that branch, and from is ^n,
	// where n is the number of the instruction at which the branch's ways meet.
	Ways [][2]int
	// Before has for each way the instruction to insert a barrier before. Insert is the PTX
	// instruction that orders the threads there, or "" if that takes more than one.
	Before []int
	Insert string
	// Inside reports that a way exists on which no place is reached by all threads.
	Inside bool
	reach  Reach
}

// Reach says which threads an instruction makes meet.
type Reach int

// The threads of a warp, of a block, of a cluster and of the grid, each with those before.
const (
	OfWarp Reach = iota + 1
	OfBlock
	OfCluster
	OfGrid
)

// Outermost finds the outermost branch that is around one instruction and not around another, among
// the branches for which split returns true. It returns false if there is none.
func (b *Book) Outermost(function string, around, not int, split func(branch int) bool) (at *event.Site, ok bool) {
	f := b.Flow(function)
	for i := range f.instrs {
		if f.does[i].Branches() && split(i) && i != not && f.Around(i, around) && !f.Around(i, not) {
			return b.SiteOf(function, i), true
		}
	}
	return nil, false
}

// OutermostAround finds the outermost branch that is around two instructions, among the branches
// for which split returns true. Two copies of one branch, one around each instruction, count as
// one. It returns false if there is none.
func (b *Book) OutermostAround(one, two *event.Site, split func(branch int) bool) (at *event.Site, ok bool) {
	f := b.Flow(one.Func)
	around := func(to *event.Site) (list []*event.Site) {
		for i, in := range f.instrs {
			if (in.Op == "bra" || in.Op == "brx") && split(i) && f.onlyWay(i, to.Index) {
				list = append(list, b.SiteOf(one.Func, i))
			}
		}
		return list
	}
	others := around(two)
	for _, at := range around(one) {
		same := func(x *event.Site) bool { return x.Index == at.Index || x.Source == at.Source && at.Source.Line > 0 }
		if slices.ContainsFunc(others, same) {
			return at, true
		}
	}
	return nil, false
}

// onlyWay reports whether one of the ways of a branch leads to an instruction, and no other does
// without going back to a loop's start.
func (f *Flow) onlyWay(branch, to int) bool {
	ways := 0
	for _, next := range f.next(branch) {
		seen := make([]bool, len(f.instrs)+1)
		for todo := []int{next}; len(todo) > 0; {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if i == to {
				ways++
				break
			}
			if i < len(f.instrs) && !seen[i] {
				seen[i] = true
				todo = append(todo, f.forward[i]...)
			}
		}
	}
	return ways == 1
}

// Leads reports whether a thread can go from an instruction of a function to another one, or between
// copies of them that the compiler made, and meet no other thread on the way.
func (b *Book) Leads(from, to *event.Site) bool {
	f := b.Flow(from.Func)
	if from.Func != to.Func || max(from.Index, to.Index) >= len(f.instrs) || len(f.instrs) > longestFunction {
		return false
	}
	starts, ends := b.copies(f, from), b.copies(f, to)
	return slices.ContainsFunc(starts, func(one int) bool {
		return slices.ContainsFunc(ends, func(two int) bool { return f.leads(one, two, OfWarp, nil) })
	})
}

// copies are an instruction and some others of the same kind and place of the source.
func (b *Book) copies(f *Flow, at *event.Site) []int {
	const most = 8
	list := []int{at.Index}
	for i := range f.instrs {
		if x := b.site(f, i); i != at.Index && x.Source == at.Source && at.Source.Line > 0 && at.Instr != nil &&
			x.Instr.Op == at.Instr.Op && len(list) < most {
			list = append(list, i)
		}
	}
	return list
}

// The search for a place for a barrier takes the square of the function's length. longestFunction
// bounds the length, and longestSearch the squares of all searches of a launch together.
const (
	longestFunction = 4000
	longestSearch   = 1 << 27
)

// NewOrder finds where to put barriers that order two instructions of one function, for threads
// within a reach. first was seen before second. split reports whether the threads that must meet
// part at a branch. If one is late, which starts a copy, its thread waits for the copy somewhere on
// the way, and the barrier goes as near to the other as can be, after that wait. NewOrder returns
// nil if no way leads from one to the other without a barrier.
func (b *Book) NewOrder(first, second, late *event.Site, reach Reach, insert string, split func(branch int) bool) *Order {
	f := b.Flow(first.Func)
	if first.Func != second.Func || len(f.instrs) > longestFunction || max(first.Index, second.Index) >= len(f.instrs) {
		return nil
	}
	if b.searched += len(f.instrs) * len(f.instrs); b.searched > longestSearch {
		return nil
	}
	o := &Order{Func: first.Func, Insert: insert, reach: reach}
	ways := [][2]int{{first.Index, second.Index}}
	if first != second {
		ways = append(ways, [2]int{second.Index, first.Index})
	}
	all, most := f.notSplit(b, split, false), f.notSplit(b, split, true)
	for _, way := range ways {
		if !f.leads(way[0], way[1], o.reach, o.Before) {
			continue
		}
		at, ok := 0, false
		choices := []func(int) bool{all, most}
		if late == nil || way[0] != late.Index {
			choices = []func(int) bool{f.outside(way[0], all), f.outside(way[0], most), all, most}
		}
		for _, reached := range choices {
			if at, ok = f.cut(way[0], way[1], reach, reached); ok {
				break
			}
		}
		if !ok {
			way, ok = f.around(way, split)
			at = ^way[0]
		}
		if !ok || !all(at) && !most(at) {
			o.Inside = true
			continue
		}
		if slices.Contains(o.Ways, way) {
			continue
		}
		o.Ways = append(o.Ways, way)
		o.Before = append(o.Before, at)
	}
	if len(o.Ways) == 0 && !o.Inside {
		return nil
	}
	return o
}

// join adds the ways of another order between the same places of the source: of copies that the
// compiler made.
func (o *Order) join(x *Order) {
	if o.Func != x.Func || o.Insert != x.Insert {
		return
	}
	for i, way := range x.Ways {
		if !slices.Contains(o.Ways, way) {
			o.Ways, o.Before = append(o.Ways, way), append(o.Before, x.Before[i])
		}
	}
	o.Inside = o.Inside && x.Inside
}

// Covers reports whether the barriers of o also part the ways of x.
func (b *Book) Covers(o, x *Order) bool {
	if o.Func != x.Func || len(o.Before) == 0 {
		return false
	}
	f := b.Flow(o.Func)
	for _, way := range x.Ways {
		if f.leads(way[0], way[1], x.reach, o.Before) {
			return false
		}
	}
	return true
}

// around is the way round a loop from the outermost branch around two instructions that not all
// threads enter back to it. It returns false if there is none, and for instructions that follow each
// other inside the branch, which no barrier outside parts, unless a loop inside leads back.
func (f *Flow) around(way [2]int, split func(branch int) bool) (round [2]int, ok bool) {
	for i := range f.instrs {
		if !f.does[i].Branches() || !split(i) || !f.Around(i, way[0]) || !f.Around(i, way[1]) {
			continue
		}
		meet, ok := f.Meet(i)
		if !ok || !slices.Contains(f.upTo([]int{meet}, -1), i) {
			continue
		}
		outside := []int{meet}
		if !f.leads(way[0], way[1], OfWarp, outside) || f.leads(way[1], way[0], OfWarp, outside) {
			return [2]int{^meet, i}, true
		}
	}
	return way, false
}

// outside is reached, for instructions that are in no loop that another instruction is not in.
func (f *Flow) outside(from int, reached func(at int) bool) func(at int) bool {
	inner := make([]bool, len(f.instrs)+1)
	for back := range f.instrs {
		for _, head := range f.next(back) {
			if head <= back && (from < head || from > back) {
				for i := head; i <= back; i++ {
					inner[i] = true
				}
			}
		}
	}
	return func(at int) bool { return !inner[at] && reached(at) }
}

// leads reports whether a thread can go from one instruction to another without meeting the other
// threads of a reach. It does not go through the instructions of skip, before which barriers are to
// be inserted.
func (f *Flow) leads(from, to int, reach Reach, skip []int) bool {
	seen := make([]bool, len(f.instrs)+1)
	start := []int{^from}
	if from >= 0 {
		start = slices.Clone(f.next(from))
	}
	for todo := start; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == len(f.instrs) || seen[i] || slices.Contains(skip, i) {
			continue
		}
		if i == to {
			return true
		}
		seen[i] = true
		if f.brings(i) < reach {
			todo = append(todo, f.next(i)...)
		}
	}
	return false
}

// brings is which threads meet at the i-th instruction and wait for each other, 0 for none.
func (f *Flow) brings(i int) Reach {
	in, does := f.instrs[i], f.does[i]
	switch {
	case does.Kind == ptx.Calls:
		if c, err := in.Call(); err == nil && c.Target == ptx.Operand(ptx.Name(abi.SyncGrid)) {
			return OfGrid
		}
	case in.Guard != nil || !does.Orders || does.Waits != ptx.WaitThreads:
	case does.Meets == ptx.MeetCluster:
		return OfCluster
	case does.Meets == ptx.MeetMask:
		return OfWarp
	case does.Meets == ptx.MeetBlock && (does.Kind == ptx.Votes || does.Operand(in, ptx.Threads) < 0):
		return OfBlock
	}
	return 0
}

// cut finds an instruction that every way from one to another comes to, and that is reached by all
// threads: on the way down the one nearest to the end, and round a loop the one nearest to the
// start.
func (f *Flow) cut(from, to int, reach Reach, reached func(at int) bool) (at int, ok bool) {
	var order []int
	if from < to {
		for i := to; i > from; i-- {
			order = append(order, i)
		}
	} else {
		for i := from + 1; i < len(f.instrs); i++ {
			order = append(order, i)
		}
		for i := 0; i <= to; i++ {
			order = append(order, i)
		}
	}
	for _, i := range order {
		if reached(i) && !f.leads(from, to, reach, []int{i}) {
			return i, true
		}
	}
	return 0, false
}

// notSplit returns a function that reports whether all threads come to an instruction: no branch at
// which they part leads past it. Of a branch at which threads return early, only the way to the
// return counts if returned: a barrier does not wait for threads that have ended.
func (f *Flow) notSplit(b *Book, split func(branch int) bool, returned bool) func(at int) bool {
	past := make([]bool, len(f.instrs)+1)
	for i := range f.instrs {
		if !f.does[i].Branches() || !split(i) {
			continue
		}
		meet, ok := f.Meet(i)
		if !ok && returned && b.Returns(b.site(f, i)) {
			f.markReturn(i, past)
			continue
		}
		if !ok {
			meet = -1
		}
		for _, at := range f.upTo(f.next(i), meet) {
			past[at] = true
		}
	}
	return func(at int) bool { return !past[at] }
}

// Returns reports whether a branch whose ways meet only at the end is an early return, as far as can
// be known: an if around all that remains of a kernel has the same PTX. The source tells the two
// apart, if there is one.
func (b *Book) Returns(branch *event.Site) bool {
	at := branch.Source
	here := b.Line(at)
	if here == "" || strings.Contains(here, "return") {
		return true
	}
	at.Line++
	if b.Line(at) == "{" {
		at.Line++
	}
	return strings.HasPrefix(b.Line(at), "return")
}

// upTo lists the instructions that threads can reach from those in from, except end and what only
// follows it.
func (f *Flow) upTo(from []int, end int) (list []int) {
	seen := make([]bool, len(f.instrs)+1)
	for todo := slices.Clone(from); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == len(f.instrs) || seen[i] || i == end {
			continue
		}
		seen[i] = true
		list = append(list, i)
		todo = append(todo, f.next(i)...)
	}
	return list
}

// markReturn marks the shorter way of a branch, which is the return.
func (f *Flow) markReturn(branch int, past []bool) {
	var best []int
	for _, to := range f.next(branch) {
		if list := f.upTo([]int{to}, -1); best == nil || len(list) < len(best) {
			best = list
		}
	}
	for _, i := range best {
		past[i] = true
	}
}

// SiteOf is an instruction of a function with its position.
func (b *Book) SiteOf(function string, i int) *event.Site {
	at := b.site(b.Flow(function), i)
	at.Func = function
	return at
}

func (b *Book) site(f *Flow, i int) *event.Site {
	if i >= len(f.instrs) {
		return &event.Site{Index: i, Does: (*ptx.Instr)(nil).Effects()}
	}
	at := &event.Site{Index: i, Instr: f.instrs[i], Does: f.does[i]}
	if l := f.locs[i]; l != nil {
		at.Source = event.Position{File: b.Module.Files()[l.File], Line: l.Line, Col: l.Col}
	}
	return at
}

// CallsGrid reports whether the kernel has barriers of the whole grid.
func (b *Book) CallsGrid() bool {
	f := b.Flow(b.Entry.Name)
	for i := range f.instrs {
		if f.brings(i) == OfGrid {
			return true
		}
	}
	return false
}
