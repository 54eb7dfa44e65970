package load_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/load"
)

// module writes files into a new module and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	files["go.mod"] = "module hello\n\ngo 1.21\n"
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func names(src *compile.Source) string {
	var out []string
	for _, f := range src.Files {
		out = append(out, filepath.ToSlash(f.Name))
	}
	return strings.Join(out, " ")
}

func TestPackages(t *testing.T) {
	dir := module(t, map[string]string{
		"a/a.go":           "package a\n\nimport (\"fmt\"; \"hello/b\"; \"missing.example/x\")\n\nvar _ = fmt.Sprint(b.B, x.X)\n",
		"a/a_test.go":      "package a\n",
		"a/other.go":       "//go:build never\n\npackage a\n",
		"a/kernels_gen.go": "package a\n\n//go:embed kernels_gen.ptx\n<<<<<<< a conflict\n",
		"b/b.go":           "package b\n\nconst B = 1\n",
		"tests/x_test.go":  "package tests\n",
	})
	found, importer, err := load.Packages(t.Context(), dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 3 || found[0].Path != "hello/a" || found[1].Path != "hello/b" || found[2].Path != "hello/tests" {
		t.Fatalf("found %v", found)
	}
	for i, want := range []string{"a/a_test.go", "", "tests/x_test.go"} {
		files, err := found[i].TestFiles()
		if got := names(&compile.Source{Files: files}); err != nil || got != want {
			t.Errorf("the test files of %s are %q, %v", found[i].Path, got, err)
		}
	}
	if got := names(found[2].Source); got != "" {
		t.Errorf("a package of tests has the files %s", got)
	}
	a := found[0]
	if got := names(a.Source); got != "a/a.go" || a.Name != "a" || a.GoVersion != "go1.21" || filepath.Base(a.Dir) != "a" {
		t.Errorf("package a is %s %s in %s with files %s", a.Name, a.GoVersion, a.Dir, got)
	}
	b, err := importer("hello/b")
	if err != nil || names(b) != "b/b.go" {
		t.Errorf("import b: %v, %v", b, err)
	}
	if _, err := importer("fmt"); !errors.Is(err, compile.ErrStandard) {
		t.Errorf("import fmt: %v", err)
	}
	for _, path := range []string{"missing.example/x", "hello/nothing"} {
		if _, err := importer(path); err == nil || errors.Is(err, compile.ErrStandard) {
			t.Errorf("import %s: %v", path, err)
		}
	}
}

func TestMissing(t *testing.T) {
	dir := module(t, map[string]string{"a/a.go": "package a\n"})
	for pattern, want := range map[string]string{
		"./nothing":        "directory not found",
		"missing.example/": "missing.example",
		"./nothing/...":    "no such file or directory",
	} {
		if _, _, err := load.Packages(t.Context(), dir, pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if _, _, err := load.Packages(t.Context(), filepath.Join(dir, "none"), "."); err == nil {
		t.Error("a folder that is not there gives no error")
	}
	if _, _, err := load.Packages(t.Context(), filepath.VolumeName(dir)+string(filepath.Separator), "."); err == nil || !strings.HasPrefix(err.Error(), "go.mod file not found") {
		t.Errorf("a folder of no module: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := load.Packages(ctx, dir, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
