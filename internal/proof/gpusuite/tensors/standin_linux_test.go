package tensors

import (
	"testing"

	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

func init() { suitetest.UseStandIn() }

// TestOnStandIn runs the tests again on the GPU backend.
func TestOnStandIn(t *testing.T) {
	t.Parallel()
	suitetest.OnStandIn(t, "Load|Store|Spread|Pipe|Relay|Plain|Hand", 7)
}
