package main

import (
	"testing"

	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

func init() { suitetest.UseStandIn() }

// TestOnStandIn runs the test again on the GPU backend.
func TestOnStandIn(t *testing.T) {
	t.Parallel()
	suitetest.OnStandIn(t, "^TestFirstCalls$", 1)
}
