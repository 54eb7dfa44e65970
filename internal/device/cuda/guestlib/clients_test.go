package guestlib

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// clients runs programs that call CUDA's driver API: it builds the library, which takes a minute, and
// fetches Python's packages.
var clients = flag.Bool("clients", false, "build libcuda.so.1, and run programs in C and in Python with it")

// built is the folder of the library, and a program in C that calls it.
func built(t *testing.T) (dir, client string) {
	t.Helper()
	if !*clients {
		t.Skip("SKIPPED: programs that call CUDA run with -args -clients")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the library is for Linux")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("SKIPPED: gcc is not installed")
	}
	dir, err := Folder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client = filepath.Join(t.TempDir(), "client")
	cc := exec.Command("gcc", "-Wall", "-Werror", "-O1", "testdata/client.c", "-o", client, "-L"+dir, "-l:libcuda.so.1", "-lpthread")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, client
}

// command runs a command with the library, and returns what it prints.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0")
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	return string(out)
}

// TestClientC runs a program in C: it computes, from sixteen threads too, forks before and after its
// first call, and keeps its handlers of signals.
func TestClientC(t *testing.T) {
	dir, client := built(t)
	for what, want := range map[string]string{
		"add":      "right\n",
		"threads":  "right\n",
		"callback": "called 1\n",
		"fork":     "before 0, after 3\n",
		"signals":  "right\n",
		"missing":  "gridstride: cuArrayGetDescriptor_v2 is not simulated\n801\n",
	} {
		if got := command(t, dir, client, what); got != want {
			t.Errorf("client %s prints %q, want %q", what, got, want)
		}
	}
	t.Logf("times:\n%s", command(t, dir, client, "times"))
}

// TestCheckCommand checks programs in C and in Python: their races are found, at their lines, and
// nothing in the kernels without.
func TestCheckCommand(t *testing.T) {
	_, client := built(t)
	check := checker(t)
	if out, status := check(client, "threads"); status != 0 || !strings.Contains(out, "320 launches checked: 0 findings") {
		t.Errorf("a right program: status %d\n%s", status, out)
	}
	if out, status := check(client, "race"); status != 1 || !strings.Contains(out, "bar.sync between ptx:18 and ptx:20") {
		t.Errorf("a race: status %d\n%s", status, out)
	}
	python := withNumba(t)
	out, status := check(python, "testdata/race.py")
	for _, want := range []string{
		"kernel __main__::reverse, grid 1x1x1, block 128x1x1", "race.py:16:1    tile[i] = x[i]", "race.py:17:1    out[i] = tile[127 - i]",
		"fix    cuda.syncthreads() (in Triton tl.debug_barrier()) between race.py:16 and race.py:17", "2 launches checked: 1 finding",
	} {
		if status != 1 || !strings.Contains(out, want) {
			t.Errorf("status %d, without %q:\n%s", status, want, out)
		}
	}
}

// checker builds the command, and returns what runs a program under it: what it prints, and its status.
func checker(t *testing.T) func(args ...string) (string, int) {
	t.Helper()
	gridstride := filepath.Join(t.TempDir(), "gridstride")
	if out, err := exec.Command("go", "build", "-o", gridstride, "../../../../cmd/gridstride").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(args ...string) (string, int) {
		cmd := exec.CommandContext(t.Context(), gridstride, append([]string{"check", "--"}, args...)...)
		cmd.Env = append(os.Environ(), "TRITON_DEFAULT_FP_FUSION=1", "TRITON_CACHE_DIR="+filepath.Join(filepath.Dir(gridstride), "triton"))
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		if errs.Len() > 0 {
			t.Logf("%s: %s", args, errs.String())
		}
		return out.String(), cmd.ProcessState.ExitCode()
	}
}

// TestTriton checks kernels of Triton, which runs without torch: all results are right and nothing is
// found, and a write past the end of an array is found at its line.
func TestTriton(t *testing.T) {
	built(t)
	check := checker(t)
	python := withPackages(t, "triton==3.9.0", "numpy")
	if out, status := check(python, "testdata/triton_kernels.py"); status != 0 || !strings.Contains(out, "6 launches checked: 0 findings") {
		t.Errorf("right kernels: status %d\n%s", status, out)
	}
	out, status := check(python, "testdata/triton_kernels.py", "past")
	if status != 1 || !strings.Contains(out, "triton_kernels.py:50:5") || !strings.Contains(out, "write of 4 bytes") {
		t.Errorf("a write past the end: status %d\n%s", status, out)
	}
}

// withNumba is a Python that has numba's packages.
func withNumba(t *testing.T) string {
	t.Helper()
	return withPackages(t, "numba-cuda==0.30.4", "numba==0.68.1", "cuda-bindings==13.4.4", "cuda-core==1.2.2",
		"nvidia-cuda-nvrtc==13.5.37", "nvidia-nvvm==13.5.37", "nvidia-cuda-cccl", "nvidia-cuda-runtime==13.5.37")
}

// withPackages is a Python that has packages, which it fetches.
func withPackages(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no Python: %v\n%s", err, out)
	}
	python := filepath.Join(dir, "bin", "python")
	pip := exec.CommandContext(t.Context(), python, append([]string{"-m", "pip", "install", "-q"}, packages...)...)
	if out, err := pip.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %s cannot be fetched: %v\n%s", packages[0], err, out)
	}
	return python
}
