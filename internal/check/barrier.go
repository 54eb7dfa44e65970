package check

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// synccheck looks at block barriers and at the masks of warp operations.
type synccheck struct {
	s     *session
	jumps map[int32]int // of conditional and other branches, the number of the instruction they go to; nil unless pedantic
	// failing says that the kernel records failed checks of its own and ends the thread with exit:
	// such threads are missed by no barrier.
	failing bool
}

// syncBlock is what synccheck knows of a block: who has arrived at which barrier.
type syncBlock struct {
	arrived [17][]arrivedLanes
}

type arrivedLanes struct {
	site  *sim.Site
	warp  int
	lanes uint32
	part  bool // the instruction names how many threads take part: the program knows what it does
}

// syncWarp is what synccheck knows of a warp: which way each lane went at each branch last.
type syncWarp struct {
	active   uint32 // lanes that accessed memory since their last branch
	ran      []uint32
	taken    []uint32 // by branch
	last     [sim.WarpSize]int32
	ended    [sim.WarpSize]*sim.Site
	returned uint32                          // lanes that ended right behind a branch
	failed   uint32                          // lanes that ended because a check of the kernel's own failed
	rounds   map[int32]*[sim.WarpSize]uint32 // since the last barrier, by the branch that jumps back; only when pedantic
}

func newSynccheck(s *session) *synccheck {
	c := &synccheck{s: s}
	if s.o.Pedantic {
		c.jumps = map[int32]int{}
	}
	for _, p := range s.entry.Params {
		c.failing = c.failing || p.Name == abi.FaultParam
	}
	return c
}

func (c *synccheck) start(st *blockState) {
	for i := range st.sync.arrived {
		st.sync.arrived[i] = st.sync.arrived[i][:0]
	}
	for i := range st.warps {
		w := &st.warps[i].sync
		clear(w.ran)
		w.active, w.returned, w.failed, w.rounds = 0, 0, 0, nil
		w.last = [sim.WarpSize]int32{}
	}
}

func (c *synccheck) branch(st *blockState, e *sim.Branch) {
	w := &st.warps[e.Index].sync
	id := c.s.site(e.Site)
	if int(id) >= len(w.ran) {
		w.ran = append(w.ran, make([]uint32, int(id)+16-len(w.ran))...)
		w.taken = append(w.taken, make([]uint32, len(w.ran)-len(w.taken))...)
	}
	w.ran[id] |= e.Mask
	w.taken[id] = w.taken[id]&^e.Mask | e.Taken
	w.active &^= e.Mask
	c.jumped(w, e.Site, e.Taken)
	if e.Mask == ^uint32(0) {
		for i := range w.last {
			w.last[i] = id
		}
		return
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		w.last[laneOf(m)] = id
	}
}

func (c *synccheck) exit(st *blockState, e *sim.Exit) {
	w := &st.warps[e.Index].sync
	for m := e.Mask; m != 0; m &= m - 1 {
		w.ended[laneOf(m)] = e.Site
	}
	w.returned |= e.Mask &^ w.active
	if c.failing && e.Site != nil && e.Site.Instr != nil && e.Site.Instr.Op == "exit" {
		w.failed |= e.Mask
	}
}

func (c *synccheck) arrive(st *blockState, e *sim.BarrierArrive) {
	st.sync.arrived[e.ID] = append(st.sync.arrived[e.ID], arrivedLanes{e.Site, e.Index, e.Mask, e.Expected != 0})
	st.warps[e.Index].sync.active |= e.Mask
}

// complete judges a barrier that completed: at one place, and with all threads?
func (c *synccheck) complete(st *blockState, e *sim.BarrierComplete) {
	arrived := st.sync.arrived[e.ID]
	defer func() { st.sync.arrived[e.ID] = arrived[:0] }()
	if arrived[0].part {
		return
	}
	c.rounds(st, e)
	if len(e.Sites) > 1 {
		if c.parted(st, arrived) {
			return
		}
		if c.s.o.Pedantic {
			c.otherCopy(st, arrived)
		}
	}
	ended := make(threadSet, len(st.warps))
	some := false
	for i, m := range e.Exited {
		ended[i] = m &^ st.warps[i].sync.failed
		some = some || ended[i] != 0
	}
	if !some {
		return
	}
	waiting := threadSet(slices.Clone(e.Arrived))
	c.missing(st, e.Sites[0], waiting, ended)
}

// missing makes a finding of threads that ended while others wait for them at a barrier.
func (c *synccheck) missing(st *blockState, at *sim.Site, waiting, ended threadSet) {
	b := c.s.book
	f := &report.Finding{Tool: report.Synccheck, Kind: report.Barrier, Level: report.Error, Cause: report.BranchSplits, Summary: "not all threads arrive", Count: 1, Blocks: 1}
	f.Witnesses = append([]report.Witness{b.crowd("wait at", at, st, waiting)}, c.ends(st, ended)...)
	split := c.split(st, at, waiting, ended)
	if c.returnedEarly(st, waiting, ended, split) {
		if !c.s.o.Pedantic {
			return
		}
		f.Level, f.Cause = report.Pedantic, report.EarlyReturn
		f.Summary = "threads returned before it"
	}
	f.Why, f.Fix = c.explainSplit(at, split, f.Cause)
	b.add(f, 0, 0)
}

// ends lists where threads ended.
func (c *synccheck) ends(st *blockState, ended threadSet) []report.Witness {
	sets := map[*sim.Site]threadSet{}
	var sites []*sim.Site
	for i, lanes := range ended {
		for m := lanes; m != 0; m &= m - 1 {
			at := st.warps[i].sync.ended[laneOf(m)]
			if sets[at] == nil {
				sets[at] = make(threadSet, len(st.warps))
				sites = append(sites, at)
			}
			sets[at][i] |= m & -m
		}
	}
	var places []report.Witness
	for _, at := range sites {
		p := c.s.book.crowd("finished at", at, st, sets[at])
		p.Source = c.s.book.end(p.Source)
		p.Text = ""
		places = append(places, p)
	}
	slices.SortStableFunc(places, report.Witness.Compare)
	return places
}

// end is where a function ends whose last instruction the compiler gave a place above: the next
// closing brace at the margin.
func (b *book) end(s sim.Position) sim.Position {
	s.Col = 0
	if b.o.Text == nil || s.Line == 0 || isC(s.File) {
		return s
	}
	const longest = 10_000
	for line := s.Line; line < s.Line+longest; line++ {
		if b.o.Text(s.File, line) == "}" {
			s.Line = line
			break
		}
	}
	return s
}

// returnedEarly says whether the threads that ended are those that a guard at the kernel's start
// sent home, as in "if i >= n { return }": right behind a branch and, where the source tells, by a
// return there. Without a source, the threads that wait must be those below a bound in each
// dimension.
func (c *synccheck) returnedEarly(st *blockState, waiting, ended threadSet, split *sim.Site) bool {
	for i, lanes := range ended {
		if lanes&^st.warps[i].sync.returned != 0 {
			return false
		}
	}
	if split != nil && split.Source.Line > 0 && c.s.o.Text != nil {
		if here := c.s.book.text(split.Source); here != "" {
			next := split.Source
			next.Line++
			return strings.Contains(here, "return") || strings.HasPrefix(c.s.book.text(next), "return")
		}
	}
	return waiting.isBox(st.Dim)
}

// split finds the branch that parted two sets of threads: one that all ran, where each set went one
// way. The last one above the barrier is nearest.
func (c *synccheck) split(st *blockState, at *sim.Site, one, other threadSet) *sim.Site {
	var best *sim.Site
	for id := 1; id < len(c.s.siteAt); id++ {
		site := c.s.siteAt[id]
		if site.Instr == nil || site.Instr.Op != "bra" || site.Func != at.Func {
			continue
		}
		way, ok := c.way(st, id, one)
		back, ok2 := c.way(st, id, other)
		if !ok || !ok2 || way == back {
			continue
		}
		if best == nil || site.Index < at.Index && (best.Index > at.Index || site.Index > best.Index) {
			best = site
		}
	}
	return best
}

// way says which way a set of threads went at a branch, if they all went one way.
func (c *synccheck) way(st *blockState, id int, set threadSet) (taken, ok bool) {
	var yes, no bool
	for i, lanes := range set {
		if lanes == 0 {
			continue
		}
		w := &st.warps[i].sync
		if id >= len(w.ran) || lanes&^w.ran[id] != 0 {
			return false, false
		}
		yes = yes || lanes&w.taken[id] != 0
		no = no || lanes&^w.taken[id] != 0
	}
	return yes, yes != no
}

func (c *synccheck) explainSplit(at, split *sim.Site, cause report.Cause) (why, fix string) {
	say := wordsOf(at.Source.File).barrier
	if at.Instr != nil && at.Instr.Op != "bar" && at.Instr.Op != "barrier" || slices.Contains(at.Instr.Mods, "warp") {
		say = "the warp operation"
	}
	switch {
	case cause == report.EarlyReturn:
		return "threads that have returned are not waited for on today's GPUs, but no manual promises it", "let all threads reach the barrier, and return behind it"
	case split == nil:
		return "some threads never come to it; a GPU would hang here", "let all threads reach it"
	}
	text := c.s.book.text(split.Source)
	switch {
	case strings.HasPrefix(text, "for"), strings.HasPrefix(text, "while"):
		return fmt.Sprintf("it is in the loop %s, which part of the block leaves earlier; a GPU would hang here", c.s.book.branchText(split)),
			"let all threads go round the loop equally often"
	case strings.Contains(text, "if"):
		return fmt.Sprintf("the barrier is inside %s, which only part of the block enters; a GPU would hang here", c.s.book.branchText(split)),
			fmt.Sprintf("move %s behind the if", say)
	}
	return fmt.Sprintf("%s sends part of the block past it; a GPU would hang here", c.s.book.branchText(split)), fmt.Sprintf("move %s behind the branch", say)
}

// branchText is "`if tid < s` (dot.go:56)".
func (b *book) branchText(at *sim.Site) string {
	text := strings.TrimSpace(strings.TrimSuffix(b.text(at.Source), "{"))
	if text == "" {
		return "the branch at " + lineOf(at)
	}
	return fmt.Sprintf("`%s` (%s)", text, lineOf(at))
}

// warpSync judges the mask of a warp operation that completed: lanes that it names and that did not
// take part have ended. It returns the lanes whose absence has its finding.
func (c *synccheck) warpSync(st *blockState, e *sim.WarpSync) (found uint32) {
	w := &st.warps[e.Index].sync
	gone := e.Member & existing(st, e.Index) &^ e.Mask &^ w.failed
	if gone == 0 {
		return w.failed
	}
	waiting, ended := make(threadSet, len(st.warps)), make(threadSet, len(st.warps))
	waiting[e.Index], ended[e.Index] = e.Mask, gone
	split := c.split(st, e.Site, waiting, ended)
	if c.returnedEarly(st, waiting, ended, split) {
		return w.failed // the manuals ask only the lanes that have not exited
	}
	b := c.s.book
	f := &report.Finding{
		Tool: report.Synccheck, Kind: report.WarpSync, Level: report.Error, Cause: report.LaneNeverArrives, Summary: fmt.Sprintf("lanes of mask %#08x never arrive", e.Member), Count: 1, Blocks: 1,
	}
	f.Witnesses = append([]report.Witness{b.crowd("wait at", e.Site, st, waiting)}, c.ends(st, ended)...)
	f.Why, f.Fix = c.explainSplit(e.Site, split, f.Cause)
	f.Why = strings.ReplaceAll(strings.ReplaceAll(f.Why, "the barrier", "it"), "part of the block", "part of the warp")
	b.add(f, 0, 0)
	return w.failed | gone
}

// stuck makes a finding of threads that wait for each other, or run for ever.
func (s *session) stuck(e *sim.Stuck) {
	if s.sync == nil || len(e.Blocks) == 0 {
		return
	}
	b := s.book
	f := &report.Finding{Tool: report.Synccheck, Kind: report.Barrier, Level: report.Error, Summary: "threads wait for each other", Count: 1, Blocks: 1}
	blk := e.Blocks[0]
	states := map[sim.WaitState]bool{}
	for _, t := range blk.Threads {
		states[t.State] = true
		p := b.place(string(t.State), t.Site)
		p.Threads, p.Ranges, p.Block, p.Note = t.Count, t.Ranges, new(blk.Block), t.Detail
		if t.State == sim.HaveFinished {
			p.Source, p.Text = b.end(p.Source), ""
		}
		f.Witnesses = append(f.Witnesses, p)
	}
	slices.SortStableFunc(f.Witnesses, func(x, y report.Witness) int { return strings.Compare(y.Role, x.Role) })
	switch {
	case errors.Is(e, sim.ErrNoProgress):
		f.Kind, f.Summary = report.NoProgress, "the kernel does not end"
		f.Why = fmt.Sprintf("its threads ran %d instructions without changing memory, completing a barrier or ending", s.o.Budget)
		f.Fix = "see what the threads that run wait for; where they only compute for so long, allow more instructions (--budget of gridstride check)"
	case states[sim.AtWarpSync] && !states[sim.AtBarrier]:
		f.Kind, f.Cause, f.Summary = report.WarpSync, report.LaneNeverArrives, "lanes wait for lanes that never arrive"
		f.Why = "all lanes that a mask names and that have not ended must reach the same warp operation"
		f.Fix = "build the mask from the condition under which the lanes get here"
	default:
		f.Cause = report.BranchSplits
		f.Why = "the threads wait at different places, each for the others; a GPU would hang here"
		f.Fix = "let all threads of the block reach the same barrier"
	}
	b.add(f, 0, 0)
}

// threadSet is threads of a block: lanes of each warp.
type threadSet []uint32

// ranges lists the threads' linear indices, both ends included.
func (t threadSet) ranges() (list [][2]int, n int) {
	for i, m := range t {
		n += bits.OnesCount32(m)
		for ; m != 0; m &= m - 1 {
			x := i*sim.WarpSize + laneOf(m)
			if k := len(list) - 1; k >= 0 && list[k][1] == x-1 {
				list[k][1] = x
			} else {
				list = append(list, [2]int{x, x})
			}
		}
	}
	return list, n
}

// isBox says whether the set is all threads below a bound in each dimension.
func (t threadSet) isBox(dim [3]int) bool {
	var most [3]int
	n := 0
	for i, lanes := range t {
		for m := lanes; m != 0; m &= m - 1 {
			x := i*sim.WarpSize + laneOf(m)
			at := [3]int{x % dim[0], x / dim[0] % dim[1], x / (dim[0] * dim[1])}
			for k := range most {
				most[k] = max(most[k], at[k]+1)
			}
			n++
		}
	}
	return n == most[0]*most[1]*most[2]
}

// crowd is a place with many threads of a block.
func (b *book) crowd(role string, at *sim.Site, st *blockState, set threadSet) report.Witness {
	p := b.place(role, at)
	p.Ranges, p.Threads = set.ranges()
	p.Block = new(st.Index)
	return p
}
