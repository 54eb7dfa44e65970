package onegroup

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Tiles of wide kernels, whose warpgroups have 64 rows each. This many adjacent blocks share the
// copies of their rows of A.
const (
	WideGroups = 2
	WideRows   = WideGroups * warpgroups.GroupRows
	WideCols   = 64
	WideAcross = 2
)

// Alone is the body of kernels whose blocks have their tiles to themselves. fetch starts the copies
// of a place, from one along k on. multiply starts the products of a place. A place is filled again
// a round after its products have been started, so there are two at least, or as many as rounds.
func Alone[C any](full []gpu.MBarrier, deep, depth int, sum *C,
	fetch func(place int, full *gpu.MBarrier, k int), multiply func(sum *C, place int, add bool),
) {
	places, rounds := len(full), (deep+depth-1)/depth
	Begin(full, rounds, depth, fetch)
	place, parity := 0, 0
	for round := range rounds {
		gpu.MBarrierWaitParity(&full[place], parity)
		gpu.WGMMAFence()
		multiply(sum, place, round > 0)
		gpu.WGMMACommit()
		if round > 0 && round-1+places < rounds {
			last := place - 1
			if place == 0 {
				last = places - 1
			}
			gpu.WGMMAWait(1)
			gpu.SyncThreads()
			if gpu.ThreadIdx.X == 0 {
				fetch(last, &full[last], (round-1+places)*depth)
			}
		}
		if place++; place == places {
			place, parity = 0, parity^1
		}
	}
	gpu.WGMMAWait(0)
}

// Begin has the first places filled.
func Begin(full []gpu.MBarrier, rounds, depth int, fetch func(place int, full *gpu.MBarrier, k int)) {
	if gpu.ThreadIdx.X == 0 {
		for i := range len(full) {
			gpu.MBarrierInit(&full[i], 1)
		}
		gpu.FenceMBarrierInit()
		for i := range min(rounds, len(full)) {
			fetch(i, &full[i], i*depth)
		}
	}
	gpu.SyncThreads()
}

// Together is the body of kernels whose blocks share copies with others of their cluster. The last
// warp has the copies made, and the other groups warpgroups multiply.
func Together[C any](full, empty []gpu.MBarrier, blocks, groups, deep, depth int, sum *C,
	fetch func(place int, full *gpu.MBarrier, k int), multiply func(sum *C, place int, add bool),
) (consumer bool) {
	ring := tile.NewRing(full, empty, 1, blocks*groups*warpgroups.GroupSize/gpu.WarpSize)
	gpu.SyncCluster()
	if gpu.ThreadIdx.X >= groups*warpgroups.GroupSize {
		Provide(ring, groups, deep, depth, fetch)
		return false
	}
	places := len(full)
	var turn tile.Turn
	last := turn
	for k := 0; k < deep; k += depth {
		ring.AwaitFull(turn)
		gpu.WGMMAFence()
		multiply(sum, turn.Place, k > 0)
		gpu.WGMMACommit()
		if k > 0 && k+(places-1)*depth < deep { // the place of the last round is filled again
			gpu.WGMMAWait(1)
			ring.Release(last)
		}
		last, turn = turn, ring.Next(turn)
	}
	gpu.WGMMAWait(0)
	return true
}

// Provide has the places of a cluster filled by the first thread of the last warp, which calls it.
func Provide(ring tile.Ring, groups, deep, depth int, fetch func(place int, full *gpu.MBarrier, k int)) {
	if gpu.ThreadIdx.X != groups*warpgroups.GroupSize {
		return
	}
	var turn tile.Turn
	for k := 0; k < deep; k += depth {
		full := ring.AwaitEmpty(turn)
		fetch(turn.Place, full, k)
		turn = ring.Next(turn)
	}
}

// Buffers is how many there are for what threads have made: while the products of two may be under
// way, the next is written.
const Buffers = 3

// Converted is Alone for factors that threads convert in shared memory before they multiply:
// convert does that for a place, into a buffer.
func Converted[C any](full []gpu.MBarrier, deep, depth int, sum *C, fetch func(place int, full *gpu.MBarrier, k int),
	convert func(place, buffer int), multiply func(sum *C, place, buffer int, add bool),
) {
	places, rounds := len(full), (deep+depth-1)/depth
	Begin(full, rounds, depth, fetch)
	place, parity, buffer := 0, 0, 0
	for round := range rounds {
		gpu.MBarrierWaitParity(&full[place], parity)
		convert(place, buffer)
		gpu.FenceProxyAsync()
		gpu.SyncThreads()
		if gpu.ThreadIdx.X == 0 && round >= 2 && round-2+places < rounds { // nobody multiplies that place any more
			last := place - 2
			if last < 0 {
				last += places
			}
			fetch(last, &full[last], (round-2+places)*depth)
		}
		gpu.WGMMAFence()
		multiply(sum, place, buffer, round > 0)
		gpu.WGMMACommit()
		gpu.WGMMAWait(1)
		if place++; place == places {
			place, parity = 0, parity^1
		}
		if buffer++; buffer == Buffers {
			buffer = 0
		}
	}
	gpu.WGMMAWait(0)
}
