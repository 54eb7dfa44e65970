package onhost_test

import (
	"context"
	"flag"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

var delve = flag.String("delve", "", "the command `dlv`, which TestDelve runs")

// TestDelve has Delve stop a thread of the kernel reverse, and look at the thread's variables and
// at shared memory, as docs/debug.md does.
func TestDelve(t *testing.T) {
	t.Parallel()
	if *delve == "" {
		t.Skip("go test -delve dlv holds a launch to Delve")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, *delve, "test", "--allow-non-terminal-interactive=true", ".", "--", "-test.run", "^Example$")
	cmd.Stdin = strings.NewReader(`break example_test.go:18
condition 1 gpu.ThreadIdx.X == 37 && gpu.BlockIdx.X == 1
continue
print i
print stretch[63-37]
print gpu.ThreadIdx
exit
`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("Delve: %v\n%s", err, out)
	}
	want := regexp.MustCompile(`(?s)\(dlv\) 101\n\(dlv\) 90\n\(dlv\) .*gpu\.Dim3 \{X: 37, Y: 0, Z: 0\}`)
	if !want.Match(out) {
		t.Errorf("Delve prints\n%s\nwithout %s", out, want)
	}
}
