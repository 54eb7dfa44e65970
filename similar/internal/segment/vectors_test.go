package segment

import (
	"testing"

	"github.com/gridstride/gridstride/internal/math/half"
)

// TestMaxHalf compares MaxHalf with the number before infinity.
func TestMaxHalf(t *testing.T) {
	t.Parallel()
	if largest := half.F16ToF32(half.F16Inf - 1); largest != MaxHalf || half.F16Nearest[float32](MaxHalf) != half.F16Inf-1 {
		t.Errorf("MaxHalf is %v, and the largest number is %v", float32(MaxHalf), largest)
	}
}
