package onhost

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gridstride/gridstride/gpu"
)

// A thread is a coroutine that runs the kernel once.
type thread struct {
	block *block
	index gpu.Dim3
	lane  int // in its warp
	warp  int // in its block

	resume func() (struct{}, bool)
	stop   func()
	pause  func(struct{}) bool

	waits  *wait // for other threads, nil if it can run
	result any   // of what it has waited for
	looks  int   // atomics in a row that changed nothing
	spins  bool  // it has let others run, and got no further
	ended  bool
	fault  *Fault
}

// A wait is a call that is answered when other threads have made it too.
type wait struct {
	name  string // of the function of package gpu
	args  []any
	place runtime.Frame
}

// A Fault is a panic of a thread, as of an index out of range or of gpu.Assert.
type Fault struct {
	Thread, Block gpu.Dim3
	Value         any    // of the panic
	Position      string // "kernel.go:21", of the kernel's line
	Stack         []byte // as debug.Stack has it
}

// Error is "thread (3,0,0) of block (0,0,0) at kernel.go:21: runtime error: index out of range".
func (f *Fault) Error() string {
	return fmt.Sprintf("onhost: thread %s of block %s at %s: %v", dim(f.Thread), dim(f.Block), f.Position, f.Value)
}

// Unwrap is the panic's value, if that is an error.
func (f *Fault) Unwrap() error {
	err, _ := f.Value.(error)
	return err
}

// errStopped unwinds a thread of a launch that has ended.
var errStopped = errors.New("onhost: the launch has ended")

// begin makes the thread's coroutine, which runs kernel at the first resume.
func (t *thread) begin(kernel func()) {
	t.resume, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.pause = yield
		defer func() {
			t.ended = true
			if v := recover(); v != nil && v != errStopped {
				at, stack := panicked(), debug.Stack()
				t.fault = &Fault{Thread: t.index, Block: t.block.index, Value: v, Position: at, Stack: stack}
			}
		}()
		kernel()
	})
}

// step lets the thread run until it waits, spins or ends.
func (t *thread) step() {
	gpu.ThreadIdx, gpu.BlockIdx = t.index, t.block.index
	t.block.launch.now = t
	t.spins = false
	t.resume()
}

// runs reports whether the thread has more to do by itself.
func (t *thread) runs() bool { return !t.ended && t.waits == nil }

// meet waits for the threads that the call is about, and gives what it answers this one.
func (t *thread) meet(name string, args ...any) any {
	at := place()
	t.waits, t.looks = &wait{name: name, args: args, place: at}, 0
	t.yield()
	return t.result
}

// goOn has the wait answered.
func (t *thread) goOn(result any) {
	t.waits, t.result = nil, result
}

// yield lets others run.
func (t *thread) yield() {
	if !t.pause(struct{}{}) {
		panic(errStopped)
	}
}

// own reports whether a function is part of package gpu or of this package, whose frames no kernel
// has written. Generic functions are named "…/gpu.ShflSync[...]".
func own(function string) bool {
	const module = "github.com/gridstride/gridstride/"
	for _, pkg := range []string{"gpu.", "gpu/onhost."} {
		if strings.HasPrefix(function, module+pkg) {
			return true
		}
	}
	return false
}

// panicked is the line of the kernel that a deferred function sees panicking.
func panicked() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") && !own(f.Function) {
			return position(f)
		}
		if !more {
			return "an unknown line"
		}
	}
}

func position(f runtime.Frame) string {
	return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
}

func dim(d gpu.Dim3) string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }
