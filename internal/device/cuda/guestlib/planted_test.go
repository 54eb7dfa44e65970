package guestlib

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plantedPrograms are the programs with planted bugs, and the files that have them.
var plantedPrograms = map[string]string{
	"bugs_numba.py":  "bugs_numba.py",
	"bugs_cpp.py":    "kernels.cu",
	"bugs_triton.py": "bugs_triton.py",
}

// planted is how many bugs there are in all.
const planted = 20

// tritonPackage is what bugs_triton.py needs besides numba's packages.
const tritonPackage = "triton==3.5.1"

// TestPlantedBugs checks kernels in numba, C++ and Triton: each planted bug is found at its line, and
// nothing else, and nothing in the right versions.
func TestPlantedBugs(t *testing.T) {
	built(t)
	python := withNumba(t)
	t.Setenv("GRIDSTRIDE_FORGIVE", "1")
	t.Setenv("TRITON_CACHE_DIR", t.TempDir())
	marks := 0
	for program, file := range plantedPrograms {
		if program == "bugs_triton.py" {
			if out, err := exec.CommandContext(t.Context(), python, "-m", "pip", "install", "-q", tritonPackage).CombinedOutput(); err != nil {
				t.Logf("!!! TRITON WAS NOT TESTED: it cannot be fetched: %v\n%s", err, out)
				marks += len(bugsIn(t, file))
				continue
			}
		}
		bugs := bugsIn(t, file)
		marks += len(bugs)
		out, messages, status := gridstride(t, "testdata/planted", "check", "--format", "json", "--", python, "-W", "ignore", program, "right")
		if status != 0 {
			t.Errorf("%s, right kernels: status %d\n%s%s", program, status, out, lastLines(messages, 10))
		}
		out, messages, status = gridstride(t, "testdata/planted", "check", "--format", "json", "--", python, "-W", "ignore", program, "wrong")
		if status != 1 {
			t.Fatalf("%s, wrong kernels: status %d\n%s%s", program, status, out, lastLines(messages, 10))
		}
		for _, f := range findings(t, out) {
			at := bugOf(bugs, file, f)
			if at == "" {
				t.Errorf("%s has no such bug: %+v", file, f)
			}
			delete(bugs, at)
		}
		for at := range bugs {
			t.Errorf("not found: %s", at)
		}
	}
	if marks != planted {
		t.Errorf("%d bugs are planted, want %d", marks, planted)
	}
}

var bugMark = regexp.MustCompile(`BUG (\S+)`)

// bugsIn are the bugs that a file says are to be found, as "file:line kind".
func bugsIn(t *testing.T, file string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "planted", file))
	if err != nil {
		t.Fatal(err)
	}
	bugs := map[string]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := bugMark.FindStringSubmatch(line); m != nil {
			bugs[fmt.Sprintf("%s:%d %s", file, i+1, m[1])] = true
		}
	}
	return bugs
}

// bugOf is the bug that a finding is, or "".
func bugOf(bugs map[string]bool, file string, f finding) string {
	for _, p := range f.Places {
		at := fmt.Sprintf("%s:%d %s", file, p.Source.Line, f.Kind)
		if filepath.Base(p.Source.File) == file && bugs[at] {
			return at
		}
	}
	return ""
}
