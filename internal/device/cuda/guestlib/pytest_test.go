package guestlib

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// pytestPackages are what the plugin is tested with.
var pytestPackages = []string{"pytest==9.2.0", "pytest-xdist==3.8.0"}

// gridstrideAt builds the command, once for all tests.
var gridstrideAt = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gridstride-command-")
	if err != nil {
		return "", err
	}
	made := filepath.Join(dir, "gridstride")
	out, err := exec.Command("go", "build", "-o", made, "../../../../cmd/gridstride").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return made, nil
})

// gridstride runs the command in a folder, and returns what it prints on standard output and on
// standard error, and its status.
func gridstride(t *testing.T, dir string, args ...string) (out, messages string, status int) {
	t.Helper()
	command, err := gridstrideAt()
	if err != nil {
		t.Fatalf("%v\n%s", err, command)
	}
	cmd := exec.CommandContext(t.Context(), command, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	_ = cmd.Run()
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// withPlugin is a Python that has pytest and the plugin, whose wheel it builds.
func withPlugin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, wheels := filepath.Join(dir, "source"), filepath.Join(dir, "wheels")
	if err := os.CopyFS(source, os.DirFS("../../../../cmd/libcuda/pytest")); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(dir, "venv", "bin", "python")
	if out, err := exec.Command("python3", "-m", "venv", filepath.Join(dir, "venv")).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: THE PLUGIN FOR PYTEST WAS NOT TESTED: no Python: %v\n%s", err, out)
	}
	pip := func(args ...string) ([]byte, error) {
		return exec.CommandContext(t.Context(), python, append([]string{"-m", "pip", "-q"}, args...)...).CombinedOutput()
	}
	if out, err := pip(append([]string{"install"}, pytestPackages...)...); err != nil {
		t.Skipf("SKIPPED: THE PLUGIN FOR PYTEST WAS NOT TESTED: pytest cannot be fetched: %v\n%s", err, out)
	}
	if out, err := pip("wheel", "--no-deps", "-w", wheels, source); err != nil {
		t.Fatalf("the wheel is not built: %v\n%s", err, out)
	}
	wheel, err := filepath.Glob(filepath.Join(wheels, "pytest_gridstride-*-py3-none-any.whl"))
	if err != nil || len(wheel) != 1 {
		t.Fatalf("the wheels are %q (%v)", wheel, err)
	}
	if out, err := pip("install", wheel[0]); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return python
}

// findings are the findings of a report in JSON.
func findings(t *testing.T, text string) []finding {
	t.Helper()
	var r struct{ Findings []finding }
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r.Findings
}

// finding is what the tests look at.
type finding struct {
	Kind, Kernel, Fix, LaunchedFrom string
	Tests                           []string
	Places                          []struct {
		Role   string
		Source struct {
			File string
			Line int
		}
	}
}

// TestPytest runs tests whose kernels have races, in one process and in two: those tests fail, and no
// others, and the report names them.
func TestPytest(t *testing.T) {
	built(t)
	python := withPlugin(t)
	want := []string{
		"test_reverse.py::TestCase::test_of_unittest", "test_reverse.py::test_expected", "test_reverse.py::test_in_fixture",
		"test_reverse.py::test_in_program", "test_reverse.py::test_in_teardown",
		"test_reverse.py::test_long[" + strings.Repeat(`\xe4`, 3000) + "]", "test_reverse.py::test_race", "test_reverse.py::test_raises",
	}
	for _, workers := range []string{"0", "2"} {
		out, messages, status := gridstride(t, "testdata/project", "check", "--format", "json", "--",
			python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers)
		if !strings.Contains(messages, "5 failed, 3 passed, 1 xfailed, 2 errors") || status != 1 {
			t.Fatalf("with %s workers: status %d\n%s", workers, status, messages)
		}
		list := findings(t, out)
		if len(list) != 1 || !slices.Equal(list[0].Tests, want) || list[0].LaunchedFrom != "driver.py:58" {
			t.Errorf("with %s workers the findings are %+v, want one of the tests %q", workers, list, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "test_x.py"), []byte("def test(): pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "pytest", "-p", "no:cacheprovider", dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "gridstride-0.1.0") {
		t.Errorf("without gridstride check: %v\n%s", err, out)
	}
}

// TestFaulthandler has Python end by a signal after a launch: its own handler still tells where.
func TestFaulthandler(t *testing.T) {
	dir, _ := built(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: no Python")
	}
	out := command(t, dir, "python3", "-X", "faulthandler", "-c",
		"import sys, ctypes\nsys.dont_write_bytecode = True\nsys.path.append('testdata/project')\nimport driver\n"+
			"driver.reverse(True)\nctypes.string_at(0)")
	if !strings.Contains(out, "Segmentation fault") || !strings.Contains(out, `File "<string>", line 6`) {
		t.Errorf("Python says\n%s", out)
	}
}
