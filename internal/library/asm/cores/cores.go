// Package cores shares work among the idle processors, and cuts long vectors into pieces for that,
// always into the same ones.
package cores

import (
	"runtime"
	"sync/atomic"
)

// busy is how many goroutines compute at the moment. A call takes as many as there
// are processors left, so that many calls at once do not slow each other down.
var busy atomic.Int64

// Work is how many multiplications are worth a second goroutine.
const Work = 1 << 21

// Claim returns the number of goroutines, including the caller, that share work multiplications.
// The caller releases them afterwards.
func Claim(work int) int {
	want := min(int64(work/Work), int64(runtime.GOMAXPROCS(0)))
	for {
		now := busy.Load()
		n := max(1, min(want, int64(runtime.GOMAXPROCS(0))-now))
		if busy.CompareAndSwap(now, now+n) {
			return int(n)
		}
	}
}

// Busy is how many goroutines compute at the moment.
func Busy() int { return int(busy.Load()) }

// Release ends what Claim began.
func Release(workers int) { busy.Add(-int64(workers)) }

// Parallel does the tasks 0 to tasks-1 with workers goroutines, including the caller.
func Parallel(workers, tasks int, do func(task int)) {
	Together(min(workers, tasks), func(t *Team) { t.Share(tasks, do) })
}
