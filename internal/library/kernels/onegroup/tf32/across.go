package tf32

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// startAcross starts the products of a tile of A across k, whose fragments tensor cores take from
// registers, with a tile of B along k, and waits for those before. The loops below have two
// places in a round: their fragments have separate registers, because products read them until a
// wait.
func startAcross[C gpu.Sums64[float32]](sum *C, x, y []gpu.TF32, add bool) {
	fragments := warpgroups.LoadAcross(x)
	gpu.WGMMAFence()
	for step := range len(fragments) {
		gpu.WGMMA(sum, fragments[step], onegroup.AlongK(y, step), add || step > 0)
	}
	gpu.WGMMACommit()
	if add {
		gpu.WGMMAWait(1)
	}
}

// aloneAcross is [onegroup.Alone] for such an A. start is startAcross of a place.
func aloneAcross[C any](full []gpu.MBarrier, deep, depth int, sum *C, fetch func(place int, full *gpu.MBarrier, k int),
	start func(sum *C, place int, add bool),
) {
	onegroup.Begin(full, (deep+depth-1)/depth, depth, fetch)
	place, parity := 0, 0
	for k := 0; k < deep; k += 2 * depth {
		place, parity = aloneNext(full, place, parity, k, deep, depth, sum, fetch, start)
		if k+depth < deep {
			place, parity = aloneNext(full, place, parity, k+depth, deep, depth, sum, fetch, start)
		}
	}
	gpu.WGMMAWait(0)
}

// aloneNext starts the products of a place, of k on, and has the one before filled again. It gives
// the next place and its parity.
func aloneNext[C any](full []gpu.MBarrier, place, parity, k, deep, depth int, sum *C, fetch func(place int, full *gpu.MBarrier, k int),
	start func(sum *C, place int, add bool),
) (int, int) {
	places := len(full)
	gpu.MBarrierWaitParity(&full[place], parity)
	start(sum, place, k > 0)
	if refill := k + (places-1)*depth; k > 0 && refill < deep {
		last := place - 1
		if place == 0 {
			last = places - 1
		}
		gpu.SyncThreads()
		if gpu.ThreadIdx.X == 0 {
			fetch(last, &full[last], refill)
		}
	}
	if place++; place == places {
		return 0, parity ^ 1
	}
	return place, parity
}

// togetherAcross is [onegroup.Together] for such an A.
func togetherAcross[C any](full, empty []gpu.MBarrier, blocks, groups, deep, depth int, sum *C,
	fetch func(place int, full *gpu.MBarrier, k int), start func(sum *C, place int, add bool),
) (consumer bool) {
	ring := tile.NewRing(full, empty, 1, blocks*groups*groupSize/gpu.WarpSize)
	gpu.SyncCluster()
	if gpu.ThreadIdx.X >= groups*groupSize {
		onegroup.Provide(ring, groups, deep, depth, fetch)
		return false
	}
	last := (len(full) - 1) * depth
	var turn, before tile.Turn
	for k := 0; k < deep; k += 2 * depth {
		togetherNext(ring, turn, before, sum, k > 0, k+last < deep, start)
		before, turn = turn, ring.Next(turn)
		if k+depth < deep {
			togetherNext(ring, turn, before, sum, true, k+depth+last < deep, start)
			before, turn = turn, ring.Next(turn)
		}
	}
	gpu.WGMMAWait(0)
	return true
}

// togetherNext starts the products of a place, and releases the one before if there is one that is
// filled again.
func togetherNext[C any](ring tile.Ring, turn, before tile.Turn, sum *C, add, again bool, start func(sum *C, place int, add bool)) {
	ring.AwaitFull(turn)
	start(sum, turn.Place, add)
	if add && again {
		ring.Release(before)
	}
}

// writeAcross is [onegroup.Write] for the sums of such an A, or for C's transpose, with the
// transpose's sizes in s: a thread has two adjacent rows.
func writeAcross[C gpu.Sums64[float32]](sum *C, to *onegroup.Result[float32, gpu.Float32x2], s *warpgroups.Shape, groups, cols int, turned bool) {
	thread := gpu.ThreadIdx.X
	row := (gpu.BlockIdx.X*groups+thread/groupSize)*groupRows + warpgroups.AcrossRow(thread%groupSize)
	col := gpu.BlockIdx.Y*cols + thread%4*2
	if !turned {
		for i := range 2 {
			onegroup.StoreFloats(to, s, gpu.BlockIdx.Z, row+i, col, cols/8, func(j int) (x, y float32) { return (*sum)[4*j+2*i], (*sum)[4*j+2*i+1] })
		}
		return
	}
	c := s.Turned()
	for i := range cols / 4 {
		onegroup.StoreFloats(to, &c, gpu.BlockIdx.Z, col+i/2*8+i%2, row, 1, func(int) (x, y float32) { return (*sum)[i/2*4+i%2], (*sum)[i/2*4+i%2+2] })
	}
}
