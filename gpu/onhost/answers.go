package onhost

import (
	"fmt"
	"time"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/abi"
)

// answers are the functions of package gpu that run on the host, by their names: each gets the
// calling thread and the call's arguments, and gives the result, nil for none.
var answers map[string]func(t *thread, args []any) any

func init() {
	answers = map[string]func(t *thread, args []any) any{
		"GridStride": func(t *thread, args []any) any { return t.gridStride(args[0].(int)) },
		"LaneID":     func(t *thread, _ []any) any { return t.lane },
		"WarpID":     func(t *thread, _ []any) any { return t.warp },

		"SyncBarrier":   syncBarrier,
		"ArriveBarrier": arriveBarrier,
		"SyncGrid":      func(t *thread, _ []any) any { return t.meet("SyncGrid") },

		"Shared":        func(t *thread, args []any) any { return t.block.variable(args[0]) },
		"DynamicShared": func(t *thread, args []any) any { return t.block.dynamicShared(args[0]) },

		"ActiveMask": func(t *thread, _ []any) any { return uint32(1) << t.lane },

		"Clock":       func(t *thread, _ []any) any { return t.block.launch.clock },
		"GlobalTimer": func(*thread, []any) any { return time.Now().UnixNano() },
		"Nanosleep": func(t *thread, _ []any) any {
			t.spin()
			return nil
		},
	}
	for _, fence := range []string{"ThreadFence", "ThreadFenceBlock", "ThreadFenceSystem"} {
		answers[fence] = func(*thread, []any) any { return nil } // one thread runs at a time
	}
	for name := range blockCalls {
		answers[name] = func(t *thread, args []any) any { return t.meet(name, args...) }
	}
	for name := range warpCalls {
		answers[name] = func(t *thread, args []any) any { return t.meetLanes(name, args) }
	}
	for name, op := range atomics {
		answers[name] = func(t *thread, args []any) any { return t.atomic(op, args) }
	}
}

// gridStride gives the indices of the thread's turns.
func (t *thread) gridStride(n int) func(yield func(i int) bool) {
	return func(yield func(i int) bool) {
		for i := t.block.index.X*gpu.BlockDim.X + t.index.X; i < n; i += gpu.GridDim.X * gpu.BlockDim.X {
			if !yield(i) {
				return
			}
		}
	}
}

// meetLanes waits for the lanes that the call's mask names.
func (t *thread) meetLanes(name string, args []any) any {
	if mask := args[0].(uint32); mask>>t.lane&1 == 0 {
		panic(fmt.Sprintf("lane %d calls gpu.%s with the mask %#x, which does not name it", t.lane, name, mask))
	}
	return t.meet(name, args...)
}

func syncBarrier(t *thread, args []any) any {
	checkBarrier("SyncBarrier", args)
	return t.meet("SyncBarrier", args...)
}

func arriveBarrier(t *thread, args []any) any {
	t.block.arrived[checkBarrier("ArriveBarrier", args)]++
	return nil
}

// checkBarrier is the number of a named barrier.
func checkBarrier(name string, args []any) int {
	id, threads := args[0].(int), args[1].(int)
	if id < 1 || id >= abi.Barriers {
		panic(fmt.Sprintf("gpu.%s names barrier %d; want 1 to %d", name, id, abi.Barriers-1))
	}
	if threads < 1 || threads%gpu.WarpSize != 0 {
		panic(fmt.Sprintf("gpu.%s is for %d threads; want a multiple of %d", name, threads, gpu.WarpSize))
	}
	return id
}
