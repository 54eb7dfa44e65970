package source_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
)

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not installed")
	}
}

// TestStandardLibrary reads Go's own documentation.
func TestStandardLibrary(t *testing.T) {
	t.Parallel()
	needGo(t)
	if testing.Short() {
		t.Skip("it parses all of the standard library")
	}
	found := map[string]similar.Document{}
	for d, err := range source.Read(t.Context(), source.Options{}, "go:std") {
		if err != nil {
			t.Fatal(err)
		}
		found[d.ID] = d
	}
	if len(found) < 140 || len(found) > 400 {
		t.Errorf("found %d packages", len(found))
	}
	heap := found["container/heap"]
	if heap.Title != "container/heap" || !strings.Contains(heap.Fields["synopsis"], "heap operations") {
		t.Errorf("got %+v", heap)
	}
	for _, want := range []string{"priority queue", "func Push(h Interface, x any)", "Push pushes the element x onto the heap", "add x as element Len()"} {
		if !strings.Contains(heap.Text, want) {
			t.Errorf("container/heap does not say %q", want)
		}
	}
	if strings.Contains(heap.Text, "h.Swap(i, j)") || strings.Contains(heap.Text, "func up(") {
		t.Error("container/heap shows what is not documentation")
	}
	for id := range found {
		if strings.Contains(id, "internal") || strings.HasPrefix(id, "vendor/") {
			t.Errorf("found %s", id)
		}
	}
}

// TestGoPackages reads packages of a module. One is broken.
func TestGoPackages(t *testing.T) {
	t.Parallel()
	needGo(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.26\n",
		"a/a.go":          "// Package a sorts. It is small.\npackage a\n\n// Sort sorts x.\nfunc Sort(x []int) { hidden() }\n\nfunc hidden() {}\n",
		"b/b.go":          "package b\n\nfunc {\n",
		"internal/c/c.go": "package c\n",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := collect(source.GoPackages(t.Context(), source.Options{}, dir, "./..."))
	if len(got) != 3 || !strings.HasPrefix(got[1], "! example.com/m/b: ") {
		t.Fatalf("got %q", got)
	}
	same(t, []string{got[0], got[2]},
		"example.com/m/a|example.com/m/a|Package a sorts. It is small.//func Sort(x []int)/Sort sorts x.|synopsis=Package a sorts.",
		"example.com/m/internal/c|example.com/m/internal/c|")
	if got := collect(source.GoPackages(t.Context(), source.Options{}, filepath.Join(dir, "nowhere"), "std")); len(got) != 1 || !strings.HasPrefix(got[0], "! documentation of Go packages: ") {
		t.Errorf("got %q", got)
	}
}
