package cudadev

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWithPaths names the files of PTX by their places on this machine, if they are known.
func TestWithPaths(t *testing.T) {
	t.Parallel()
	const text = ".version 6.0\n.file 1 \"m/a.go\"\n\t.file\t12 \"m/other/b.go\", 5, 77\n// .file 3 \"m/a.go\"\n.visible .entry k() { ret; }\n"
	got := withPaths(text, func(file string) string { return map[string]string{"m/a.go": "/src/a b.go"}[file] })
	if want := strings.Replace(text, "m/a.go", "/src/a b.go", 1); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	for _, hostile := range []string{"", "a\"b.go", "a\nb.go", "a\r.go"} {
		if got := withPaths(text, func(string) string { return hostile }); got != text {
			t.Errorf("%q: %s", hostile, got)
		}
	}
}

// TestLinesInMachineCode has NVIDIA's assembler make machine code with lines, and finds the Go source in
// it with nvdisasm. It needs both in PATH.
func TestLinesInMachineCode(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"ptxas", "nvdisasm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not in PATH: .ci/ptxas fetches it", tool)
		}
	}
	folder, err := filepath.Abs("../../../examples/dot")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "kernels_gen.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(folder, "kernel.go")
	dir := t.TempDir()
	ptx, code := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	named := withPaths(string(text), func(string) string { return source })
	if err := os.WriteFile(ptx, []byte(named), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "ptxas", "-lineinfo", "-arch=sm_90", "-o", code, ptx).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "nvdisasm", "-g", "-c", code).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"19", "25", "31"} { // the loop, the sum of the block, and its store
		if want := "## File \"" + source + "\", line " + line; !strings.Contains(string(out), want) {
			t.Errorf("the machine code has no %s", want)
		}
	}
}
