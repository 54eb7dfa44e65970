//go:build !linux

package cuda

import "time"

// nap sleeps for d, or for longer where the system's timers are coarse.
func nap(d time.Duration) { time.Sleep(d) }
