package tensor

import "github.com/gridstride/gridstride/gpu"

// stages is how many places the last rungs with mma have.
const stages = 3

// Double has two places: while a block multiplies what is in one, the copies to the other are under
// way.
//
// Launch as Shared.
//
//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func Double(a, b []gpu.BFloat16, c []float32, m, n, l int) {
	stream(gpu.Shared[[2]place]()[:], a, b, c, m, n, l, func() { gpu.CpAsyncWaitGroup(0) })
}

// Stages is Double with three places: two are filled while the third is multiplied. So a copy has
// the time of two products, and memory has twice as much to do at once.
//
// Launch as Shared.
//
//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func Stages(a, b []gpu.BFloat16, c []float32, m, n, l int) {
	stream(gpu.Shared[[stages]place]()[:], a, b, c, m, n, l, func() { gpu.CpAsyncWaitGroup(stages - 2) })
}

// stream is the body of Double and Stages. In each round a place is multiplied, and the previous
// round's place is filled again. The copies of a round are a group of each thread. await waits for
// all groups except the groups of rounds after the next: as many as there are places, less two.
func stream(places []place, a, b []gpu.BFloat16, c []float32, m, n, l int, await func()) {
	row, col := side*gpu.BlockIdx.Y, side*gpu.BlockIdx.X
	start := func(round int) {
		if k := round * depth; k < n {
			p := &places[round%len(places)]
			fetch(&p.a, a, row, k, m, n)
			fetch(&p.b, b, col, k, l, n)
		}
		gpu.CpAsyncCommitGroup() // an empty group after the last round
	}
	for round := range len(places) - 1 {
		start(round)
	}
	var sum sums
	for round := range rounds(n) {
		await()           // the thread's own copies of this round are there,
		gpu.SyncThreads() // and everyone's; and nobody uses the place of the last round any more
		start(round + len(places) - 1)
		multiply(&sum, &places[round%len(places)])
	}
	putSums(&sum, c, row, col, m, l)
}

// rounds is how often a place is filled.
func rounds(n int) int { return (n + depth - 1) / depth }
