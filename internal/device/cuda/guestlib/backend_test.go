package guestlib

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOwnSuite runs the tests of package gridstride and of its CUDA backend on the library, as if it
// were NVIDIA's driver: each call goes through C's functions. The process has two runtimes of Go then,
// the test's and the library's.
func TestOwnSuite(t *testing.T) {
	dir, _ := built(t)
	// TestMemoryExhausted would fill the machine's memory, which is the library's.
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-skip=^(TestOnStandIn|TestMemoryExhausted)$",
		".", "./internal/device/cudadev")
	cmd.Dir = "../../../.."
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "GRIDSTRIDE_DEVICE=cuda")
	out, err := cmd.CombinedOutput()
	var failed strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") && !strings.Contains(line, "--- SKIP") {
			failed.WriteString(line)
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, failed.String())
	}
	if n := strings.Count(string(out), "\n--- PASS: "); n < 100 {
		t.Errorf("only %d tests ran:\n%s", n, out)
	}
}
