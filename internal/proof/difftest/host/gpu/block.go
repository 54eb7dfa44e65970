package gpu

import (
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"runtime"
	"unsafe"
)

// WarpSize is the number of threads of a warp.
const WarpSize = 32

// FullMask names all threads of a warp.
const FullMask uint32 = 0xffffffff

// block is the block that runs.
var block *threadBlock

// threadBlock is a block of threads: coroutines that run one at a time, each until it waits for
// others or ends.
type threadBlock struct {
	index   Dim3
	cluster []*threadBlock // by rank
	threads []*thread
	current *thread
	shared  map[string]any
	brought []any // the values of the threads at the last barrier
}

// thread is a thread of a block.
type thread struct {
	index int
	next  func() (struct{}, bool) // runs it on
	yield func(struct{}) bool
	ended bool

	// Whom it waits for: the threads of its warp in mask, its block, its cluster or its grid, each
	// with a value to show to the others.
	waits meeting
	mask  uint32
	value any
	seen  [WarpSize]any // the values of the warp, afterwards
}

// meeting is who meets where a thread waits.
type meeting uint8

const (
	nobody meeting = iota // it does not wait
	ofWarp
	ofBlock
	ofCluster
	ofGrid
)

// RunGrid runs a grid of blocks of n threads. body is one of them. BlockDim, GridDim and ClusterDim
// are set. A block runs until its threads have ended or wait for the cluster or the grid, and then
// the next one does. It reports whether all have ended: not if some wait for one that never comes.
func RunGrid(blocks, n int, body func(block, thread int)) bool {
	grid := make([]*threadBlock, blocks)
	for b := range grid {
		grid[b] = newBlock(b, n, body)
	}
	clusters := clustersOf(grid)
	for _, b := range grid {
		b.run()
	}
	for releaseClusters(clusters) || releaseGrid(grid) {
		for _, b := range grid {
			b.run()
		}
	}
	return every(grid, func(t *thread) bool { return t.ended })
}

// newBlock is block b of the grid.
func newBlock(b, n int, body func(block, thread int)) *threadBlock {
	x, y := GridDim.X, GridDim.Y
	c := &threadBlock{index: Dim3{b % x, b / x % y, b / (x * y)}, threads: make([]*thread, n), shared: map[string]any{}}
	for i := range n {
		t := &thread{index: i}
		t.next, _ = iter.Pull(func(yield func(struct{}) bool) {
			t.yield = yield
			body(b, i)
		})
		c.threads[i] = t
	}
	return c
}

// run runs the block until all threads have ended, or wait for the grid or for ever.
func (b *threadBlock) run() {
	block, BlockIdx = b, b.index
	ClusterIdx, BlockIdxInCluster = placeInClusters(b.index)
	for {
		ran := false
		for _, t := range b.threads {
			if t.ended || t.waits != nobody {
				continue
			}
			ran = true
			b.current = t
			x, y := BlockDim.X, BlockDim.Y
			ThreadIdx = Dim3{t.index % x, t.index / x % y, t.index / (x * y)}
			if _, more := t.next(); !more {
				t.ended = true
			}
		}
		if !ran && !b.release() {
			return
		}
	}
}

// every reports whether ok holds for all threads of the grid.
func every(grid []*threadBlock, ok func(*thread) bool) bool {
	for _, b := range grid {
		for _, t := range b.threads {
			if !ok(t) {
				return false
			}
		}
	}
	return true
}

// releaseGrid lets all threads go where all have come to wait for the grid.
func releaseGrid(grid []*threadBlock) bool {
	if !every(grid, func(t *thread) bool { return t.waits == ofGrid }) {
		return false
	}
	goOn(grid)
	return true
}

// goOn lets all threads of some blocks go on.
func goOn(blocks []*threadBlock) {
	for _, b := range blocks {
		for _, t := range b.threads {
			t.waits = nobody
		}
	}
}

// release lets go the threads that have all they wait for, and reports whether there were any.
func (b *threadBlock) release() bool {
	some, all := false, true
	for i, t := range b.threads {
		if i%WarpSize == 0 {
			some = releaseWarp(b.threads[i:min(i+WarpSize, len(b.threads))]) || some
		}
		all = all && (t.ended || t.waits == ofBlock)
	}
	if some || !all {
		return some
	}
	b.brought = nil
	for _, t := range b.threads {
		if t.waits == ofBlock {
			b.brought = append(b.brought, t.value)
			some = true
		}
		t.waits = nobody
	}
	return some
}

// releaseWarp lets the lanes of a mask go when all that it names have come with it.
func releaseWarp(warp []*thread) bool {
	some := false
	for _, t := range warp {
		if t.waits != ofWarp {
			continue
		}
		var seen [WarpSize]any
		come := true
		for lane := range WarpSize {
			if t.mask>>lane&1 == 0 {
				continue
			}
			ok := lane < len(warp) && warp[lane].waits == ofWarp && warp[lane].mask == t.mask
			if come = come && ok; ok {
				seen[lane] = warp[lane].value
			}
		}
		if !come {
			continue
		}
		for lane, u := range warp {
			if t.mask>>lane&1 != 0 {
				u.seen = seen
				u.waits = nobody
			}
		}
		some = true
	}
	return some
}

// wait ends the turn of the thread until it is released.
func wait(who meeting, mask uint32, value any) *[WarpSize]any {
	t := block.current
	t.waits, t.mask, t.value = who, mask, value
	t.yield(struct{}{})
	return &t.seen
}

// SyncThreads waits for the block.
func SyncThreads() { wait(ofBlock, 0, nil) }

// SyncThreadsCount waits for the block, and counts the threads for which cond is true.
func SyncThreadsCount(cond bool) int {
	wait(ofBlock, 0, cond)
	n := 0
	for _, c := range block.brought {
		if c == true {
			n++
		}
	}
	return n
}

// SyncThreadsAnd waits for the block, and reports whether cond is true for all.
func SyncThreadsAnd(cond bool) bool { return SyncThreadsCount(!cond) == 0 }

// SyncThreadsOr waits for the block, and reports whether cond is true for some.
func SyncThreadsOr(cond bool) bool { return SyncThreadsCount(cond) > 0 }

// SyncBarrier waits for the block: random programs meet at named barriers as whole blocks.
func SyncBarrier(id, threads int) { SyncThreads() }

// SyncGrid waits for the grid.
func SyncGrid() { wait(ofGrid, 0, nil) }

// SyncWarp waits for the threads of mask.
func SyncWarp(mask uint32) { wait(ofWarp, mask, nil) }

// Shared is a variable of the block, the same for each call at one place in the source.
func Shared[T any]() *T {
	_, file, line, _ := runtime.Caller(1)
	key := fmt.Sprintf("%s:%d %T", file, line, *new(T))
	return block.variable(key, reflect.TypeFor[T]()).(*T)
}

// variable is a pointer to the variable of shared memory that has a name.
func (b *threadBlock) variable(key string, t reflect.Type) any {
	if b.shared[key] == nil {
		b.shared[key] = reflect.New(t).Interface()
	}
	return b.shared[key]
}

// holds reports whether p points into the shared memory of a block of the cluster.
func (b *threadBlock) holds(p unsafe.Pointer) bool {
	for _, peer := range b.cluster {
		for _, v := range peer.shared {
			at := reflect.ValueOf(v)
			if off := uintptr(p) - at.Pointer(); off < at.Type().Elem().Size() {
				return true
			}
		}
	}
	return false
}

// LaneID is the index of the thread in its warp.
func LaneID() int { return block.current.index % WarpSize }

// WarpID is the index of the warp in its block.
func WarpID() int { return block.current.index / WarpSize }

func shuffle[T any](mask uint32, v T, lane int) T {
	seen := wait(ofWarp, mask, v)
	if lane < 0 || lane >= WarpSize {
		return v
	}
	return seen[lane].(T) // a lane that is not in mask has no value to give: a program must not ask for it
}

// ShflSync is the value of lane srcLane, taken modulo WarpSize.
func ShflSync[T any](mask uint32, v T, srcLane int) T {
	return shuffle(mask, v, srcLane&(WarpSize-1))
}

// ShflUpSync is the value of the lane delta below, or the caller's own. delta counts modulo
// WarpSize, here and below.
func ShflUpSync[T any](mask uint32, v T, delta int) T {
	return shuffle(mask, v, LaneID()-delta&(WarpSize-1))
}

// ShflDownSync is the value of the lane delta above, or the caller's own.
func ShflDownSync[T any](mask uint32, v T, delta int) T {
	return shuffle(mask, v, LaneID()+delta&(WarpSize-1))
}

// ShflXorSync is the value of the lane whose bits laneMask flips.
func ShflXorSync[T any](mask uint32, v T, laneMask int) T {
	return shuffle(mask, v, LaneID()^laneMask&(WarpSize-1))
}

// BallotSync has the bits of the lanes of mask whose cond is true.
func BallotSync(mask uint32, cond bool) uint32 {
	ballot := uint32(0)
	for lane, c := range wait(ofWarp, mask, cond) {
		if c == true {
			ballot |= 1 << lane
		}
	}
	return ballot
}

// AnySync reports whether cond is true for a lane of mask.
func AnySync(mask uint32, cond bool) bool { return BallotSync(mask, cond) != 0 }

// AllSync reports whether cond is true for all lanes of mask.
func AllSync(mask uint32, cond bool) bool {
	return bits.OnesCount32(BallotSync(mask, cond)) == bits.OnesCount32(mask)
}

// MatchAnySync has the bits of the lanes of mask that show the same v. Random programs compare no
// floating-point numbers, which have several NaN.
func MatchAnySync[T any](mask uint32, v T) uint32 {
	lanes := uint32(0)
	for lane, x := range wait(ofWarp, mask, v) {
		if x == any(v) {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// MatchAllSync reports whether all lanes of mask show the same v.
func MatchAllSync[T any](mask uint32, v T) bool { return MatchAnySync(mask, v) == mask }

// reduce joins the values of the lanes of mask. All have come.
func reduce[T Integer](mask uint32, v T, op func(x, y T) T) T {
	var all T
	first := true
	for _, x := range wait(ofWarp, mask, v) {
		switch {
		case x == nil:
		case first:
			all, first = x.(T), false
		default:
			all = op(all, x.(T))
		}
	}
	return all
}

// ReduceAddSync is the sum of the lanes' values.
func ReduceAddSync[T Integer](mask uint32, v T) T {
	return reduce(mask, v, func(x, y T) T { return x + y })
}

// ReduceMinSync is the smallest of the lanes' values.
func ReduceMinSync[T Integer](mask uint32, v T) T {
	return reduce(mask, v, func(x, y T) T { return min(x, y) })
}

// ReduceMaxSync is the largest of the lanes' values.
func ReduceMaxSync[T Integer](mask uint32, v T) T {
	return reduce(mask, v, func(x, y T) T { return max(x, y) })
}

// ReduceAndSync has the bits that all values have.
func ReduceAndSync[T Integer](mask uint32, v T) T {
	return reduce(mask, v, func(x, y T) T { return x & y })
}

// ReduceOrSync has the bits that some values have.
func ReduceOrSync[T Integer](mask uint32, v T) T {
	return reduce(mask, v, func(x, y T) T { return x | y })
}

// ReduceXorSync is the exclusive or of the lanes' values.
func ReduceXorSync[T Integer](mask uint32, v T) T {
	return reduce(mask, v, func(x, y T) T { return x ^ y })
}
