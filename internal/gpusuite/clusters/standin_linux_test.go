package clusters

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/cuda"
	"github.com/gridstride/gridstride/internal/cuda/simdriver"
)

// standInEnv, set, makes the tests take a stand-in for NVIDIA's driver, whose GPU is the simulator.
const standInEnv = "GRIDSTRIDE_TEST_STANDIN_CLUSTERS"

func init() {
	if os.Getenv(standInEnv) == "" {
		return
	}
	d, err := simdriver.Open(simdriver.Config{Devices: 1, Version: 13000, Memory: 1 << 30, Capability: [2]int{9, 0}})
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
}

// TestOnStandIn runs the tests again on the GPU backend.
func TestOnStandIn(t *testing.T) {
	t.Parallel()
	if os.Getenv(standInEnv) != "" {
		t.Skip("this is it")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=120s", "-test.run=Rotate|Collect|Count|Where|Beyond|Refused")
	c.Env = append(os.Environ(), standInEnv+"=1", "GRIDSTRIDE_DEVICE=cuda")
	out, err := c.CombinedOutput()
	if n := strings.Count(string(out), "\n--- PASS: "); err != nil || n != 7 {
		t.Errorf("%v, and %d tests passed:\n%s", err, n, out)
	}
}
