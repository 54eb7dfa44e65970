// Package onhost runs a kernel on the host as the Go function that it is, so that Delve or another
// debugger of Go programs steps through host and kernel alike.
//
//	err := onhost.Launch(ctx, gridstride.Grid(4).Block(64), func() {
//		dot(x, y, sums) // the kernel, with slices for its buffers
//	})
//
// Each thread is a goroutine, and one of them runs at a time, from one place where threads meet to
// the next: a barrier, an operation of a warp, an atomic that waits for another thread. The order is
// the same at each launch: the threads of a block in the order of their indices, one block after
// the other. While a thread runs, gpu.ThreadIdx and its like are the thread's own, so that a
// breakpoint takes the condition gpu.ThreadIdx.X == 37.
//
// It is for looking, and finds no races: one order of the threads is one of many. The checks of
// package gputest and "gridstride check" look at all orders, and "gridstride debug" steps back, shows
// all lanes of a warp and needs no goroutine a thread.
//
// # What differs from a device
//
//   - Tensor cores, clusters, mbarriers and asynchronous copies do not run. Their functions panic.
//   - Floating-point operations are the host's. Go fuses products and sums on some processors, not on
//     amd64. Functions of package math are Go's own. Functions of package gpu give a device's bits.
//   - Shared memory is full of ones in every bit at first, so that numbers which nothing has written
//     are odd: -1, and NaN. Bools are false.
//   - A call of gpu.Shared is known by its line, so two calls with one type need two lines.
//   - Subnormal float32 stay as they are in sums by gpu.AtomicAdd.
package onhost

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/internal/host"
	"github.com/gridstride/gridstride/internal/abi"
)

// MaxThreads is how many threads have started and not ended at a time, at most: of the blocks that
// wait for each other, by gpu.SyncGrid or an atomic.
const MaxThreads = 1 << 16

// turn has a place for the launch that runs: gpu.ThreadIdx is one variable of the process.
var turn = make(chan struct{}, 1)

// Launch runs kernel once for each thread of a launch, and returns when all threads have ended.
// Launches of several goroutines run one after the other.
//
// The configuration has the size of the blocks and no clusters. The error is a [*Fault] if a thread
// panics, which ends the launch, a [*Deadlock] if no thread can go on, or ctx's. A thread that
// neither ends nor meets others is not interrupted.
func Launch(ctx context.Context, cfg gridstride.Config, kernel func()) error {
	if err := check(cfg); err != nil {
		return err
	}
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-turn }()
	l := &launch{cfg: cfg, kernel: kernel}
	host.Answer = l.answer
	defer l.end()
	return l.run(ctx)
}

// check says what is wrong with a configuration.
func check(cfg gridstride.Config) error {
	limits := abi.AnyLimits()
	grid, block := cfg.GridDim, cfg.BlockDim
	for i, n := range [3]int{grid.X, grid.Y, grid.Z} {
		if n < 1 || n > limits.Grid[i] {
			return fmt.Errorf("onhost: the grid is %v; want 1 to %d blocks in dimension %d", grid, limits.Grid[i], i)
		}
	}
	for i, n := range [3]int{block.X, block.Y, block.Z} {
		if n < 1 || n > limits.Block[i] {
			return fmt.Errorf("onhost: the block is %v; want 1 to %d threads in dimension %d", block, limits.Block[i], i)
		}
	}
	switch threads := block.X * block.Y * block.Z; {
	case threads > limits.Threads:
		return fmt.Errorf("onhost: a block has %d threads; want at most %d", threads, limits.Threads)
	case cfg.SharedBytes < 0 || cfg.SharedBytes > limits.Shared:
		return fmt.Errorf("onhost: a block has %d bytes of dynamic shared memory; want 0 to %d", cfg.SharedBytes, limits.Shared)
	case cfg.ClusterDim != gridstride.Dim3{}:
		return fmt.Errorf("onhost: the launch has clusters of %v blocks; want none, which a launch on the host does not have", cfg.ClusterDim)
	}
	return nil
}

// A launch is the blocks of a grid that have started.
type launch struct {
	cfg     gridstride.Config
	kernel  func()
	started int      // blocks, in the order of their indices
	live    []*block // started and not ended
	now     *thread  // the thread that runs
	clock   int64    // calls that were answered
}

// run runs the blocks, one at a time unless they wait for each other.
func (l *launch) run(ctx context.Context) error {
	gpu.GridDim, gpu.BlockDim = gpu.Dim3(l.cfg.GridDim), gpu.Dim3(l.cfg.BlockDim)
	for {
		moved, err := l.round(ctx)
		if err != nil {
			return err
		}
		switch more := l.more(); {
		case len(l.live) == 0 && !more:
			return nil
		case moved:
		case more:
			if err := l.start(); err != nil {
				return err
			}
		case !l.spins():
			return l.deadlock()
		}
	}
}

// round lets each live block run until its threads wait or spin, and reports whether one got on.
func (l *launch) round(ctx context.Context) (moved bool, err error) {
	live := l.live[:0:0]
	for _, b := range l.live {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		got, err := b.round()
		if err != nil {
			return false, err
		}
		moved = moved || got
		if !b.ended() {
			live = append(live, b)
		}
	}
	l.live = live
	return l.meetGrid() || moved, nil
}

// more reports whether blocks have yet to start.
func (l *launch) more() bool {
	grid := l.cfg.GridDim
	return uint64(l.started) < uint64(grid.X)*uint64(grid.Y)*uint64(grid.Z)
}

// start starts the next block.
func (l *launch) start() error {
	size := l.cfg.BlockDim
	threads := size.X * size.Y * size.Z
	if n := (len(l.live) + 1) * threads; n > MaxThreads {
		return fmt.Errorf("onhost: %d blocks wait for each other, and one more would make %d threads; want at most %d at a time",
			len(l.live), n, MaxThreads)
	}
	grid := l.cfg.GridDim
	at := l.started
	l.started++
	l.live = append(l.live, newBlock(l, gpu.Dim3{X: at % grid.X, Y: at / grid.X % grid.Y, Z: at / grid.X / grid.Y}))
	return nil
}

// spins reports whether a thread can run, if only to look at an atomic again.
func (l *launch) spins() bool {
	for _, b := range l.live {
		for _, t := range b.threads {
			if t.runs() {
				return true
			}
		}
	}
	return false
}

// end unwinds the threads that have not ended and leaves package gpu as it was.
func (l *launch) end() {
	for _, b := range l.live {
		for _, t := range b.threads {
			t.stop()
		}
	}
	host.Answer = nil
	gpu.ThreadIdx, gpu.BlockIdx, gpu.BlockDim, gpu.GridDim = gpu.Dim3{}, gpu.Dim3{}, gpu.Dim3{}, gpu.Dim3{}
}

// answer answers a call of package gpu by the thread that runs.
func (l *launch) answer(name string, args []any) any {
	do := answers[name]
	if do == nil {
		panic("BUG: onhost has no answer for gpu." + name)
	}
	l.clock++
	return do(l.now, args)
}

// place is where a kernel calls package gpu: the innermost line outside of that package and this.
func place() runtime.Frame {
	at, _ := callSite()
	return at
}

// callSite is place, and the return addresses from here to there: calls in one line differ in them.
func callSite() (at runtime.Frame, returns [8]uintptr) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for i := range pcs {
		f, more := frames.Next()
		if !own(f.Function) || !more {
			copy(returns[:], pcs[:i])
			return f, returns
		}
	}
	panic("BUG: onhost finds no kernel above a call of package gpu")
}
