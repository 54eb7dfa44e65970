package build_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// source is a package with a kernel whose directive has arguments.
const source = `package k

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel %s
func Add(a []int32) {
	for i := range gpu.GridStride(len(a)) {
		a[i]++
	}
}
`

// module is a module in a new folder, with source.
func module(t *testing.T, arguments string) (dir string) {
	t.Helper()
	checkout, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} { // what the checkout requires, the module does
		text, err := os.ReadFile(filepath.Join(checkout, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			const us = "github.com/gridstride/gridstride"
			text = bytes.Replace(text, []byte("module "+us), []byte("module example.com/k"), 1)
			text = fmt.Appendf(text, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", us, us, filepath.ToSlash(checkout))
		}
		write(t, filepath.Join(dir, name), string(text))
	}
	write(t, filepath.Join(dir, "k.go"), fmt.Sprintf(source, arguments))
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTargets changes the targets that a kernel asks for: the files of those that it no longer asks
// for go, and nothing else does. The stamp of the others changes with the line.
func TestTargets(t *testing.T) {
	t.Parallel()
	dir := module(t, "")
	write(t, filepath.Join(dir, "mine.ptx"), "")
	for _, step := range []struct{ arguments, changed, files string }{
		{"block=64", "kernels_gen.ptx kernels_gen.go", "kernels_gen.go kernels_gen.ptx mine.ptx"},
		{"target=sm_90a,sm_80", "kernels_gen.ptx kernels_gen_sm_80.ptx kernels_gen_sm_90a.ptx kernels_gen.go",
			"kernels_gen.go kernels_gen_sm_80.ptx kernels_gen_sm_90a.ptx mine.ptx"},
		{"target=sm_90a", "kernels_gen_sm_80.ptx kernels_gen_sm_90a.ptx kernels_gen.go", "kernels_gen.go kernels_gen_sm_90a.ptx mine.ptx"},
	} {
		write(t, filepath.Join(dir, "k.go"), fmt.Sprintf(source, step.arguments))
		packages, err := build.Packages(t.Context(), dir, compile.Options{}, "./...")
		if err != nil || len(packages) != 1 {
			t.Fatalf("%s: %d packages, %v", step.arguments, len(packages), err)
		}
		changed, err := packages[0].Write()
		if got := strings.Join(changed, " "); err != nil || got != step.changed {
			t.Errorf("%s: %v, changed %s, want %s", step.arguments, err, got, step.changed)
		}
		if stale, err := packages[0].Stale(); err != nil || len(stale) > 0 {
			t.Errorf("%s: after writing, %v are stale, %v", step.arguments, stale, err)
		}
		if got := generated(t, dir); got != step.files {
			t.Errorf("%s: there are %s, want %s", step.arguments, got, step.files)
		}
	}
	write(t, filepath.Join(dir, "k.go"), "package k\n")
	packages, err := build.Packages(t.Context(), dir, compile.Options{}, "./...")
	if err != nil || len(packages) != 1 {
		t.Fatalf("no kernel is left: %d packages, %v", len(packages), err)
	}
	if _, err := packages[0].Write(); err != nil || generated(t, dir) != "mine.ptx" {
		t.Errorf("no kernel is left: %v, there are %s", err, generated(t, dir))
	}
}

// generated are the files of a folder that may be generated.
func generated(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !slices.Contains([]string{"go.mod", "go.sum", "k.go"}, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// TestListTarget lists a kernel for each of its targets.
func TestListTarget(t *testing.T) {
	t.Parallel()
	dir := module(t, "target=sm_80,sm_90a")
	for target, want := range map[string]string{"": ".target sm_80\n", "sm_80": ".target sm_80\n", "sm_90a": ".target sm_90a\n"} {
		var out bytes.Buffer
		if err := build.List(t.Context(), &out, dir, ".", "Add", target); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("target %q: %v, no %q in\n%s", target, err, want, &out)
		}
	}
	err := build.List(t.Context(), &bytes.Buffer{}, dir, ".", "Add", "sm_70")
	if want := "kernel Add is not compiled for sm_70; it is for sm_80, sm_90a"; err == nil || err.Error() != want {
		t.Errorf("a target that is not there: %v, want %s", err, want)
	}
}
