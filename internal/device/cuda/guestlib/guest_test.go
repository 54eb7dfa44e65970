package guestlib

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// guestProgram is the program in C that opens the library as a guest.
func guestProgram(t *testing.T) (dir, program string) {
	t.Helper()
	dir, _ = built(t)
	program = filepath.Join(t.TempDir(), "guest")
	if out, err := exec.Command("gcc", "-Wall", "-Werror", "-O1", "testdata/guest.c", "-o", program, "-ldl", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, program
}

// TestGuest runs a program that opens and closes the library, forks while a kernel runs, is
// interrupted by timers, has threads that come and go, and ends while a kernel runs.
func TestGuest(t *testing.T) {
	dir, program := guestProgram(t)
	for _, what := range []string{"closed", "children", "interrupted", "threads", "exit", "thread exits", "_exit", "abort", "killed"} {
		if got := command(t, dir, program, what); got != "right\n" {
			t.Errorf("guest %s prints %q", what, got)
		}
	}
}

// TestEndsUnderCheck checks programs that end while a kernel runs: one that exits is checked to its
// end, and one that is killed is not decided.
func TestEndsUnderCheck(t *testing.T) {
	_, program := guestProgram(t)
	for what, want := range map[string]struct {
		status int
		text   string
	}{
		"exit":         {0, "1 launch checked: 0 findings"},
		"thread exits": {0, "1 launch checked: 0 findings"},
		"_exit":        {2, "could not decide: "},
		"abort":        {2, "could not decide: "},
		"killed":       {2, "could not decide: "},
	} {
		out, messages, status := gridstride(t, ".", "check", "--", program, what)
		if status != want.status || !strings.Contains(out, want.text) {
			t.Errorf("guest %s: status %d, want %d\n%s%s", what, status, want.status, out, messages)
		}
	}
}
