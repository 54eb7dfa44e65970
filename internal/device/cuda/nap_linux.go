package cuda

import (
	"syscall"
	"time"
)

// nap sleeps for d, and some 50 µs more: in the system, on the thread, which the runtime replaces if
// others have work. A signal ends it early.
func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
