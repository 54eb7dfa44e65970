package conformance

import "github.com/gridstride/gridstride/gpu"

// DivergentBranch has a barrier for even threads only.
//
//gpu:kernel
func DivergentBranch(a []int32) {
	i := gpu.ThreadIdx.X
	if i%2 == 0 {
		tmp := a[i+2]
		gpu.SyncThreads()
		a[i] = tmp
	}
}

// TwoSites has one barrier for thread 0 and another for the rest.
//
//gpu:kernel
func TwoSites() {
	if gpu.ThreadIdx.X == 0 {
		gpu.SyncThreads()
	} else {
		gpu.SyncThreads()
	}
}

// UniformArgument has a barrier behind a condition that is the same for all.
//
//gpu:kernel
func UniformArgument(x int) {
	if x == 0 {
		gpu.SyncThreads()
	}
}

// UniformBlock has two barriers, and every block uses one.
//
//gpu:kernel
func UniformBlock() {
	if gpu.BlockIdx.X%2 == 0 {
		gpu.SyncThreads()
	} else {
		gpu.SyncThreads()
	}
}

// RaggedLoop works in chunks, of which the last is not full.
//
//gpu:kernel
func RaggedLoop(a []int32) {
	for c := range 16 {
		off := 64*c + gpu.ThreadIdx.X
		if off < 1008 {
			a[off]++
			gpu.SyncThreads()
		}
	}
}

// HalfReturns has odd threads return past the barrier of the even ones.
//
//gpu:kernel
func HalfReturns(v []int32) {
	t := gpu.ThreadIdx.X
	if t%2 == 0 {
		v[t]++
		gpu.SyncThreads()
	} else {
		v[t]--
		return
	}
}

// Guard sends threads without work home before the barrier.
//
//gpu:kernel
func Guard(v []int32, n int) {
	t := gpu.ThreadIdx.X
	if t >= n {
		return
	}
	gpu.SyncThreads()
	v[t]--
}

// Mask has a lane that calls SyncWarp with a mask it is not in.
//
//gpu:kernel
func Mask(out []int32) {
	s := gpu.Shared[[32]int32]()
	t := gpu.ThreadIdx.X
	mask := gpu.BallotSync(0xffffffff, t < 16)
	if t <= 16 {
		s[t] = int32(t)
		gpu.SyncWarp(mask)
		if t < 16 {
			out[t] = s[15-t]
		}
	}
}

// MissingLane names lanes in its mask that take the other way.
//
//gpu:kernel
func MissingLane(out []int32) {
	t := gpu.ThreadIdx.X
	if t < 16 {
		gpu.SyncWarp(0xffffffff)
		out[t] = 1
	} else {
		out[t] = 2
	}
}

// OtherRound has each warp skip one round of a loop, not the same: they meet at one barrier, but in different rounds.
//
//gpu:kernel
func OtherRound() {
	for i := range 3 {
		if i == gpu.WarpID() {
			continue
		}
		gpu.SyncThreads()
	}
}

// RaggedSum has loops that threads go round differently often, with a barrier behind them.
//
//gpu:kernel
func RaggedSum(in, out []int32) {
	t := gpu.ThreadIdx.X
	for round := range 2 {
		var sum int32
		for i := range gpu.GridStride(len(in)) {
			sum += in[i]
		}
		gpu.SyncThreads()
		out[t] = sum + int32(round)
	}
}

func wait() { gpu.SyncThreads() }

// InlinedTwice calls a function with a barrier in both branches: two barriers of one source place.
//
//gpu:kernel
func InlinedTwice(y []int32) {
	if gpu.ThreadIdx.X < 32 {
		wait()
		y[gpu.ThreadIdx.X] = 1
	} else {
		wait()
		y[gpu.ThreadIdx.X] = 2
	}
}

// InlinedUniform does so by block.
//
//gpu:kernel
func InlinedUniform(y []int32) {
	if gpu.BlockIdx.X%2 == 0 {
		wait()
		y[gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X] = 1
	} else {
		wait()
		y[gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X] = 2
	}
}

// InlinedLoop has the two branches in a loop, and a third call in a loop that is unrolled.
//
//gpu:kernel
func InlinedLoop(y []int32, n int) {
	for i := range n {
		if i%2 == 0 {
			wait()
		} else {
			wait()
			y[gpu.ThreadIdx.X]++
		}
	}
	for range 4 {
		wait()
	}
}

// InlinedOneBehindOther has one call behind the other, and each warp skips one.
//
//gpu:kernel
func InlinedOneBehindOther(y []int32) {
	t := gpu.ThreadIdx.X
	if t < 32 {
		wait()
		y[t] = 1
	}
	if t >= 32 {
		wait()
		y[t] = 2
	}
}

// CountAll counts at a barrier, and reads behind it what others wrote before it.
//
//gpu:kernel
func CountAll(v []int32) {
	t := gpu.ThreadIdx.X
	v[t] = int32(t)
	n := gpu.SyncThreadsCount(t < 5)
	v[t+64] = v[63-t] + int32(n)
	if gpu.SyncThreadsOr(v[t] == 3) && gpu.SyncThreadsAnd(n == 5) {
		v[63-t] = 1
	}
}

// CountSome counts where only a half comes by.
//
//gpu:kernel
func CountSome(v []int32) {
	if t := gpu.ThreadIdx.X; t < 32 {
		v[t] = int32(gpu.SyncThreadsCount(t < 5))
	}
	v[gpu.ThreadIdx.X+64] = 0
}

// Handed has one warp write and arrive, and another wait and read.
//
//gpu:kernel
func Handed(v []int32) {
	s := gpu.Shared[[32]int32]()
	lane := gpu.LaneID()
	if gpu.WarpID() == 0 {
		s[lane] = int32(lane)
		gpu.ArriveBarrier(1, 64)
		return
	}
	gpu.SyncBarrier(1, 64)
	v[lane] = s[31-lane]
}

// HandedTooEarly arrives before it writes.
//
//gpu:kernel
func HandedTooEarly(v []int32) {
	s := gpu.Shared[[32]int32]()
	lane := gpu.LaneID()
	if gpu.WarpID() == 0 {
		gpu.ArriveBarrier(1, 64)
		s[lane] = int32(lane)
		return
	}
	gpu.SyncBarrier(1, 64)
	v[lane] = s[31-lane]
}

// OtherBarrier arrives at another barrier than the one waited at.
//
//gpu:kernel
func OtherBarrier(v []int32) {
	if gpu.WarpID() == 0 {
		gpu.ArriveBarrier(2, 64)
		return
	}
	gpu.SyncBarrier(1, 64)
	v[gpu.LaneID()] = 1
}

// TooFew waits for more threads than come.
//
//gpu:kernel
func TooFew(v []int32) {
	gpu.SyncBarrier(1, 96)
	v[gpu.ThreadIdx.X] = 1
}
