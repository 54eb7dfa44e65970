package racecheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// report puts the races of the run into the book, the first seen first.
func (r *Check) report() {
	list := slices.SortedFunc(maps.Values(r.races), func(x, y *raceSeen) int {
		return cmp.Or(cmp.Compare(x.witness.seq, y.witness.seq), cmp.Compare(x.earlier, y.earlier),
			cmp.Compare(x.later, y.later),
			cmp.Compare(x.relation, y.relation), cmp.Compare(len(x.blocks), len(y.blocks)))
	})
	for _, s := range list {
		r.add(s)
	}
}

// add makes a finding of a race.
func (r *Check) add(s *raceSeen) {
	b := r.run
	w := &s.witness
	first, second := r.run.SiteAt(s.earlier), r.run.SiteAt(s.later)
	object := func() *report.Object {
		return b.Object(s.space, w.addr, w.size, s.low, s.high, tool.AccessType(second.Instr), tool.IsC(first.Source.File))
	}
	of := b.ValueType(object())
	pair := []report.Witness{
		r.witness(first, &w.first, w.firstLane, w.firstValue, w, of),
		r.witness(second, &w.second, w.secondLane, w.secondValue, w, of),
	}
	if !(w.first.flags&isWrite == 0) && w.second.flags&isWrite == 0 {
		pair[1].Note = "order not guaranteed"
	}
	if pair[0].Compare(pair[1]) > 0 || pair[0].Compare(pair[1]) == 0 && pair[0].Role < pair[1].Role {
		pair[0], pair[1] = pair[1], pair[0] // write before read
		first, second = second, first
	}
	f := &report.Finding{
		Tool: report.Racecheck, Kind: report.Race, Level: report.Error, Cause: s.cause, Space: s.space,
		Witnesses: pair,
		Count:     s.count, Blocks: len(s.blocks),
	}
	if s.same {
		f.Kind, f.Level = report.SameValue, report.Note
	}
	if r.isGuess(s) {
		if !b.Pedantic {
			return
		}
		f.Level, f.Cause = report.Pedantic, report.AtomicWithPlain
	}
	if s.cause == report.NoFenceAtFlag {
		f.Level = report.Pedantic
	}
	f.Object = object()
	f.Summary = fmt.Sprintf("%s/%s, %s memory, %s", pair[0].Role, pair[1].Role, s.space, shortCause(s.cause))
	order := r.order(s)
	if _, _, update := r.lostUpdate(s.cause, first, second); update {
		order = nil
	}
	f.Why, f.Fix = r.explain(f, s, first, second, order)
	if lacksBarrier[s.cause] && s.unwaited && order != nil {
		f.Fix = waitOf(event.CopyEngine, r.run.SiteAt(s.earlier)) + " and " + f.Fix
	}
	if (w.first.flags|w.second.flags)&isCopy != 0 && (s.cause == report.NoBarrier || s.cause == report.NoWarpSync) {
		f.Why += "; waiting for a copy is for the thread that issued it alone"
	}
	if s.space == ptx.SharedSpace && w.other {
		f.Why += fmt.Sprintf("; the shared memory belongs to block (%d,%d,%d)", w.home[0], w.home[1], w.home[2])
	}
	rank := 1
	// The value that a write left says more than a value that will be overwritten.
	if w.first.flags&isWrite != 0 {
		rank = 0
	}
	b.Add(f, rank, w.seq)
	b.Needs(f, order)
}

// isGuess says whether the plain access of a pair is the first guess of a loop around the
// compare-and-swap that is the other.
func (r *Check) isGuess(s *raceSeen) bool {
	plain, other := s.earlier, s.later
	if (s.witness.first.flags^s.witness.second.flags)&isAtomic == 0 {
		return false
	}
	if s.witness.first.flags&isAtomic != 0 {
		plain, other = other, plain
	}
	at := r.run.SiteAt(other)
	return r.known[plain] && at.Does.Operand(at.Instr, ptx.Compared) >= 0
}

func (r *Check) witness(at *event.Site, rec *record, lane int, value []byte, w *sighting, of ptx.Type) report.Witness {
	role := "read"
	switch {
	case rec.flags&isAtomic != 0:
		role = "atomic"
	case rec.flags&isWrite != 0:
		role = "write"
	}
	p := r.run.Witness(role, at)
	p.Thread = r.run.Thread(rec.block, rec.warp, lane)
	t := r.valueType(at, w)
	if strings.HasPrefix(string(t), "b") && of.Bytes() == t.Bytes() {
		t = of
	}
	p.Value = tool.FormatValue(t, value)
	switch {
	case rec.flags&isCopy == 0:
	case at.Does.Agent == ptx.ProductAgent:
		p.Note = "product of a warpgroup"
	default:
		p.Note = "asynchronous copy"
	}
	return p
}

// valueType is the type as which a value is shown: the instruction's, or, where that has only bits,
// the variable's.
func (r *Check) valueType(at *event.Site, w *sighting) ptx.Type {
	t := tool.AccessType(at.Instr)
	if !strings.HasPrefix(string(t), "b") {
		return t
	}
	for _, v := range r.run.Entry.Shared {
		if v.Var.Type.Bytes() == t.Bytes() && w.addr >= uint64(v.Offset) && w.addr < uint64(v.Offset+v.Size) {
			return v.Var.Type
		}
	}
	return t
}

func shortCause(c report.Cause) string {
	switch c {
	case report.NoBarrier:
		return "no barrier between"
	case report.NoWarpSync:
		return "no warp sync between"
	case report.NoClusterBarrier:
		return "no cluster barrier between"
	case report.BlocksUnordered:
		return "different blocks"
	case report.SameInstruction:
		return "one instruction"
	}
	return string(c)
}

// explain says why a pair of accesses is a race, and what to do.
func (r *Check) explain(f *report.Finding, s *raceSeen, first, second *event.Site, order *tool.Order) (why, fix string) {
	rel := s.relation
	say := tool.WordsOf(first.Source.File)
	one, two := tool.LineOf(first), tool.LineOf(second)
	if why, fix, ok := r.lostUpdate(f.Cause, first, second); ok {
		return why, fix
	}
	between := r.between(first, second)
	switch {
	case order != nil && len(order.Before) > 0 && !order.Inside:
		between = r.places(order, rel)
	case order != nil:
		between = r.notByAll(first, second, r.split(first.Func, rel))
	case lacksBarrier[f.Cause] && first != second && first.Func == second.Func:
		between = fmt.Sprintf(" that one thread comes to after %s and the other before %s", one, two)
	case lacksBarrier[f.Cause] && first == second && rel <= inBlock:
		return "all threads come to this place, and nothing orders their turns", "let one thread do it, or give each thread a place"
	}
	if text, ok := agentTexts[f.Cause]; ok {
		switch {
		case first.Does.Agent == ptx.ProductAgent || second.Does.Agent == ptx.ProductAgent:
			say.CopyWait = "gpu.WGMMAWait(0), in PTX wgmma.wait_group,"
		case first.Does.Agent == ptx.BulkAgent:
			say.CopyWait, say.CopyCommit = say.BulkWait, say.BulkCommit
		}
		barrier := say.Barrier
		if rel == inCluster {
			barrier = say.ClusterBarrier
		}
		turns := fmt.Sprintf("between %s and %s", one, two)
		if one == two {
			turns = "between one turn at " + one + " and the next"
		}
		return text.why, strings.NewReplacer("WAIT", say.CopyWait, "COMMIT", say.CopyCommit, "BARRIER", barrier,
			"BETWEEN", turns, "PLACES", between).Replace(text.fix)
	}
	switch f.Cause {
	case report.SameInstruction:
		return "several lanes of one warp write to one place in one instruction; which of them stays is not defined",
			"let one thread write, or use an atomic"
	case report.NoWarpSync:
		return "the two threads are lanes of one warp, which are not in lock-step on Volta and later; only " +
			strings.TrimSuffix(say.WarpSync, "(mask)") +
			" or a block barrier orders them", say.WarpSync + between
	case report.NoBarrier:
		return "the two threads are in different warps; only a block barrier orders them", say.Barrier + between
	case report.BarrierTooLate:
		return fmt.Sprintf("the loop goes round from %s to %s with no barrier between; the one in the loop comes too late", two, one),
			say.Barrier + between
	case report.NoClusterBarrier:
		return "the two threads are in different blocks of a cluster; only a barrier of the cluster orders them",
			say.ClusterBarrier + between
	case report.BlocksUnordered:
		if order != nil && len(order.Before) > 0 && r.run.CallsGrid() {
			return "the two threads are in different blocks; only a barrier of the whole grid orders them",
				"gpu.SyncGrid()" + between
		}
		return "the two threads are in different blocks, which run in any order or at once; only a barrier of the whole grid orders them",
			"write to a place of the block's own, use an atomic, make two launches of it, or have the grid meet between them"
	case report.AtomicWithPlain:
		if rel == inGrid {
			return "one of the two is an atomic and the other a plain access, in different blocks, which a launch cannot order",
				"make both atomic, or make two launches of it"
		}
		return "one of the two is an atomic and the other a plain access, and nothing orders them",
			"make both atomic, or put " + map[relation]string{inBlock: "a block barrier", inCluster: "a barrier of the cluster", inWarp: "a warp sync or a barrier"}[rel] +
				" between them"
	case report.ScopeTooNarrow:
		if rel == inGrid {
			return "what orders them, an atomic or a fence, has a scope that has only one of the threads' blocks",
				"use the scope of the device"
		}
		return "what orders them, an atomic or a fence, has the scope of a block, and the threads are in two",
			"use the scope of the cluster or of the device"
	case report.NoReleaseFence:
		return "the atomic or flag that hands the data over orders nothing before it without a fence",
			fmt.Sprintf("%s after the first access and before the atomic or flag that the other thread waits for, in the thread that sets it", say.Fence)
	case report.NoAcquireFence:
		return "the lock was taken by a compare-and-swap, which orders nothing after it without a fence",
			say.Fence + " after the compare-and-swap that takes the lock"
	case report.NoFenceAtFlag:
		return "a thread that sees by an atomic or flag that the data is there needs a fence before it reads the data",
			fmt.Sprintf("%s between reading the atomic or flag and %s", say.Fence, tool.LineOf(r.run.SiteAt(s.later)))
	case report.LockNotHeld:
		return "one of the two threads holds a lock and the other does not", "take the lock around both accesses"
	}
	return "", ""
}

// lostUpdate explains a pair of accesses that are one update of two threads, as sum[k] += v: each
// reads, changes and writes back, and a barrier cannot part them.
func (r *Check) lostUpdate(cause report.Cause, first, second *event.Site) (why, fix string, ok bool) {
	switch cause {
	case report.NoBarrier, report.NoWarpSync, report.BlocksUnordered, report.SameInstruction:
	default:
		return "", "", false
	}
	for _, at := range [][2]*event.Site{{first, second}, {second, first}} {
		store, other := at[0], at[1]
		if store.Func != other.Func {
			return "", "", false
		}
		load, op, is := r.run.Flow(store.Func).Update(store.Index)
		if !is || other != store && other.Index != load {
			continue
		}
		why = "both threads read the element, change it and write it back: one of the two updates is lost"
		if name := tool.AtomicOf(store.Source.File, op); name != "" {
			return why, "use " + name + ", or an element for each thread", true
		}
		return why, "use an atomic, or an element for each thread", true
	}
	return "", "", false
}

// between is " between dot.go:24 and dot.go:27": where to insert a barrier. It must follow the
// first position, and precede the outermost statement that is around the second position and not
// around the first.
func (r *Check) between(first, second *event.Site) string {
	one, two := first.Source, second.Source
	switch {
	case first == second, one == two && one.Line > 0:
		return fmt.Sprintf(" between the threads' turns at %s, or a place for each thread", tool.LineOf(first))
	case one.Line == 0 || two.Line == 0:
		return fmt.Sprintf(" between %s and %s", tool.LineOf(first), tool.LineOf(second))
	case one.File == two.File && one.Line == two.Line:
		return fmt.Sprintf(" between the read and the write of %s: read into a variable first", tool.LineOf(first))
	}
	return fmt.Sprintf(" between %s and %s", tool.LineOf(first),
		event.Position{File: report.Base(two.File), Line: r.statement(one, two)})
}

// statement is the line on which the outermost statement around second begins that is not around
// first, told by the indentation.
func (r *Check) statement(first, second event.Position) int {
	if r.run.Text == nil || first.File != second.File {
		return second.Line
	}
	indent := func(line int) int {
		s := r.run.Text(first.File, line)
		if strings.TrimSpace(s) == "" {
			return 1 << 20
		}
		return len(s) - len(strings.TrimLeft(s, " \t"))
	}
	limit, best := indent(first.Line), second.Line
	for line := second.Line; line > first.Line && indent(best) > limit; line-- {
		text := strings.TrimSpace(r.run.Text(first.File, line))
		if indent(line) < indent(best) && !strings.HasPrefix(text, "}") && !strings.HasPrefix(text, "case ") && !strings.HasPrefix(text, "default:") {
			best = line
		}
	}
	return best
}
