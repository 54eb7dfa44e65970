package cores

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Team is goroutines that go through the same phases together, each of which shares tasks. They
// start once: to start one for each phase costs more than the work of a short phase, where a
// processor must be woken.
type Team struct {
	workers int
	next    atomic.Int64 // the next task of the phase
	arrived atomic.Int32 // goroutines that have no more to do in the phase
	phase   atomic.Uint32

	mu    sync.Mutex
	ended sync.Cond // the phase, for those that have waited long
}

// Together calls body from so many goroutines, the caller among them, and returns when all have
// returned. All must call Share in the same order with the same numbers of tasks.
func Together(workers int, body func(t *Team)) {
	t := &Team{workers: max(workers, 1)}
	t.ended.L = &t.mu
	var others sync.WaitGroup
	for range t.workers - 1 {
		others.Go(func() { body(t) })
	}
	body(t)
	others.Wait()
}

// Share does the tasks 0 to tasks-1 of a phase with the whole team, and returns when all are done.
func (t *Team) Share(tasks int, do func(task int)) {
	if t.workers == 1 {
		for task := range tasks {
			do(task)
		}
		return
	}
	phase := t.phase.Load()
	for task := int(t.next.Add(1)) - 1; task < tasks; task = int(t.next.Add(1)) - 1 {
		do(task)
	}
	if int(t.arrived.Add(1)) < t.workers {
		t.wait(phase)
		return
	}
	t.next.Store(0)
	t.arrived.Store(0)
	t.mu.Lock()
	t.phase.Add(1)
	t.mu.Unlock()
	t.ended.Broadcast()
}

// The end of a phase is looked for so many times at once, so many times after other goroutines had
// their turn, and then waited for.
const (
	spins  = 1 << 13 // some microseconds
	yields = 1 << 7
)

// wait returns when a phase has ended.
func (t *Team) wait(phase uint32) {
	for i := range spins + yields {
		if t.phase.Load() != phase {
			return
		}
		if i >= spins {
			runtime.Gosched()
		}
	}
	t.mu.Lock()
	for t.phase.Load() == phase {
		t.ended.Wait()
	}
	t.mu.Unlock()
}
