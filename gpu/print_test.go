package gpu_test

import (
	"testing"

	"github.com/gridstride/gridstride/gpu"
)

func ExamplePrintf() {
	gpu.Printf("%d is %.2f, %t\n", 3, 1.5, true)
	// Output: 3 is 1.50, true
}

// TestHostAssert panics where the condition does not hold.
func TestHostAssert(t *testing.T) {
	t.Parallel()
	gpu.Assert(true, "not %d", 1)
	defer func() {
		if got := recover(); got != "assertion failed: 3 is odd" {
			t.Errorf("panic %v", got)
		}
	}()
	gpu.Assert(false, "%d is odd", 3)
}
