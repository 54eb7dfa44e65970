package device

import (
	"math"
	"sync/atomic"
)

// Lifetime guards a device object against being given back while a call that uses it is on its way
// to the device's queue. Such calls hold it for their duration. The end is carried out by the last
// of them. It takes no lock, so that a launch which the driver stalls stalls nobody else.
//
// The zero Lifetime is alive. Its state is the number of holders, with the sign bit set once it has
// ended.
type Lifetime struct {
	state atomic.Int64
}

const ended = math.MinInt64

// Hold holds the object, or reports false when it has ended.
func (l *Lifetime) Hold() bool {
	for {
		s := l.state.Load()
		if s < 0 {
			return false
		}
		if l.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// Release lets go and reports whether the caller must now give the object back.
func (l *Lifetime) Release() bool { return l.state.Add(-1) == ended }

// End ends the life. first is false when it had ended before. now reports whether the caller must
// give the object back, because no call holds it.
func (l *Lifetime) End() (first, now bool) {
	for {
		s := l.state.Load()
		if s < 0 {
			return false, false
		}
		if l.state.CompareAndSwap(s, s|ended) {
			return true, s == 0
		}
	}
}

// Alive reports that the life has not ended.
func (l *Lifetime) Alive() bool { return l.state.Load() >= 0 }
