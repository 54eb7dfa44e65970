package racecheck

import (
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Barriers of the whole block, and barriers that only some warps take part in (bar.sync with a
// thread count, bar.arrive).

// arrival is a warp at a barrier.
type arrival struct {
	warp  int
	waits bool
	clock [2]uint32
	knows [2]map[int]uint32 // of other warps
}

// arrive notes what a warp has done so far when it reaches a barrier.
func (r *Check) arrive(st *blockState, e *event.BarrierArrive) {
	if e.ID == event.ClusterBarrier {
		r.arriveCluster(st, e)
		return
	}
	if e.Expected == 0 && e.Kind != event.BarrierNoWait {
		return
	}
	b := st
	a := arrival{warp: e.Index, waits: e.Kind != event.BarrierNoWait, clock: [2]uint32{b.shared.now(), r.global.now()}}
	if b.partial != nil {
		for which := range 2 {
			a.knows[which] = map[int]uint32{}
			for pair, clock := range b.partial[which] {
				if pair[0] == e.Index {
					a.knows[which][pair[1]] = clock
				}
			}
		}
	}
	if b.arrived == nil {
		b.arrived = map[int][]arrival{}
	}
	b.arrived[e.ID] = append(b.arrived[e.ID], a)
	r.renew(st, &st.warps[e.Index])
}

// complete orders what precedes a barrier before what follows it.
func (r *Check) complete(st *blockState, e *event.BarrierComplete) {
	if e.ID == event.ClusterBarrier {
		return // the blocks meet together
	}
	arrived := st.arrived[e.ID]
	delete(st.arrived, e.ID)
	whole := true
	for _, a := range arrived {
		whole = whole && a.waits
	}
	for i := range e.Arrived {
		whole = whole && e.Arrived[i]|e.Exited[i] == st.Existing(i)
	}
	if whole {
		r.collectAcquired(st)
		r.barrier(st, e.Sites)
		return
	}
	if st.partial == nil {
		st.partial = &[2]map[[2]int]uint32{{}, {}}
	}
	for _, a := range arrived {
		if a.waits {
			r.learn(st, a.warp, arrived)
		}
	}
}

// learn lets a warp that waited know of the others' accesses.
func (r *Check) learn(st *blockState, warp int, arrived []arrival) {
	for which := range 2 {
		known := st.partial[which]
		know := func(of int, clock uint32) {
			if key := [2]int{warp, of}; known[key] < clock {
				known[key] = clock
			}
		}
		for _, a := range arrived {
			know(a.warp, a.clock[which])
			for of, clock := range a.knows[which] {
				know(of, clock)
			}
		}
	}
	r.synced(st, &st.warps[warp])
}
