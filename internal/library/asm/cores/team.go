package cores

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Team is goroutines that go through the same phases together, and share the tasks of each. They
// start once: starting a goroutine for each phase costs more than the work of a short phase, if a
// processor must be woken.
type Team struct {
	workers int
	next    atomic.Int64 // the next task of the phase
	arrived atomic.Int32 // goroutines that have no more to do in the phase
	phase   atomic.Uint32

	mu    sync.Mutex
	ended sync.Cond // the phase, for those that have waited long

	failed atomic.Pointer[Panic] // the first panic of one of the team
}

// Panic is the value with which [Together] panics after one of several goroutines did: that one's own
// value, and its stack. A program can recover from it as usual.
type Panic struct {
	Value any
	Stack []byte
}

// Error is the value and the stack.
func (p *Panic) Error() string {
	return fmt.Sprintf("%v\n\nin one of several goroutines:\n%s", p.Value, p.Stack)
}

// Unwrap is the value where that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// A goroutine that cannot go on, because another one has panicked, panics with abandoned.
type abandoned struct{}

// Together calls body from workers goroutines, including the caller, and returns when all have
// returned. All must call Share in the same order with the same numbers of tasks.
func Together(workers int, body func(t *Team)) {
	t := &Team{workers: max(workers, 1)}
	if t.workers == 1 {
		body(t)
		return
	}
	t.ended.L = &t.mu
	var others sync.WaitGroup
	for range t.workers - 1 {
		others.Go(func() { t.run(body) })
	}
	t.run(body)
	others.Wait()
	if p := t.failed.Load(); p != nil {
		panic(p)
	}
}

// run calls body, notes its panic and wakes those who wait for this goroutine.
func (t *Team) run(body func(t *Team)) {
	defer func() {
		v := recover()
		if _, ok := v.(abandoned); ok || v == nil {
			return
		}
		t.failed.CompareAndSwap(nil, &Panic{v, debug.Stack()})
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended.Broadcast()
	}()
	body(t)
}

// Share does the tasks 0 to tasks-1 of a phase with the whole team, and returns when all are done. If
// one of the team panics, nobody begins another task, and no Share returns.
func (t *Team) Share(tasks int, do func(task int)) {
	if t.workers == 1 {
		for task := range tasks {
			do(task)
		}
		return
	}
	phase := t.phase.Load()
	for task := int(t.next.Add(1)) - 1; task < tasks && t.failed.Load() == nil; task = int(t.next.Add(1)) - 1 {
		do(task)
	}
	if int(t.arrived.Add(1)) < t.workers {
		if t.wait(phase); t.phase.Load() == phase {
			panic(abandoned{})
		}
		return
	}
	t.next.Store(0)
	t.arrived.Store(0)
	t.mu.Lock()
	t.phase.Add(1)
	t.mu.Unlock()
	t.ended.Broadcast()
}

// A goroutine looks for the end of a phase the first number of times at once and the second number
// of times after other goroutines had their turn, and then waits.
const (
	spins  = 1 << 13 // some microseconds
	yields = 1 << 7
)

// wait returns when a phase has ended, or one of the team has panicked.
func (t *Team) wait(phase uint32) {
	for i := range spins + yields {
		if t.phase.Load() != phase || t.failed.Load() != nil {
			return
		}
		if i >= spins {
			runtime.Gosched()
		}
	}
	t.mu.Lock()
	for t.phase.Load() == phase && t.failed.Load() == nil {
		t.ended.Wait()
	}
	t.mu.Unlock()
}
