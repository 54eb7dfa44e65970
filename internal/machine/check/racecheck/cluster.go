package racecheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Clusters. The shared memory of clustered blocks has one history, as their threads access each
// other's. Barriers do not make that history forget. The threads of a cluster are ordered by
// meetings at the cluster's barrier: the accesses of a thread before its arrival precede those of a
// thread after its wait.

// meeting is one completion of the barrier of a cluster.
type meeting struct {
	number   int   // the order of meetings
	block    int32 // a block of the cluster, to know the others by
	clusters clusters
	ended    [2]uint32                      // clocks at the meeting, for threads that had ended
	clocks   map[int32][][abi.WarpSize]tick // of the other threads when they arrived, by block and warp
	inits    map[int32][][abi.WarpSize]tick // the same for inits of mbarriers, if that differs
}

// clusters gives for each block of the grid, by its linear index, the number of its cluster. nil
// means that each block is its own cluster.
type clusters []int32

// same says whether two blocks are in one cluster.
func (c clusters) same(one, two int32) bool { return one == two || c != nil && c[one] == c[two] }

// tick is a moment by the clocks of the two histories.
type tick [2]uint32

// knows returns the lanes of an earlier entry that the meeting orders before all that follows it.
func (m *meeting) knows(which int, e entry, rec *record) (lanes uint32) {
	if m == nil || !m.clusters.same(rec.block, m.block) {
		return 0
	}
	warps := m.clocks[rec.block]
	if warps == nil {
		if e.rec < m.ended[which] {
			return e.lanes
		}
		return 0
	}
	inits := m.inits[rec.block]
	for rest := e.lanes; rest != 0; rest &= rest - 1 {
		lane := tool.LaneOf(rest)
		if e.rec < warps[rec.warp][lane][which] ||
			inits != nil && rec.flags&isInit != 0 && e.rec < inits[rec.warp][lane][which] {
			lanes |= rest & -rest
		}
	}
	return lanes
}

// sharedOf is the history of a block's shared memory.
func (r *Check) sharedOf(at *tool.Block) *history {
	if at.ClusterSize() == 1 {
		return newHistory(ptx.SharedSpace, 0)
	}
	if r.common == nil {
		r.common = newHistory(ptx.SharedSpace, 0)
	}
	return r.common
}

// home is the block whose shared memory an access is of.
func (r *Check) home(st *blockState, of *event.Block) *blockState {
	if of == nil || of == st.Block.Block {
		return st
	}
	return r.blocks[r.run.InFlight(of).Slot]
}

// arriveCluster notes what lanes have done when they arrive at the barrier of their cluster. One
// that is relaxed hands over what came before the last fence of the lane.
func (r *Check) arriveCluster(st *blockState, e *event.BarrierArrive) {
	if st.arrivals == nil {
		st.arrivals = make([][abi.WarpSize]tick, len(st.warps))
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		if !e.Relaxed {
			st.arrivals[e.Index][lane] = tick{st.shared.now(), r.global.now()}
			continue
		}
		t := st.synced(e.Thread(lane))
		if t == nil {
			continue
		}
		if t.fence != nil && t.fence.scope >= clusterScope {
			st.arrivals[e.Index][lane] = t.fence.self
		}
		if t.inits != (tick{}) {
			if st.inits == nil {
				st.inits = make([][abi.WarpSize]tick, len(st.warps))
			}
			st.inits[e.Index][lane] = t.inits
		}
	}
	r.renew(st, &st.warps[e.Index])
}

// meetCluster makes a meeting of the threads of blocks. What one of them has acquired, all know.
func (r *Check) meetCluster(blocks []*tool.Block) {
	r.meetings++
	m := &meeting{number: r.meetings, block: int32(blocks[0].Linear), clusters: r.clusters,
		clocks: map[int32][][abi.WarpSize]tick{}, inits: map[int32][][abi.WarpSize]tick{}}
	var known []acquired
	for _, b := range blocks {
		st := r.blocks[b.Slot]
		now := tick{st.shared.now(), r.global.now()}
		m.ended = now
		clocks := make([][abi.WarpSize]tick, len(st.warps))
		copy(clocks, st.arrivals)
		for i, exited := range st.Exited {
			for e := exited; e != 0; e &= e - 1 {
				clocks[i][tool.LaneOf(e)] = now
			}
		}
		m.clocks[int32(st.Linear)] = clocks
		if st.inits != nil {
			m.inits[int32(st.Linear)] = slices.Clone(st.inits)
		}
		r.collectAcquired(st)
		for _, a := range st.acquired {
			known = merge(known, a)
		}
	}
	for _, b := range blocks {
		st := r.blocks[b.Slot]
		st.meeting = m
		st.acquired = append([]acquired(nil), known...)
	}
}

// passCluster lets lanes know of the last meeting of their cluster.
func (r *Check) passCluster(st *blockState, e *event.ClusterPass) {
	r.learnOf(&st.warps[e.Index], e.Mask, st.meeting)
	r.renew(st, &st.warps[e.Index])
}

// learnOf lets lanes of a warp know of a meeting, unless they know of a later one.
func (r *Check) learnOf(ws *warpState, lanes uint32, m *meeting) {
	if m == nil {
		return
	}
	if ws.met == nil {
		ws.met = new([abi.WarpSize]*meeting)
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if lane := tool.LaneOf(lanes); ws.met[lane] == nil || ws.met[lane].number < m.number {
			ws.met[lane] = m
		}
	}
}

// lastMeeting is the last that one of some lanes knows of.
func (ws *warpState) lastMeeting(lanes uint32) (last *meeting) {
	for ; lanes != 0 && ws.met != nil; lanes &= lanes - 1 {
		if m := ws.met[tool.LaneOf(lanes)]; m != nil && (last == nil || last.number < m.number) {
			last = m
		}
	}
	return last
}

// shareMeetings makes what a thread of the block knows of meetings known to all, as a barrier does.
func (r *Check) shareMeetings(st *blockState) {
	var last *meeting
	for i := range st.warps {
		if m := st.warps[i].lastMeeting(^uint32(0)); m != nil && (last == nil || last.number < m.number) {
			last = m
		}
	}
	for i := range st.warps {
		r.learnOf(&st.warps[i], ^uint32(0), last)
	}
}

// metBefore are the lanes of an earlier entry that a lane knows of through meetings.
func (r *Check) metBefore(e entry, rec *record, lane int) uint32 {
	c := &r.cur
	if c.ws.met == nil {
		return 0
	}
	return c.ws.met[lane].knows(c.h.which, e, rec)
}
