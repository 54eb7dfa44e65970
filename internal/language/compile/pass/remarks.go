package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// subject is the change that a remark is about, and the part of the loop that it changes: "" for the
// loop itself.
type subject struct{ noun, deed string }

// The subjects of remarks.
var (
	loopUnrolled   = subject{"", "unrolled"}
	arrayUnrolled  = subject{"", "unrolled for its local array"}
	loopSplit      = subject{"", "split from its checks"}
	loopGuarded    = subject{"", "copied without checks, for counters that grow"}
	checkSplit     = subject{"check", "split off"}
	loadMoved      = subject{"load", "moved before the loop"}
	checkMoved     = subject{"check", "moved before the loop"}
	operationMoved = subject{"operation", "moved before the loop"}
	unchangedMoved = subject{"", "invariant code moved before it"}
	loadLifted     = subject{"load", "issued before a branch"}
	loopPointers   = subject{"", "addressed by pointers"}
	addressPointer = subject{"address", "kept in a pointer"}
	loadVector     = subject{"load", "joined to a vector"}
	storeVector    = subject{"store", "joined to a vector"}
	loopKnown      = subject{"", "known as a loop"}

	loopApproximated = subject{"", "divisions and roots approximated"}
	loopFused        = subject{"", "products fused into sums"}
)

// The details of what was done.
const (
	wholeDetail     = " whole: %d iterations"
	stepsDetail     = " whole: %d iterations, with their barriers"
	arrayDetail     = ": %d iterations"
	remainderDetail = " by %d, with a remainder"
	splitDetail     = ": %d"
	pointersDetail  = ": %d"
	countDetail     = ": %d"
	sharedDetail    = ": %d, which %d addresses share"
	vectorDetail    = " of %d bytes"
)

// The reasons why something was not done.
const (
	becauseLoopInside    = "a loop is inside"
	becauseConvergent    = "threads execute an operation together"
	becauseBarrierInside = "a barrier is inside"
	becauseBarrier       = "a barrier is under a branch, or the loop has several ways out"
	becauseBothWays      = "both ways of a branch access memory between barriers"
	becauseLatches       = "several ways lead back to its start"
	becauseLarge         = "a body of %d instructions is over the limit of %d"
	becauseLargeWhole    = "%d instructions of all iterations are over the limit of %d"
	becauseOften         = "%d iterations are over the limit of %d"
	becauseUnknown       = "how often it runs is not known"
	becauseLoads         = "%d loads of an iteration are over the limit of %d"
	becauseBranches      = "%d branches of an iteration are over the limit of %d"
	becauseApart         = "%d addresses of an iteration that are no constant apart are over the limit of %d"
	becauseExchange      = "it reads and writes shared memory"
	becauseEnd           = "it does not begin with a test that leaves it"
	becauseEffect        = "a check, load or effect comes before its test"
	becauseTest          = "its test is not whether a counter of 64 bits is below a bound"
	becauseBound         = "the bound of its test may change in the loop"
	becauseStep          = "its counter does not grow by an amount that stays"
	becauseContinues     = "it goes on with the counter of the loop before"
	becauseStepRange     = "its counter does not grow"
	becauseCounterRange  = "its counter does not start at 0 or above and grow by an amount that stays"
	becauseNotLinear     = "what it tests does not grow evenly with the counter"
	becauseLength        = "the length that it tests changes in the loop"
	becauseAlias         = "a store may write there"
	becauseRead          = "a load between may read there"
	becauseOthers        = "other threads may write there"
	becauseBefore        = "a check or an effect may come before it"
	becauseAwaited       = "the loop waits for it to change"
	becauseCostly        = "not every iteration computes it"
	becauseLifted        = "%d loads are before that branch already"
	becauseAddressBranch = "its address is computed after the branch"
	becausePointers      = "the loop has %d pointers and %d distances already"
	becauseAlignment     = "its address is not known to be a multiple of %d"
	becauseEntries       = "goto enters it at two places"
)

// obstacle is a reason against a change. The zero value is no reason, or none worth a remark.
type obstacle struct {
	why     string
	numbers [2]int    // those that why names
	at      *ir.Value // the reason, or nil
}

// blocks reports whether there is an obstacle.
func (o obstacle) blocks() bool { return o.why != "" }

// remarker reports what a pass does to the loops of a function, and the obstacles to it. A nil
// remarker does nothing: nobody asked.
type remarker struct {
	to    *ir.Remarks
	loops *ir.Loops
	from  map[*ir.Loop]*ir.SourceLoop
}

func newRemarker(f *ir.Func, loops *ir.Loops) *remarker {
	if f.Remarks == nil {
		return nil
	}
	if loops == nil {
		loops = f.Loops(f.Dominators())
	}
	return &remarker{f.Remarks, loops, map[*ir.Loop]*ir.SourceLoop{}}
}

// did reports that a deed was done in a loop, to the loop or to v in it.
func (m *remarker) did(l *ir.Loop, s subject, v *ir.Value, detail string, numbers ...int) {
	if m != nil {
		m.add(l, s, v, false, detail, numbers, nil)
	}
}

// missed reports an obstacle to a deed.
func (m *remarker) missed(l *ir.Loop, s subject, v *ir.Value, o obstacle) {
	if m != nil && o.blocks() {
		m.add(l, s, v, true, o.why, o.numbers[:], o.at)
	}
}

func (m *remarker) add(l *ir.Loop, s subject, v *ir.Value, missed bool, detail string, numbers []int, at *ir.Value) {
	from := m.source(l)
	if from == nil {
		return
	}
	var args []any
	for _, n := range numbers[:strings.Count(detail, "%d")] {
		args = append(args, n)
	}
	r := ir.Remark{Loop: from, Noun: s.noun, Deed: s.deed, Missed: missed, Detail: fmt.Sprintf(detail, args...)}
	if v != nil {
		r.Of = v.Pos
	}
	if at != nil {
		r.At = at.Pos
	}
	m.to.Add(r)
}

// source is the loop of the source that l is, nil for no loop.
func (m *remarker) source(l *ir.Loop) *ir.SourceLoop {
	if l == nil {
		return nil
	}
	from, ok := m.from[l]
	if !ok {
		from = m.loops.Source(l)
		m.from[l] = from
	}
	return from
}

// finishRemarks drops what no longer holds, and adds what no pass sees: cycles that are no loops.
func finishRemarks(f *ir.Func) {
	m := newRemarker(f, nil)
	if m == nil {
		return
	}
	m.dropOvercome(f)
	for _, b := range entriesOfCycles(f) {
		m.to.Add(ir.Remark{Loop: ir.NewSourceLoop(b.Instrs[0].Pos, b.From), Deed: loopKnown.deed, Missed: true,
			Detail: becauseEntries})
	}
}

// dropOvercome drops the obstacles to what was done after all, those to splitting a loop from checks
// that are gone, and of those to a move all but the last, as Hoist runs again on the changed loop.
func (m *remarker) dropOvercome(f *ir.Func) {
	checked := map[*ir.SourceLoop]bool{}
	for _, b := range f.Blocks {
		if slices.ContainsFunc(b.Instrs, isBoundsCheck) {
			checked[m.source(m.loops.Of(b))] = true
		}
	}
	key := func(r ir.Remark) ir.Remark { return ir.Remark{Loop: r.Loop, Noun: r.Noun, Deed: r.Deed, Of: r.Of} }
	done, last := map[ir.Remark]bool{}, map[ir.Remark]int{}
	for i, r := range m.to.List {
		last[key(r)] = i
		done[key(r)] = done[key(r)] || !r.Missed
	}
	kept := m.to.List[:0]
	for i, r := range m.to.List {
		moot := (r.Deed == loopSplit.deed || r.Deed == checkSplit.deed) && !checked[r.Loop]
		again := r.Deed == loadMoved.deed && i != last[key(r)]
		if !r.Missed || !moot && !again && !done[key(r)] {
			kept = append(kept, r)
		}
	}
	m.to.List = kept
}

// isBoundsCheck reports whether v is a check that Split takes out of loops, and is not in a loop that
// only runs to let it fail.
func isBoundsCheck(v *ir.Value) bool {
	return v.Op == ir.Check && v.Sub != ir.CheckAssert && v.Name != splitOff
}

// entriesOfCycles lists the blocks to which an edge leads back that they do not dominate.
func entriesOfCycles(f *ir.Func) (out []*ir.Block) {
	dom := f.Dominators()
	place := make([]int, f.NumBlocks())
	for i, b := range dom.Order {
		place[b.ID] = i
	}
	for _, b := range dom.Order {
		back := func(p *ir.Block) bool {
			return dom.Reachable(p) && place[p.ID] >= place[b.ID] && !dom.Dominates(b, p)
		}
		if slices.ContainsFunc(b.Preds, back) {
			out = append(out, b)
		}
	}
	return out
}
