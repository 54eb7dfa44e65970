package onhost_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/gpu/onhost"
)

// launch runs a kernel that ends well.
func launch(t *testing.T, cfg gridstride.Config, kernel func()) {
	t.Helper()
	if err := onhost.Launch(t.Context(), cfg, kernel); err != nil {
		t.Fatal(err)
	}
}

// dot is the sum of products by blocks of up to 256 threads: shared memory, barriers and an atomic.
func dot(x, y []float64, sum *float64) {
	cache := gpu.Shared[[256]float64]()
	part := 0.0
	for i := range gpu.GridStride(len(x)) {
		part += x[i] * y[i]
	}
	tid := gpu.ThreadIdx.X
	cache[tid] = part
	gpu.SyncThreads()
	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		gpu.AtomicAdd(sum, cache[0])
	}
}

func TestDot(t *testing.T) {
	for _, n := range []int{0, 1, 31, 257, 5003} {
		x, y, want := make([]float64, n), make([]float64, n), 0.0
		for i := range x {
			x[i], y[i] = float64(i%97), float64(i%13-6)
			want += x[i] * y[i]
		}
		var sum float64
		launch(t, gridstride.Grid(3).Block(64), func() { dot(x, y, &sum) })
		if sum != want { // sums of integers are exact
			t.Errorf("the dot product of %d elements is %v, want %v", n, sum, want)
		}
	}
}

// TestIndices has each thread write down its place, in three dimensions.
func TestIndices(t *testing.T) {
	grid, block := gridstride.Dim3{X: 2, Y: 3, Z: 2}, gridstride.Dim3{X: 5, Y: 2, Z: 4}
	var seen []string
	launch(t, gridstride.Config{GridDim: grid, BlockDim: block}, func() {
		linear := gpu.ThreadIdx.X + 5*(gpu.ThreadIdx.Y+2*gpu.ThreadIdx.Z)
		if gpu.WarpID() != linear/32 || gpu.LaneID() != linear%32 {
			t.Errorf("thread %v is lane %d of warp %d", gpu.ThreadIdx, gpu.LaneID(), gpu.WarpID())
		}
		if gpu.GridDim != gpu.Dim3(grid) || gpu.BlockDim != gpu.Dim3(block) {
			t.Errorf("the sizes are %v and %v", gpu.GridDim, gpu.BlockDim)
		}
		seen = append(seen, fmt.Sprint(gpu.BlockIdx, gpu.ThreadIdx))
	})
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != 2*3*2*5*2*4 {
		t.Errorf("%d threads ran, want 480", n)
	}
	if (gpu.BlockDim != gpu.Dim3{}) {
		t.Errorf("gpu.BlockDim is %v after the launch", gpu.BlockDim)
	}
}

// TestWarp holds what operations of a warp give each lane to what they say, in a block whose last
// warp has 8 lanes.
func TestWarp(t *testing.T) {
	type pair struct {
		A int16
		B float32
	}
	launch(t, gridstride.Grid(1).Block(40), func() {
		lane := gpu.LaneID()
		mask := gpu.FullMask
		lanes := 32
		if gpu.WarpID() == 1 {
			mask, lanes = 0xff, 8
		}
		v := pair{int16(lane), float32(lane) / 2}
		down := lane + 3
		if down >= lanes {
			down = lane
		}
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"ShflSync", gpu.ShflSync(mask, v, 37).A, int16(5)},
			{"ShflUpSync", gpu.ShflUpSync(mask, v, 1).A, int16(max(lane-1, 0))},
			{"ShflDownSync", gpu.ShflDownSync(mask, v, 3).A, int16(down)},
			{"ShflXorSync", gpu.ShflXorSync(mask, v, 1), pair{int16(lane ^ 1), float32(lane^1) / 2}},
			{"BallotSync", gpu.BallotSync(mask, lane%2 == 1), mask & 0xaaaaaaaa},
			{"AnySync", gpu.AnySync(mask, lane == 7), true},
			{"AllSync", gpu.AllSync(mask, lane == 7), false},
			{"MatchAnySync", gpu.MatchAnySync(mask, lane%4), mask & (0x11111111 << (lane % 4))},
			{"MatchAllSync", gpu.MatchAllSync(mask, 3.5), true},
			{"ReduceAddSync", gpu.ReduceAddSync(mask, uint8(100)), uint8(lanes * 100 % 256)},
			{"ReduceMinSync", gpu.ReduceMinSync(mask, int8(-lane)), int8(1 - lanes)},
			{"ReduceMaxSync", gpu.ReduceMaxSync(mask, uint64(lane)), uint64(lanes - 1)},
			{"ReduceAndSync", gpu.ReduceAndSync(mask, uint32(lane)|8), uint32(8)},
			{"ReduceOrSync", gpu.ReduceOrSync(mask, lane), lanes - 1},
			{"ReduceXorSync", gpu.ReduceXorSync(mask, lane), 0},
			{"ElectSync", gpu.ElectSync(mask), lane == 0},
		} {
			if c.got != c.want {
				t.Errorf("%s gives lane %d %v, want %v", c.what, lane, c.got, c.want)
			}
		}
	})
}

// TestBarriers passes the barriers that give something, and the named ones.
func TestBarriers(t *testing.T) {
	var produced, consumed int
	launch(t, gridstride.Grid(1).Block(96), func() {
		tid := gpu.ThreadIdx.X
		if n := gpu.SyncThreadsCount(tid%3 == 0); n != 32 {
			t.Errorf("SyncThreadsCount gives thread %d %d, want 32", tid, n)
		}
		if gpu.SyncThreadsAnd(tid < 95) || !gpu.SyncThreadsOr(tid == 95) {
			t.Errorf("SyncThreadsAnd or SyncThreadsOr gives thread %d the wrong answer", tid)
		}
		if tid >= 64 {
			produced++
			gpu.ArriveBarrier(1, 96)
			return
		}
		gpu.SyncBarrier(1, 96)
		if consumed++; produced != 32 {
			t.Errorf("thread %d passes the barrier after %d of 32 have arrived", tid, produced)
		}
	})
	if consumed != 64 {
		t.Errorf("%d threads consumed, want 64", consumed)
	}
}

// TestGrid has blocks wait for each other: all for all, each for the one before it, and each for
// the one after it, which has yet to start.
func TestGrid(t *testing.T) {
	const blocks = 5
	var count int32
	launch(t, gridstride.Grid(blocks).Block(33), func() {
		gpu.AtomicAdd(&count, 1)
		gpu.SyncGrid()
		if gpu.AtomicLoad(&count) != blocks*33 {
			t.Errorf("a thread of block %d passes gpu.SyncGrid after %d of %d", gpu.BlockIdx.X, count, blocks*33)
		}
	})
	for _, step := range []int{-1, 1} {
		var done [blocks + 2]uint32
		done[0], done[blocks+1] = 1, 1
		launch(t, gridstride.Grid(blocks).Block(2), func() {
			b := gpu.BlockIdx.X + 1
			for gpu.AtomicLoad(&done[b+step], gpu.Acquire) == 0 {
				gpu.Nanosleep(20)
			}
			gpu.AtomicStore(&done[b], 1, gpu.Release)
		})
	}
	var lock uint32
	var inside int
	launch(t, gridstride.Grid(2).Block(7), func() {
		for gpu.AtomicExch(&lock, 1) == 1 {
		}
		inside++
		gpu.AtomicStore(&lock, 0)
	})
	if inside != 14 {
		t.Errorf("%d of 14 threads had the lock", inside)
	}
}

// bits is an integer type of a user.
type bits uint8

// TestAtomics does to a variable what one thread after the other does.
func TestAtomics(t *testing.T) {
	launch(t, gridstride.Grid(1).Block(1), func() {
		var i int8 = 120
		var u bits = 5
		var f float32 = 1.5
		var w uint32 = 3
		half := pairOf(2, -3)
		long := gpu.Uint64x2{X: 1, Y: 2}
		check := func(got, old, now, want any) {
			if got != old || now != want {
				t.Errorf("an atomic gives %v and leaves %v, want %v and %v", got, now, old, want)
			}
		}
		check(gpu.AtomicAdd(&i, 10), int8(120), i, int8(-126))
		check(gpu.AtomicMin(&i, 5), int8(-126), i, int8(-126))
		check(gpu.AtomicMax(&i, 5), int8(-126), i, int8(5))
		check(gpu.AtomicSub(&u, 6), bits(5), u, bits(255))
		check(gpu.AtomicAnd(&u, 0x3c), bits(255), u, bits(0x3c))
		check(gpu.AtomicXor(&u, 0xff), bits(0x3c), u, bits(0xc3))
		check(gpu.AtomicOr(&u, 0x0c), bits(0xc3), u, bits(0xcf))
		check(gpu.AtomicMin(&u, 7), bits(0xcf), u, bits(7))
		check(gpu.AtomicAdd(&f, 1e-9), float32(1.5), f, float32(1.5))
		check(gpu.AtomicMax(&f, 7), float32(1.5), f, float32(7))
		check(gpu.AtomicExch(&f, 9), float32(7), f, float32(9))
		check(gpu.AtomicInc(&w, 3), uint32(3), w, uint32(0))
		check(gpu.AtomicInc(&w, 3), uint32(0), w, uint32(1))
		check(gpu.AtomicDec(&w, 8), uint32(1), w, uint32(0))
		check(gpu.AtomicDec(&w, 8), uint32(0), w, uint32(8))
		check(gpu.AtomicCAS(&w, 7, 1), uint32(8), w, uint32(8))
		check(gpu.AtomicCAS(&w, 8, 1), uint32(8), w, uint32(1))
		check(gpu.AtomicAdd(&half, half), pairOf(2, -3), half, pairOf(4, -6))
		check(gpu.AtomicMin(&half, gpu.Float16x2{}), pairOf(4, -6), half, pairOf(0, -6))
		check(gpu.AtomicCAS128(&long, long, gpu.Uint64x2{X: 9}), gpu.Uint64x2{X: 1, Y: 2}, long, gpu.Uint64x2{X: 9})
		check(gpu.AtomicExch128(&long, gpu.Uint64x2{}), gpu.Uint64x2{X: 9}, long, gpu.Uint64x2{})
	})
}

func pairOf(x, y float32) gpu.Float16x2 {
	return gpu.Float16x2{X: gpu.Float16Of(x), Y: gpu.Float16Of(y)}
}

// TestShared looks at shared memory: at its first values, at dynamic memory, at a generic function
// that is called from two places, and blocks that have their own.
func TestShared(t *testing.T) {
	launch(t, gridstride.Grid(2).Block(4).Shared(60), func() {
		v := gpu.Shared[struct {
			N  int32
			F  float32
			Ok bool
		}]()
		words := gpu.DynamicShared[gpu.Uint64x2]()
		if tid := gpu.ThreadIdx.X; tid == 0 && (v.N != -1 || v.F == v.F || v.Ok || len(words) != 3 || words[2].Y != 1<<64-1) {
			t.Errorf("shared memory is %v and %v at first", *v, words)
		}
		gpu.SyncThreads()
		if gpu.ThreadIdx.X == 3 {
			v.N = 7
			words[2].Y = 1
		}
		gpu.SyncThreads()
		if n := len(gpu.DynamicShared[byte]()); n != 60 || v.N != 7 || gpu.DynamicShared[uint64]()[5] != 1 {
			t.Errorf("thread %v sees %v in shared memory of %d bytes", gpu.ThreadIdx, v.N, n)
		}
		one, two := collective.BlockSum(1), collective.BlockSum(float32(gpu.ThreadIdx.X))
		if one != 4 || two != 6 {
			t.Errorf("the sums are %d and %v, want 4 and 6", one, two)
		}
	})
}

// TestFailures has launches that end with an error, after which no goroutine of theirs runs.
func TestFailures(t *testing.T) {
	before := runtime.NumGoroutine()
	short := make([]int32, 5)
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	one := gridstride.Grid(1).Block(64)
	for _, c := range []struct {
		name   string
		ctx    context.Context
		cfg    gridstride.Config
		kernel func()
		want   string
	}{
		{"an index out of range", t.Context(), one, func() { short[gpu.ThreadIdx.X]++ },
			`thread \(5,0,0\) of block \(0,0,0\) at onhost_test.go:\d+: runtime error: index out of range`},
		{"an assertion", t.Context(), one, func() { gpu.Assert(gpu.LaneID() < 9, "lane %d", gpu.LaneID()) }, "assertion failed: lane 9"},
		{"a barrier in a branch", t.Context(), one, func() {
			if gpu.ThreadIdx.X < 32 {
				gpu.SyncThreads()
			} else {
				gpu.SyncThreads()
			}
		}, "no thread can go on; block (0,0,0): 32 threads wait at onhost_test.go:"},
		{"a block that never comes", t.Context(), gridstride.Grid(2).Block(1), func() {
			if gpu.BlockIdx.X == 0 {
				gpu.SyncGrid()
			}
		}, "for gpu.SyncGrid, the first is (0,0,0)"},
		{"a mask without the caller", t.Context(), one, func() { gpu.SyncWarp(1) }, "lane 1 calls gpu.SyncWarp with the mask 0x1, which does not name it"},
		{"two variables in a line", t.Context(), one, func() { a, b := gpu.Shared[int](), gpu.Shared[int](); *a, *b = 1, 2 }, "calls gpu.Shared twice with one type"},
		{"an mbarrier", t.Context(), one, func() { gpu.MBarrierArrive(new(gpu.MBarrier)) }, "gpu.MBarrierArrive was called on the host"},
		{"a barrier of no number", t.Context(), one, func() { gpu.SyncBarrier(16, 64) }, "barrier 16; want 1 to 15"},
		{"a barrier of no warp", t.Context(), one, func() { gpu.ArriveBarrier(1, 20) }, "20 threads; want a multiple of 32"},
		{"a flag that nobody sets", soon, one, func() {
			for flag := new(uint32); gpu.AtomicLoad(flag) == 0; {
			}
		}, "deadline exceeded"},
		{"too many threads at once", t.Context(), gridstride.Grid(1 << 20).Block(1024), gpu.SyncGrid, "want at most 65536 at a time"},
		{"no block", t.Context(), gridstride.Grid(1), func() {}, "the block is (0,0,0); want 1 to 1024 threads"},
		{"a block too large", t.Context(), gridstride.Grid(1).Block(1024, 2), func() {}, "2048 threads; want at most 1024"},
		{"no grid", t.Context(), gridstride.Grid(1, 70000).Block(1), func() {}, "want 1 to 65535 blocks in dimension 1"},
		{"shared memory", t.Context(), one.Shared(-1), func() {}, "-1 bytes of dynamic shared memory"},
		{"clusters", t.Context(), one.Cluster(1), func() {}, "want none"},
	} {
		err := onhost.Launch(c.ctx, c.cfg, c.kernel)
		if err == nil || !matches(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", c.name, err, c.want)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines run after the launches, %d before", runtime.NumGoroutine(), before)
}

// TestFault takes a fault apart.
func TestFault(t *testing.T) {
	mine := errors.New("mine")
	err := onhost.Launch(t.Context(), gridstride.Grid(2).Block(3), func() {
		if gpu.BlockIdx.X == 1 && gpu.ThreadIdx.X == 2 {
			panic(mine)
		}
	})
	var fault *onhost.Fault
	if !errors.As(err, &fault) || !errors.Is(err, mine) {
		t.Fatalf("the error is %v, want a fault of %v", err, mine)
	}
	if fault.Thread.X != 2 || fault.Block.X != 1 || !strings.Contains(string(fault.Stack), "TestFault") {
		t.Errorf("the fault is of thread %v, block %v, with the stack %s", fault.Thread, fault.Block, fault.Stack)
	}
}

// matches reports whether a text has another one in it, or what a pattern describes.
func matches(text, want string) bool {
	return strings.Contains(text, want) || regexp.MustCompile(want).MatchString(text)
}
