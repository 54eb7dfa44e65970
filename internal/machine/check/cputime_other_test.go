//go:build !unix

package check

import "time"

var processStart = time.Now()

// cpuTime is the time since the process started: there is nothing better everywhere.
func cpuTime() time.Duration { return time.Since(processStart) }
