package clusters

import (
	"testing"

	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

func init() { suitetest.UseStandIn() }

// TestOnStandIn runs the tests again on the GPU backend.
func TestOnStandIn(t *testing.T) {
	t.Parallel()
	suitetest.OnStandIn(t, "Rotate|Collect|Count|Where|Beyond|Refused|Around", 9)
}
