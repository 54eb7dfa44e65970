package cuda

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkNap is a nap and a timer of the runtime, in a process that is idle otherwise.
func BenchmarkNap(b *testing.B) {
	for _, d := range []time.Duration{20 * time.Microsecond, 300 * time.Microsecond} {
		b.Run(fmt.Sprintf("nap/%v", d), func(b *testing.B) {
			for b.Loop() {
				nap(d)
			}
		})
		b.Run(fmt.Sprintf("timer/%v", d), func(b *testing.B) {
			for b.Loop() {
				<-time.After(d)
			}
		})
	}
}
