package comm_test

import (
	"os"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
	"github.com/gridstride/gridstride/internal/device/nccl"
)

// standInEnv, set, makes the tests use a simulated driver with four GPUs, and a stand-in for NCCL.
const standInEnv = "GRIDSTRIDE_TEST_STANDIN"

func init() {
	if os.Getenv(standInEnv) == "" {
		return
	}
	d, n, err := simdriver.OpenWithNCCL(simdriver.Config{Devices: 4, Version: 13000, Memory: 1 << 30})
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
	nccl.UseStandIn(nccl.StandIn(n.Lookup))
	standIn = n
}

// TestOnStandIn runs the tests again on the GPU backend, with a simulated driver and a stand-in for
// NCCL.
func TestOnStandIn(t *testing.T) {
	if os.Getenv(standInEnv) != "" || onGPU() {
		t.Skip("the tests run on GPUs, or on the stand-in, already")
	}
	t.Parallel()
	out := again(t, standInEnv, "-test.v", "-test.timeout=300s", "-programs=60")
	if n := strings.Count(out, "--- PASS: "); n < 86 {
		t.Errorf("only %d tests ran:\n%s", n, out)
	}
}
