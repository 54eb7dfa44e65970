package gridstride

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

func init() {
	if os.Getenv("GRIDSTRIDE_TEST_STANDIN") == "" {
		return
	}
	d, err := simdriver.Open(simdriver.Config{Devices: 2, Version: 13000, Memory: 1 << 30})
	if err != nil {
		panic(err)
	}
	cuda.UseStandIn(d)
}

// TestOnStandIn runs this package's tests again on the GPU backend, with a simulated driver: the
// same suite runs for both backends on a machine without a GPU.
func TestOnStandIn(t *testing.T) {
	if os.Getenv("GRIDSTRIDE_TEST_STANDIN") != "" {
		t.Skip("this is it")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=120s")
	c.Env = append(os.Environ(), "GRIDSTRIDE_TEST_STANDIN=1", "GRIDSTRIDE_DEVICE=cuda")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, failures(string(out)))
	}
	if n := strings.Count(string(out), "--- PASS: "); n < 40 {
		t.Errorf("only %d tests ran:\n%s", n, out)
	}
}

// failures leaves out of a verbose output the tests that passed.
func failures(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") && !strings.Contains(line, "--- SKIP") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
