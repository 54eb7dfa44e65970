package load

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/sourcefs"
)

// TestSystems holds the systems that sourcefs knows, which has no go command, to Go's.
func TestSystems(t *testing.T) {
	t.Parallel()
	for _, s := range sourcefs.Systems {
		if !isForSystem("step_" + s + ".go") {
			t.Errorf("sourcefs takes step_%s.go for a file of one system, and go/build does not", s)
		}
	}
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Skipf("go tool dist list: %v", err)
	}
	for _, s := range strings.FieldsFunc(string(out), func(r rune) bool { return r == '/' || r == '\n' }) {
		if !slices.Contains(sourcefs.Systems, s) {
			t.Errorf("sourcefs does not know the system %s", s)
		}
	}
}
