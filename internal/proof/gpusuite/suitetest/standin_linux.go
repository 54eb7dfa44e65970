package suitetest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

// standIn, set, makes tests use a stand-in for NVIDIA's driver, whose GPU is the simulator.
const standIn = "GRIDSTRIDE_TEST_STANDIN"

// UseStandIn uses the stand-in if the tests run on it, with a GPU of 9.0. A test package's init
// calls it.
func UseStandIn() {
	if os.Getenv(standIn) == "" {
		return
	}
	d, err := simdriver.Open(simdriver.Config{Devices: 1, Version: 13000, Memory: 1 << 30, Capability: [2]int{9, 0}})
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
}

// OnStandIn runs the package's tests of a pattern again on the GPU backend, with the stand-in. All
// n must pass, and none be skipped.
func OnStandIn(t *testing.T, pattern string, n int) {
	t.Helper()
	if os.Getenv(standIn) != "" {
		t.Skip("this is it")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=120s", "-test.run="+pattern)
	c.Env = append(os.Environ(), standIn+"=1", "GRIDSTRIDE_DEVICE=cuda")
	out, err := c.CombinedOutput()
	if passed := strings.Count(string(out), "\n--- PASS: "); err != nil || passed != n {
		t.Errorf("%v, and %d tests passed:\n%s", err, passed, out)
	}
}
