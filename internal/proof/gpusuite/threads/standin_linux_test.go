package threads

import (
	"testing"

	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

func init() { suitetest.UseStandIn() }

// TestOnStandIn runs those tests again on the GPU backend that are about its part in the launch.
func TestOnStandIn(t *testing.T) {
	t.Parallel()
	suitetest.OnStandIn(t, "Spread|Meetings|MeetOrFail$|WholeDevice|Print|AssertValues$|LargeShared|Graph", 17)
}
