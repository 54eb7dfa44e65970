package device

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestLifetime ends an object while goroutines hold and release it: it is given back once, by the
// last.
func TestLifetime(t *testing.T) {
	t.Parallel()
	for range 200 {
		var l Lifetime
		var holders, given atomic.Int32
		giveBack := func() {
			if holders.Load() != 0 {
				t.Error("given back while held")
			}
			given.Add(1)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for l.Hold() {
					holders.Add(1)
					holders.Add(-1)
					if l.Release() {
						giveBack()
					}
				}
			})
		}
		var firsts atomic.Int32
		for range 2 {
			wg.Go(func() {
				first, now := l.End()
				if first {
					firsts.Add(1)
				}
				if now {
					giveBack()
				}
			})
		}
		wg.Wait()
		if given.Load() != 1 || firsts.Load() != 1 || l.Alive() {
			t.Fatalf("given back %d times, ended first %d times, alive: %t", given.Load(), firsts.Load(), l.Alive())
		}
	}
}
