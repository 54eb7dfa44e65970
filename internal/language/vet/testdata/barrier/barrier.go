// Package barrier has block barriers that all threads reach, and some that not all do.
package barrier

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Hang(x []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	cache[tid] = x[tid]
	gpu.SyncThreads()
	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
			gpu.SyncThreads() // want "^gpu.SyncThreads is inside `if tid < s` \\(line 13\\), which not all threads of the block enter: move it out of the branch$"
		}
	}
	x[tid] = cache[0]
}

// Tree is the same as it should be, with another loop condition, and a grid-stride loop before it.
//
//gpu:kernel block=64
func Tree(x, sums []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	for n := gpu.BlockDim.X; n > 1; {
		gpu.SyncThreads()
		s := (n + 1) / 2
		if tid+s < n {
			cache[tid] += cache[tid+s]
		}
		n = s
	}
	gpu.SyncThreads()
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}

//gpu:kernel
func InStride(x []float32) {
	var rounds int
	for i := range gpu.GridStride(len(x)) {
		x[i]++
		gpu.SyncThreads() // want "is in the loop `for i := range gpu.GridStride\\(len\\(x\\)\\)` \\(line 49\\), which not all threads of the block go round equally often: let all of them go round equally often, and put the work, not the barrier, under a condition$"
		rounds++
	}
	gpu.SyncThreads()
	if rounds > 3 {
		gpu.SyncThreads() // want "is inside `if rounds > 3`"
	}
	for range gpu.GridStride(len(x)) {
		gpu.SyncThreads() // want "is in the loop `for range gpu.GridStride"
	}
}

// Chunks has all threads go round equally often, and a condition in the loop.
//
//gpu:kernel
func Chunks(x []float32, tile int) {
	for base := gpu.BlockIdx.X * gpu.BlockDim.X; base < len(x); base += gpu.GridDim.X * gpu.BlockDim.X {
		if i := base + gpu.ThreadIdx.X; i < len(x) {
			x[i]++
		}
		gpu.SyncThreads()
	}
	for range tile {
		gpu.SyncThreads()
	}
	if tile > 3 && x[0] > 1 {
		gpu.SyncThreads()
	}
}

//gpu:kernel
func Counting(x []int) {
	for range x[gpu.ThreadIdx.X] {
		gpu.SyncThreads() // want "is in the loop `for range x\\[gpu.ThreadIdx.X\\]`"
	}
	for i := range x[gpu.ThreadIdx.X:] {
		x[i] = 0
		gpu.SyncThreads() // want "is in the loop `for i := range x\\[gpu.ThreadIdx.X:\\]`"
	}
}

//gpu:kernel
func Breaks(x []int32) {
	for i := range 10 {
		if x[gpu.ThreadIdx.X] == int32(i) {
			break
		}
		gpu.SyncThreads() // want "follows `if x\\[gpu.ThreadIdx.X\\] == int32\\(i\\)` \\(line 95\\), after which not all threads of the block go on: move it to where all of them come"
	}
	gpu.SyncThreads()
}

//gpu:kernel
func Switches(x []int32, n int) {
	switch tid := gpu.ThreadIdx.X; {
	case n > 3:
		gpu.SyncThreads()
	case tid < n:
		gpu.SyncThreads() // want "is inside `case tid < n`"
	}
	switch n {
	case 1, 2:
		gpu.SyncThreads()
	}
	leader := gpu.WarpID() == 0 && gpu.LaneID() == 0
	if leader {
		gpu.SyncThreads() // want "is inside `if leader`"
	}
}

// Guard sends threads home that have nothing to do.
//
//gpu:kernel
func Guard(x []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(x) {
		return
	}
	gpu.SyncThreads()
	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		gpu.SyncThreads()
	}
}

// NoGuard is a guard with the sense reversed: the barrier is for a part.
//
//gpu:kernel
func NoGuard(x []int32) {
	if i := gpu.ThreadIdx.X; i < len(x) {
		x[i]++
		gpu.SyncThreads() // want "is inside `if i < len\\(x\\)`"
	}
}

// HalfReturn has threads do work of their own before they leave.
//
//gpu:kernel
func HalfReturn(x []int32) {
	tid := gpu.ThreadIdx.X
	if tid%2 == 0 {
		x[tid] = 0
		return
	}
	gpu.SyncThreads() // want "follows `if tid%2 == 0`"
}

// Fails ends threads that fail: the launch has an error then.
//
//gpu:kernel
func Fails(x []int32) {
	tid := gpu.ThreadIdx.X
	gpu.Assert(tid < len(x), "a thread has no element")
	if x[tid] < 0 {
		panic("a negative element")
	}
	gpu.SyncThreads()
}

// Broadcast decides by what all threads see alike.
//
//gpu:kernel
func Broadcast(x []int32, ticket []uint32) {
	last := gpu.Shared[bool]()
	if gpu.ThreadIdx.X == 0 {
		*last = gpu.AtomicAdd(&ticket[0], 1) == uint32(gpu.GridDim.X-1)
	}
	gpu.SyncThreads()
	if *last {
		gpu.SyncThreads()
	}
	mine := gpu.AtomicAdd(&ticket[1], 1)
	if mine == 0 {
		gpu.SyncThreads() // want "is inside `if mine == 0`"
	}
	if gpu.AnySync(gpu.FullMask, x[0] > 1) {
		gpu.SyncThreads()
	}
	if gpu.AnySync(gpu.FullMask, x[gpu.ThreadIdx.X] > 1) {
		gpu.SyncThreads() // want "is inside `if gpu.AnySync"
	}
}

// Merged values tell which way a thread came.
//
//gpu:kernel
func Merged(x []int32, n int) {
	k := 1
	if gpu.ThreadIdx.X == 0 {
		k = 2
	}
	for range k {
		gpu.SyncThreads() // want "is in the loop `for range k`"
	}
	m := 1
	if n > 0 {
		m = 2
	}
	for range m {
		gpu.SyncThreads()
	}
	var tile [4]int
	tile[gpu.ThreadIdx.X%4] = 1
	if tile[n] == 1 {
		gpu.SyncThreads() // want "is inside `if tile\\[n\\] == 1`"
	}
	var sizes [4]int
	sizes[n] = n
	if sizes[0] == 1 {
		gpu.SyncThreads()
	}
}

// Leader has one thread do more in a loop that all go round.
//
//gpu:kernel
func Leader(x []int32) {
	leader := gpu.ThreadIdx == gpu.Dim3{}
	found := 0
	for k := range x {
		gpu.SyncThreads()
		if x[k] > 3 && leader {
			for i := range k {
				x[i]++
			}
			found = 1
		}
	}
	for k := 0; k < found; k++ {
		gpu.SyncThreads() // want "is in the loop `for k < found`"
	}
}

type tile struct{ row, col, n int }

func (t *tile) next() { t.row, t.n = t.row+1, t.n-1 }

func (t tile) wait() {
	if t.n > 3 {
		gpu.SyncThreads()
	}
}

// Fields has structs with some fields that differ between the threads and some that do not.
//
//gpu:kernel
func Fields(x []int32, n int) {
	t := tile{row: gpu.ThreadIdx.Y, col: gpu.ThreadIdx.X, n: n}
	for t.n > 0 {
		gpu.SyncThreads()
		t.next()
	}
	t.wait()
	u := both(t)
	u.wait()
	if u.n > 0 {
		gpu.SyncThreads()
	}
	if u.col > 0 {
		gpu.SyncThreads() // want "is inside `if u.col > 0`"
	}
	if n > 7 {
		u = tile{n: n}
	}
	u.wait()
	v := t
	if gpu.LaneID() == 0 {
		v = tile{}
	}
	v.wait() // want "under a branch of the function called"
	indexed := [2]tile{t, u}
	if indexed[0].n > 0 {
		gpu.SyncThreads() // want "is inside `if indexed\\[0\\].n > 0`"
	}
}

func both(t tile) tile { return tile{t.col, t.row, t.n} }

// Grids has meetings of the grid, of which a branch that blocks take keeps some, and barriers of the
// block, of which it keeps none.
//
//gpu:kernel
func Grids(x []int32, n int) {
	if n > 3 {
		gpu.SyncGrid()
	}
	if gpu.BlockIdx.X == 0 {
		gpu.SyncThreads()
		gpu.SyncGrid() // want "^gpu.SyncGrid is inside `if gpu.BlockIdx.X == 0` \\(line [0-9]+\\), which not all threads of the grid enter: move it out of the branch$"
	}
	if gpu.ThreadIdx.X == 0 {
		gpu.SyncGrid() // want "which not all threads of the grid enter"
	}
	if gpu.SyncThreadsOr(x[gpu.ThreadIdx.X] > 0) {
		gpu.SyncThreads()
		gpu.SyncGrid() // want "which not all threads of the grid enter"
	}
}

// Named has whole warps meet, and lanes that do not come.
//
//gpu:kernel block=128
func Named(x []int32, n int) {
	warp := gpu.ThreadIdx.X / gpu.WarpSize
	if warp < 2 {
		x[gpu.ThreadIdx.X] = 1
		gpu.ArriveBarrier(1, 128)
	} else {
		gpu.SyncBarrier(1, 128)
	}
	if gpu.LaneID() < 7 {
		gpu.SyncBarrier(2, 128) // want "^gpu.SyncBarrier is inside `if gpu.LaneID\\(\\) < 7` \\(line [0-9]+\\), which not all lanes of the warp enter: move it out of the branch$"
	}
	for range x[gpu.ThreadIdx.X] {
		gpu.ArriveBarrier(3, 128) // want "^gpu.ArriveBarrier is in the loop `for range x\\[gpu.ThreadIdx.X\\]` \\(line [0-9]+\\), which not all lanes of the warp go round equally often"
	}
	if gpu.ThreadIdx.X > n {
		meet(n) // want "^this call, which comes to gpu.SyncBarrier \\(barrier.go:[0-9]+\\), is inside"
	}
	if warp > n {
		meet(n)
	}
}

func meet(n int) {
	if n > 3 {
		gpu.SyncBarrier(4, 64)
	}
}

// Clusters has meetings of clusters, of which a branch that some blocks of a cluster take keeps
// some, and not one that clusters take.
//
//gpu:kernel target=sm_90 cluster=2
func Clusters(x []int32, n int) {
	if n > 3 {
		gpu.SyncCluster()
	}
	if gpu.ClusterIdx.X == 0 {
		gpu.SyncCluster()
	}
	if gpu.BlockIdx.X/gpu.ClusterDim.X%2 == 0 {
		gpu.ArriveCluster()
		gpu.WaitCluster()
	}
	if gpu.BlockIdx.X/2 == 1 {
		gpu.SyncCluster()
	}
	if gpu.BlockIdx.X/3 == 1 {
		gpu.SyncCluster() // want "which not all threads of the cluster enter"
	}
	if gpu.BlockRank() == 0 {
		gpu.SyncThreads()
		gpu.SyncCluster() // want "^gpu.SyncCluster is inside `if gpu.BlockRank\\(\\) == 0` \\(line [0-9]+\\), which not all threads of the cluster enter: move it out of the branch$"
	}
	if gpu.BlockIdxInCluster.X == 1 {
		gpu.ArriveCluster() // want "which not all threads of the cluster enter"
	}
	for i := gpu.BlockIdx.X; i < n; i += gpu.GridDim.X {
		gpu.SyncCluster() // want "which not all threads of the cluster go round equally often"
	}
	for i := gpu.ClusterIdx.X; i < n; i += gpu.GridDim.X / gpu.ClusterSize() {
		gpu.SyncCluster()
	}
	if gpu.ThreadIdx.X == 0 {
		gpu.WaitCluster() // want "which not all threads of the cluster enter"
	}
	if gpu.ClusterIdx.X == 0 {
		gpu.SyncGrid() // want "which not all threads of the grid enter"
	}
}

// Pair and Quad are arrays of different lengths.
type (
	Pair [2]float32
	Quad [4]float32
)

// shuffled goes round as often as an array has elements, which lanes agree on though the elements
// differ.
func shuffled[A interface{ Pair | Quad }](a A) (sum float32) {
	for i := range len(a) {
		sum += gpu.ShflDownSync(gpu.FullMask, a[i], 1)
	}
	return sum
}

// recovers calls a builtin without arguments, which a kernel does not come to.
func recovers() any { return recover() }

// perLane goes round as often as a slice is long, which lanes differ in.
func perLane[S interface{ []float32 }](s S) (sum float32) {
	for range len(s) {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, 1)
	}
	return sum
}

//gpu:kernel
func Lengths(x []float32) {
	x[0] = shuffled(Pair{x[gpu.ThreadIdx.X]})
	x[1] = shuffled(Quad{x[gpu.ThreadIdx.X]})
	x[2] = perLane(x[gpu.ThreadIdx.X:]) // want "this call, which comes to gpu.ShflDownSync for all lanes .*, does so under a branch of the function called, which not all lanes of the warp take"
}
