package host

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Part is how many elements a goroutine takes at a time. Fewer are not worth a second goroutine,
// unless an operator takes microseconds.
const Part = 4096

// cores is the most goroutines of a call.
func cores() int { return runtime.GOMAXPROCS(0) }

// each calls do for parts of the numbers below n, which have size numbers, on all cores.
func each(n, size int, do func(from, to int)) {
	if n <= 0 {
		return
	}
	t := team{n: n, size: size, parts: int64(ceil(n, size)), do: do}
	others := int(min(int64(cores()), t.parts)) - 1
	if others <= 0 {
		t.work()
		return
	}
	t.all.Add(others)
	for range others {
		go t.other()
	}
	t.first()
	switch {
	case t.exited:
		runtime.Goexit()
	case t.failed:
		panic(t.cause)
	}
}

// A team is the goroutines that work on the parts of a call.
type team struct {
	n, size int
	parts   int64
	do      func(from, to int)

	next atomic.Int64 // part
	stop atomic.Bool  // nobody takes another part
	all  sync.WaitGroup

	mu     sync.Mutex
	failed bool
	cause  any  // of the first panic
	exited bool // an operator has called runtime.Goexit
}

// work works on parts that nobody else has taken.
func (t *team) work() {
	for !t.stop.Load() {
		p := t.next.Add(1) - 1
		if p >= t.parts {
			return
		}
		from := int(p) * t.size
		t.do(from, from+min(t.size, t.n-from))
	}
}

// first is the work of the caller's goroutine. If it panics, the panic goes on when all are done.
func (t *team) first() {
	done := false
	defer func() {
		if !done {
			t.stop.Store(true)
		}
		t.all.Wait()
	}()
	t.work()
	done = true
}

// other is the work of another goroutine.
func (t *team) other() {
	done := false
	defer func() {
		if !done {
			t.fail(recover())
		}
		t.all.Done()
	}()
	t.work()
	done = true
}

// fail keeps the cause of a panic for the caller's goroutine. Without a cause it was runtime.Goexit.
func (t *team) fail(cause any) {
	t.stop.Store(true)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case cause == nil:
		t.exited = true
	case !t.failed:
		t.failed, t.cause = true, cause
	}
}

// ceil is the number of parts of a size that n elements have.
func ceil(n, size int) int {
	if n <= 0 {
		return 0
	}
	return (n-1)/size + 1
}
