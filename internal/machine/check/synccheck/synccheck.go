// Package synccheck finds barriers and warp operations that not all threads reach, and kernels that
// do not end.
package synccheck

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Check is synccheck at work on one run.
type Check struct {
	run    *tool.Run
	seen   uint64
	blocks []*blockState // by slot
	found  uint32        // lanes whose absence from the last warp operation has its finding, or needs none
	// jumps has for conditional and other branches the number of the instruction they go to; nil
	// unless pedantic.
	jumps map[int32]int
	// failing means that the kernel records failed checks and ends the thread with exit. No barrier
	// misses such threads.
	failing bool
	short   bool    // a warp has come to setmaxnreg wrongly, or not at all
	trails  bool    // the kernel has something at which threads wait for others
	out     []uint8 // of branches, where their ways meet
}

// blockState is synccheck's knowledge of a block: the threads that have arrived at each barrier.
type blockState struct {
	*tool.Block
	arrived [event.Barriers][]arrivedLanes
	warps   []warpState
	// by their offsets in shared memory
	mbarriers map[uint64]*mbarrier
}

type arrivedLanes struct {
	site  *event.Site
	warp  int
	lanes uint32
	// part means that the instruction names the number of threads that take part, so the program
	// may mean to leave others out.
	part bool
}

// warpState is synccheck's knowledge of a warp: which way each lane went last at each branch.
type warpState struct {
	ran    []uint32
	taken  []uint32 // by branch
	ended  [abi.WarpSize]*event.Site
	failed uint32 // lanes that ended because a check of the kernel's own failed

	trail   [abi.WarpSize][]step
	trails  uint32 // lanes whose trail has a step
	active  uint32 // lanes that accessed memory, or came to a barrier, since their last step
	judged  uint32 // lanes that ended, if it is known whether they skipped something
	skipped uint32 // those that did
	// parted has the branch at which lanes that were judged left the others for the kernel's end.
	// It is nil if they went past the others.
	parted [abi.WarpSize]*event.Site

	// since the last barrier, by the branch that jumps back; only when pedantic
	rounds map[int32]*[abi.WarpSize]uint32
}

// New makes synccheck for a run.
func New(run *tool.Run) *Check {
	c := &Check{run: run}
	if run.Pedantic {
		c.jumps = map[int32]int{}
	}
	c.failing, c.trails = run.Failing(), run.Runs(synchronizes)
	return c
}

// Name implements tool.Tool.
func (c *Check) Name() report.Tool { return report.Synccheck }

// Watch implements tool.Tool.
func (c *Check) Watch(on *tool.Events) {
	on.Start = append(on.Start, c.start)
	on.Access = append(on.Access, func(st *tool.Block, e *event.Access, _ uint32) {
		c.warp(st, e.Index).active |= e.Mask
	})
	on.Atomic = append(on.Atomic, func(st *tool.Block, e *event.Atomic, lanes uint32) {
		c.warp(st, e.Index).active |= e.Mask
		c.mbarrier(st, e, lanes)
	})
	on.Branch = append(on.Branch, c.branch)
	on.Exit = append(on.Exit, c.exit)
	on.Arrive = append(on.Arrive, c.arrive)
	on.Complete = append(on.Complete, c.complete)
	on.WarpSync = append(on.WarpSync, c.warpSync)
	on.Fault = append(on.Fault, c.fault)
	on.Stuck = append(on.Stuck, c.stuck)
	if c.jumps != nil {
		on.Step, on.StepWhile = append(on.Step, c.step), append(on.StepWhile, nil)
	}
}

// Seen implements tool.Tool.
func (c *Check) Seen() uint64 { return c.seen }

// Pending implements tool.Tool.
func (c *Check) Pending() int { return 0 }

// Finish implements tool.Tool.
func (c *Check) Finish() string {
	for _, b := range c.blocks {
		c.unborn(b)
	}
	return ""
}

// Found are the lanes whose absence from the warp operation that completed last has its finding, or
// needs none.
func (c *Check) Found() uint32 { return c.found }

// Ended is where a lane has ended.
func (c *Check) Ended(st *tool.Block, warp, lane int) *event.Site {
	return c.warp(st, warp).ended[lane]
}

func (c *Check) block(st *tool.Block) *blockState { return c.blocks[st.Slot] }

func (c *Check) warp(st *tool.Block, warp int) *warpState { return &c.blocks[st.Slot].warps[warp] }

func (c *Check) start(st *tool.Block) {
	if st.Slot == len(c.blocks) {
		c.blocks = append(c.blocks, &blockState{warps: make([]warpState, st.Warps())})
	}
	b := c.block(st)
	b.Block = st
	c.unborn(b)
	b.mbarriers = nil
	for i := range b.arrived {
		b.arrived[i] = b.arrived[i][:0]
	}
	for i := range b.warps {
		w := &b.warps[i]
		clear(w.ran)
		w.forgetTrails(^uint32(0))
		w.active, w.failed, w.judged, w.skipped, w.rounds = 0, 0, 0, 0, nil
	}
}

// step counts jumps that no condition guards, which are no branches.
func (c *Check) step(st *tool.Block, e *event.Step) {
	if e.Site.Does.Kind == ptx.Jumps && e.Site.Instr.Guard == nil {
		c.jumped(c.warp(st, e.Index), e.Site, e.Mask)
	}
}

// fault makes findings of masks and barriers that the simulator refuses.
func (c *Check) fault(e *event.Fault) {
	switch e.Kind {
	case event.BadMask, event.PartOfWarp, event.BadRegisters:
		c.short = c.short || e.Site.Does.Kind == ptx.Registers || e.Kind == event.PartOfWarp
		c.run.AddFault(e, report.Synccheck, report.WarpSync)
	case event.BadBarrier:
		c.run.AddFault(e, report.Synccheck, report.Barrier)
	}
}

func (c *Check) branch(st *tool.Block, e *event.Branch) {
	w := c.warp(st, e.Index)
	id := c.run.Site(e.Site)
	if int(id) >= len(w.ran) {
		w.ran = append(w.ran, make([]uint32, int(id)+16-len(w.ran))...)
		w.taken = append(w.taken, make([]uint32, len(w.ran)-len(w.taken))...)
	}
	w.ran[id] |= e.Mask
	w.taken[id] = w.taken[id]&^e.Mask | e.Taken
	c.follow(w, id, e)
	c.jumped(w, e.Site, e.Taken)
}

func (c *Check) exit(st *tool.Block, e *event.Exit) {
	w := c.warp(st, e.Index)
	for m := e.Mask; m != 0; m &= m - 1 {
		w.ended[tool.LaneOf(m)] = e.Site
	}
	if c.failing && e.Site != nil && e.Site.Does.Kind == ptx.Exits {
		w.failed |= e.Mask
	}
}

func (c *Check) arrive(st *tool.Block, e *event.BarrierArrive) {
	c.seen++
	c.block(st).arrived[e.ID] = append(c.block(st).arrived[e.ID],
		arrivedLanes{e.Site, e.Index, e.Mask, e.Expected != 0})
	c.warp(st, e.Index).active |= e.Mask
}

// complete judges a barrier that completed: at one position, and with all threads?
func (c *Check) complete(st *tool.Block, e *event.BarrierComplete) {
	arrived := c.block(st).arrived[e.ID]
	defer func() { c.block(st).arrived[e.ID] = arrived[:0] }()
	part := arrived[0].part
	if !part {
		defer c.restart(st, e)
		var together []arrivedLanes
		if len(e.Sites) > 1 || c.jumps != nil {
			together = byPlace(e.ID, arrived)
		}
		c.rounds(st, e, len(together) > 0)
		if len(e.Sites) > 1 {
			if c.parted(st, together) {
				return
			}
			if c.run.Pedantic {
				c.otherCopy(st, together)
			}
		}
	}
	if tool.Threads(e.Exited).Empty() {
		return
	}
	ended := make(tool.Threads, st.Warps())
	for i, m := range e.Exited {
		if !part || e.Arrived[i] != 0 && byWarps(e.Sites[0]) {
			ended[i] = m &^ c.warp(st, i).failed
		}
	}
	if !ended.Empty() {
		c.missing(st, e.Sites[0], tool.Threads(slices.Clone(e.Arrived)), ended)
	}
}

// byWarps says whether a barrier is one at which a warp arrives as a whole: all but barrier.sync
// and the like without .aligned. Barriers of the device's own are.
func byWarps(at *event.Site) bool { return at.Does.Whole || at.Does.Meets == ptx.NoMeeting }

// byPlace returns the arrivals at a barrier that all have to be at one place of the code. To PTX a
// barrier of a block is its number: threads that arrive by barrier.sync without .aligned may do so
// anywhere, and so may the warps at a barrier other than number 0, which is SyncThreads. The lanes
// of a warp come to an aligned barrier together. The barriers of a cluster and of the grid have no
// number: they are calls of SyncCluster and SyncGrid.
func byPlace(id int, arrived []arrivedLanes) (list []arrivedLanes) {
	if id >= event.ClusterBarrier {
		return arrived
	}
	warps := map[int]int{}
	for _, a := range arrived {
		if byWarps(a.site) {
			list = append(list, a)
			warps[a.warp]++
		}
	}
	if id == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(a arrivedLanes) bool { return warps[a.warp] == 1 })
}

// missing makes a finding of threads that ended while others wait for them at a barrier.
func (c *Check) missing(st *tool.Block, at *event.Site, waiting, ended tool.Threads) {
	b := c.run
	f := &report.Finding{Tool: report.Synccheck, Kind: report.Barrier, Level: report.Error, Cause: report.BranchSplits,
		Summary: "not all threads arrive", Count: 1, Blocks: 1}
	if skipped := c.skipped(st, waiting, ended); !skipped.Empty() {
		ended = skipped
	} else {
		if !b.Pedantic {
			return
		}
		f.Level, f.Cause = report.Pedantic, report.EarlyReturn
		f.Summary = "threads returned before it"
	}
	split := c.split(st, at, waiting, ended)
	f.Witnesses = append([]report.Witness{b.Crowd("wait at", at, st, waiting)}, c.ends(st, ended, c.past(split))...)
	f.Why, f.Fix = c.explainSplit(at, split, f.Cause)
	b.Add(f, 0, 0)
}

// ends lists where threads ended, with a note.
func (c *Check) ends(st *tool.Block, ended tool.Threads, note string) []report.Witness {
	sets := map[*event.Site]tool.Threads{}
	var sites []*event.Site
	for i, lanes := range ended {
		for m := lanes; m != 0; m &= m - 1 {
			at := c.warp(st, i).ended[tool.LaneOf(m)]
			if sets[at] == nil {
				sets[at] = make(tool.Threads, st.Warps())
				sites = append(sites, at)
			}
			sets[at][i] |= m & -m
		}
	}
	var list []report.Witness
	for _, at := range sites {
		p := c.run.Crowd("finished at", at, st, sets[at])
		p.Source = c.run.End(p.Source)
		p.Text, p.Note = "", note
		list = append(list, p)
	}
	slices.SortStableFunc(list, report.Witness.Compare)
	return list
}

func (c *Check) warpSync(st *tool.Block, e *event.WarpSync) {
	c.found = ^uint32(0)
	if e.Site.Does.Meets != ptx.NoMeeting { // activemask meets nobody
		c.seen++
		c.found = c.mask(st, e)
	}
}

// mask judges the mask of a warp operation that completed: lanes that it names and that did not
// take part have ended. It returns the lanes whose absence has its finding, or needs none.
func (c *Check) mask(st *tool.Block, e *event.WarpSync) (found uint32) {
	w := c.warp(st, e.Index)
	gone := e.Member & st.Existing(e.Index) &^ e.Mask &^ w.failed
	if gone == 0 {
		return w.failed
	}
	waiting, ended := make(tool.Threads, st.Warps()), make(tool.Threads, st.Warps())
	waiting[e.Index], ended[e.Index] = e.Mask, gone
	if ended = c.skipped(st, waiting, ended); ended.Empty() {
		return w.failed // the manuals ask only the lanes that have not exited
	}
	b := c.run
	f := &report.Finding{
		Tool: report.Synccheck, Kind: report.WarpSync, Level: report.Error, Cause: report.LaneNeverArrives,
		Summary: fmt.Sprintf("lanes of mask %#08x never arrive", e.Member), Count: 1, Blocks: 1,
	}
	split := c.split(st, e.Site, waiting, ended)
	f.Witnesses = append([]report.Witness{b.Crowd("wait at", e.Site, st, waiting)},
		c.ends(st, ended, c.past(split))...)
	f.Why, f.Fix = c.explainSplit(e.Site, split, f.Cause)
	f.Why = strings.ReplaceAll(strings.ReplaceAll(f.Why, "the barrier", "it"), "part of the block", "part of the warp")
	b.Add(f, 0, 0)
	return w.failed | gone
}

// at is the block in flight of an index.
func (c *Check) at(index [3]int) *tool.Block {
	for _, b := range c.blocks {
		if b.Block != nil && b.Index == index {
			return b.Block
		}
	}
	return nil
}

// crowds adds to a finding where the threads of a block are, and says which states there are.
func (c *Check) crowds(f *report.Finding, blk event.StuckBlock) map[event.WaitState]bool {
	states := map[event.WaitState]bool{}
	for _, t := range blk.Threads {
		states[t.State] = true
		p := c.run.OwnWitness(string(t.State), t.Site)
		p.Threads, p.Ranges, p.Block, p.Note = t.Count, t.Ranges, new(blk.Block), cmp.Or(t.Detail, p.Note)
		if t.State == event.HaveFinished {
			p.Source, p.Text = c.run.End(p.Source), ""
		}
		f.Witnesses = append(f.Witnesses, p)
	}
	return states
}

// betweenBlocks says whether threads wait for what threads of another block may do.
func betweenBlocks(t event.StuckThreads) bool {
	return t.State == event.AtCluster || t.State == event.AtMbarrier
}

// stuck makes a finding of threads that wait for each other, or run for ever.
func (c *Check) stuck(e *event.Stuck) {
	if len(e.Blocks) == 0 {
		return
	}
	b := c.run
	f := &report.Finding{Tool: report.Synccheck, Kind: report.Barrier, Level: report.Error,
		Summary: "threads wait for each other", Count: 1, Blocks: 1}
	blk := e.Blocks[0]
	states := c.crowds(f, blk)
	for _, other := range e.Blocks[1:] {
		if states[event.AtCluster] || states[event.AtMbarrier] || slices.ContainsFunc(other.Threads, betweenBlocks) {
			maps.Copy(states, c.crowds(f, other))
			f.Blocks++
		}
	}
	slices.SortStableFunc(f.Witnesses, func(x, y report.Witness) int { return strings.Compare(y.Role, x.Role) })
	switch {
	case (states[event.AtRegisters] || states[event.AtProducts]) && c.short:
		return // what lacks has its finding
	case states[event.AtRegisters]:
		f.Cause, f.Summary = report.RegistersNeverCome, "warps wait for registers that never come"
		f.Why = "a warp that asks for registers waits until others of the block have given them away: the registers of the " +
			"block are those that its warps have at first"
		f.Fix = "give away what is asked for: over all warps the registers after setmaxnreg are no more than before"
	case states[event.AtMbarrier] && !states[event.Running]:
		if !c.awaits(f, e.Blocks) {
			return
		}
	case errors.Is(e, event.ErrNoProgress):
		f.Kind, f.Summary = report.NoProgress, "the kernel does not end"
		f.Why = fmt.Sprintf("its threads ran %d instructions without changing memory, completing a barrier or ending",
			c.run.Budget)
		f.Fix = "see what the threads that run wait for; if they only compute for that long, allow more instructions (--budget of gridstride check)"
	case states[event.AtWarpSync] && !states[event.AtBarrier]:
		f.Kind, f.Cause, f.Summary = report.WarpSync, report.LaneNeverArrives, "lanes wait for lanes that never arrive"
		f.Why = "all lanes that a mask names and that have not ended must reach the same warp operation"
		f.Fix = "build the mask from the condition under which the lanes get here"
	case states[event.AtCluster]:
		f.Cause, f.Summary = report.BranchSplits, "threads wait for a part of the cluster that never comes"
		f.Why = "some threads of the cluster wait elsewhere, for others that wait for the cluster; a GPU would hang here"
		f.Fix = "let every thread of the cluster make the same calls of " + tool.WordsOf(blk.Threads[0].Site.Source.File).ClusterBarrier
	case states[event.AtGrid]:
		f.Cause, f.Summary = report.BranchSplits, "threads wait for a part of the grid that never comes"
		f.Why = "some threads of the grid have ended, or wait elsewhere; a GPU would hang here"
		f.Fix = "let every thread of the grid make the same calls of gpu.SyncGrid"
	default:
		f.Cause = report.BranchSplits
		f.Why = "the threads wait at different places, each for the others; a GPU would hang here"
		f.Fix = "let all threads of the block reach the same barrier"
	}
	b.Add(f, 0, 0)
}
