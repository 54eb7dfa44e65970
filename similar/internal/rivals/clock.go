package main

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// processor returns the time that processors have spent on this process.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("BUG: no clock of the process: %v", err))
	}
	return time.Duration(t.Nano())
}

// took returns the processor time of f.
func took(f func() error) (time.Duration, error) {
	before := processor()
	err := f()
	return processor() - before, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// spread is the median and the 99th percentile, in milliseconds.
func spread(times []time.Duration) map[string]float64 {
	times = slices.Sorted(slices.Values(times))
	return map[string]float64{"median_ms": ms(times[len(times)/2]), "p99_ms": ms(times[len(times)*99/100])}
}
