package tile

import "github.com/gridstride/gridstride/gpu"

// A Ring is places in shared memory that go round between two roles of a block. Producers fill a
// place, and its full barrier waits for them and for what they copy. Consumers use it, and its
// empty barrier waits until all of them have released it. Then it is filled again.
//
// Each role keeps the [Turn] it is at, and takes the places in order. The places themselves are the
// caller's, as many as there are barriers. In a cluster whose blocks fill each other's places, a
// place is empty when the consumers of all blocks have released it.
type Ring struct{ full, empty []gpu.MBarrier }

// NewRing makes a ring with one place for each barrier of full, and of empty, which are in shared
// memory. A place is full after producers arrivals, and empty after consumers warps, of the whole
// cluster, have released it. All threads of the block make the call, and a [gpu.SyncCluster] must
// follow, or a [gpu.SyncThreads] if the cluster is this block alone.
func NewRing(full, empty []gpu.MBarrier, producers, consumers int) Ring {
	if gpu.ThreadIdx.X == 0 {
		for i := range full {
			gpu.MBarrierInit(&full[i], producers)
			gpu.MBarrierInit(&empty[i], consumers)
		}
		gpu.FenceMBarrierInit()
	}
	return Ring{full, empty}
}

// A Turn is a place of a ring in one round. The zero Turn is the first place in the first round.
type Turn struct {
	Place  int
	parity int // of the round
}

// Next is the turn after t.
func (r Ring) Next(t Turn) Turn {
	if t.Place++; t.Place == len(r.full) {
		t.Place, t.parity = 0, t.parity^1
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

// Release says to all blocks of the cluster that the warp uses the place no more. All of its
// threads make the call.
func (r Ring) Release(t Turn) {
	gpu.SyncWarp(gpu.FullMask)
	if lane := gpu.LaneID(); lane < gpu.ClusterSize() {
		gpu.MBarrierArriveClusterNoFence(gpu.MapSharedRank(&r.empty[t.Place], lane))
	}
}
