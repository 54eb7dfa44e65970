//go:build unix

package check

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has used: other work on the machine hardly changes
// it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
