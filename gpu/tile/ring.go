package tile

import "github.com/gridstride/gridstride/gpu"

// A Ring is places in shared memory that go round between two roles of a block. Producers fill a
// place, and its full barrier waits for them and for what they copy. Consumers use it, and its
// empty barrier waits until all of them have released it. Then it is filled again.
//
// Each role keeps the [Turn] it is at, and takes the places in order. The places themselves are the
// caller's, as many as there are barriers.
type Ring struct{ full, empty []gpu.MBarrier }

// NewRing makes a ring of as many places as full and empty have barriers, which lie in shared
// memory. A place is full after so many arrivals of producers, and empty after so many of
// consumers: [Ring.Release] is one of each warp. All threads of the block make the call, and a
// barrier of the block comes behind it; one of the cluster, where other blocks use the ring.
func NewRing(full, empty []gpu.MBarrier, producers, consumers int) Ring {
	if i := gpu.ThreadIdx.X; i < len(full) {
		gpu.MBarrierInit(&full[i], producers)
		gpu.MBarrierInit(&empty[i], consumers)
	}
	return Ring{full, empty}
}

// A Turn is a place of a ring in one round. The zero Turn is the first place in the first round.
type Turn struct {
	Place  int
	parity int // of the round
}

// Next is the turn behind t.
func (r Ring) Next(t Turn) Turn {
	if t.Place++; t.Place == len(r.full) {
		return Turn{0, t.parity ^ 1}
	}
	return t
}

// AwaitEmpty waits until the consumers have released the place of the round before, and gives the
// barrier at which the producers of this turn arrive. In the first round it does not wait.
func (r Ring) AwaitEmpty(t Turn) (full *gpu.MBarrier) {
	gpu.MBarrierWaitParity(&r.empty[t.Place], t.parity^1)
	return &r.full[t.Place]
}

// AwaitFull waits until the producers have filled the place.
func (r Ring) AwaitFull(t Turn) { gpu.MBarrierWaitParity(&r.full[t.Place], t.parity) }

// Release says that the warp uses the place no more. All of its threads make the call.
func (r Ring) Release(t Turn) {
	gpu.SyncWarp(gpu.FullMask)
	if gpu.LaneID() == 0 {
		gpu.MBarrierArrive(&r.empty[t.Place])
	}
}
