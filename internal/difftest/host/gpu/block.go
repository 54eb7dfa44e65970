package gpu

import (
	"fmt"
	"iter"
	"math/bits"
	"runtime"
)

// WarpSize is the number of threads of a warp.
const WarpSize = 32

// FullMask names all threads of a warp.
const FullMask uint32 = 0xffffffff

// block is the block that runs. Its threads are coroutines of which one runs at a time, until it
// waits for others or ends.
var block struct {
	threads []*thread
	current *thread
	shared  map[string]any
	brought []any // what the threads have brought to the last barrier
}

// thread is a thread of a block.
type thread struct {
	index int
	next  func() (struct{}, bool) // runs it on
	yield func(struct{}) bool
	ended bool

	// What it waits for: the threads of its block, or those of its warp in mask, each with a value
	// to show to the others.
	waits, warp bool
	mask        uint32
	value       any
	seen        [WarpSize]any // the values of the warp, afterwards
}

// RunBlock runs a block of n threads; body is one of them. BlockIdx, BlockDim and GridDim are set.
// It reports whether all have ended: not if some wait for one that never comes.
func RunBlock(n int, body func(thread int)) bool {
	block.threads, block.shared = make([]*thread, n), map[string]any{}
	for i := range n {
		t := &thread{index: i}
		t.next, _ = iter.Pull(func(yield func(struct{}) bool) {
			t.yield = yield
			body(i)
		})
		block.threads[i] = t
	}
	for {
		ran := false
		for _, t := range block.threads {
			if t.ended || t.waits {
				continue
			}
			ran = true
			block.current = t
			x, y := BlockDim.X, BlockDim.Y
			ThreadIdx = Dim3{t.index % x, t.index / x % y, t.index / (x * y)}
			if _, more := t.next(); !more {
				t.ended = true
			}
		}
		if !ran && !release() {
			break
		}
	}
	for _, t := range block.threads {
		if !t.ended {
			return false
		}
	}
	return true
}

// release lets go the threads that have all they wait for, and reports whether there were any.
func release() bool {
	some, all := false, true
	for i, t := range block.threads {
		if i%WarpSize == 0 {
			some = releaseWarp(block.threads[i:min(i+WarpSize, len(block.threads))]) || some
		}
		all = all && (t.ended || t.waits && !t.warp)
	}
	if some || !all {
		return some
	}
	block.brought = nil
	for _, t := range block.threads {
		if t.waits {
			block.brought = append(block.brought, t.value)
		}
		some = some || t.waits
		t.waits = false
	}
	return some
}

// releaseWarp lets the lanes of a mask go when all that it names have come with it.
func releaseWarp(warp []*thread) bool {
	some := false
	for _, t := range warp {
		if !t.waits || !t.warp {
			continue
		}
		var seen [WarpSize]any
		come := true
		for lane := range WarpSize {
			if t.mask>>lane&1 == 0 {
				continue
			}
			ok := lane < len(warp) && warp[lane].waits && warp[lane].warp && warp[lane].mask == t.mask
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
				u.waits = false
			}
		}
		some = true
	}
	return some
}

// wait ends the turn of the thread until it is released.
func wait(warp bool, mask uint32, value any) *[WarpSize]any {
	t := block.current
	t.waits, t.warp, t.mask, t.value = true, warp, mask, value
	t.yield(struct{}{})
	return &t.seen
}

// SyncThreads waits for the block.
func SyncThreads() { wait(false, 0, nil) }

// SyncThreadsCount waits for the block, and counts the threads for which cond is true.
func SyncThreadsCount(cond bool) int {
	wait(false, 0, cond)
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

// SyncWarp waits for the threads of mask.
func SyncWarp(mask uint32) { wait(true, mask, nil) }

// Shared is a variable of the block, the same for each call at one place in the source.
func Shared[T any]() *T {
	_, file, line, _ := runtime.Caller(1)
	key := fmt.Sprintf("%s:%d %T", file, line, *new(T))
	if block.shared[key] == nil {
		block.shared[key] = new(T)
	}
	return block.shared[key].(*T)
}

// LaneID is the index of the thread in its warp.
func LaneID() int { return block.current.index % WarpSize }

// WarpID is the index of the warp in its block.
func WarpID() int { return block.current.index / WarpSize }

func shuffle[T any](mask uint32, v T, lane int) T {
	seen := wait(true, mask, v)
	if lane < 0 || lane >= WarpSize {
		return v
	}
	return seen[lane].(T) // a lane that is not in mask has no value to give: a program must not ask for it
}

// ShflSync is the value of lane srcLane, taken modulo WarpSize.
func ShflSync[T any](mask uint32, v T, srcLane int) T {
	return shuffle(mask, v, srcLane&(WarpSize-1))
}

// ShflUpSync is the value of the lane delta below, or the caller's own. delta is taken modulo
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
	for lane, c := range wait(true, mask, cond) {
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
	for lane, x := range wait(true, mask, v) {
		if x == any(v) {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// MatchAllSync reports whether all lanes of mask show the same v.
func MatchAllSync[T any](mask uint32, v T) bool { return MatchAnySync(mask, v) == mask }

// reduce joins the values of the lanes of mask, all of which have come.
func reduce[T Integer](mask uint32, v T, op func(x, y T) T) T {
	var all T
	first := true
	for _, x := range wait(true, mask, v) {
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
