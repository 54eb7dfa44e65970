package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
)

// kernels is a package with n kernels.
func kernels(n int) string {
	var b strings.Builder
	b.WriteString("package k\n")
	for i := range n {
		fmt.Fprintf(&b, "\n//gpu:kernel\nfunc K%d(a []float32, x float32) { a[%d] = a[1]/x + a[2] }\n", i, i)
	}
	return b.String()
}

// TestPacked: a long PTX text is stored compressed, a short one as text, and a change from one to
// the other leaves no file of before. What counts is the text: other bytes for it are not stale.
func TestPacked(t *testing.T) {
	t.Parallel()
	dir := module(t, "")
	const short, long = "kernels_gen.go kernels_gen.ptx", "kernels_gen.go kernels_gen.ptx.zst"
	for _, step := range []struct {
		kernels int
		files   string
	}{{3, short}, {101, long}, {102, long}, {3, short}, {0, ""}} {
		write(t, filepath.Join(dir, "k.go"), kernels(step.kernels))
		p := built(t, dir)
		if _, err := p.Write(); err != nil {
			t.Fatal(err)
		}
		if got := generated(t, dir); got != step.files {
			t.Errorf("%d kernels: there are %s, want %s", step.kernels, got, step.files)
		}
		if stale, err := p.Stale(); err != nil || len(stale) > 0 {
			t.Errorf("%d kernels: after writing, %v are stale, %v", step.kernels, stale, err)
		}
	}

	write(t, filepath.Join(dir, "k.go"), kernels(101))
	p := built(t, dir)
	if _, err := p.Write(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "kernels_gen.ptx.zst")
	text, err := ptxpack.ReadFile(name)
	if err != nil || strings.Count(text, ".entry") != 101 {
		t.Fatalf("%d kernels are packed, %v", strings.Count(text, ".entry"), err)
	}
	for what, data := range map[string]string{
		"another text": string(ptxpack.Pack(text + "\n")), "damaged": string(ptxpack.Pack(text)[:999]), "empty": "",
	} {
		write(t, name, data)
		if stale, err := p.Stale(); err != nil || fmt.Sprint(stale) != "[kernels_gen.ptx.zst]" {
			t.Errorf("%s: %v are stale, %v", what, stale, err)
		}
		if changed, err := built(t, dir).Write(); err != nil || len(changed) != 1 {
			t.Errorf("%s: %v were written, %v", what, changed, err)
		}
	}
	if again, err := ptxpack.ReadFile(name); err != nil || again != text {
		t.Errorf("after the repairs the file has %d bytes, want %d, %v", len(again), len(text), err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "kernels_gen.ptx"), "// somebody's own\n")
	write(t, filepath.Join(dir, "kernels_gen.go"), "package k\n")
	if _, err := build.Packages(t.Context(), dir, compile.Options{}, "."); err == nil {
		t.Error("a file that gridstride build has not written is taken for its own")
	}
}

// built is the package in dir, compiled.
func built(t *testing.T, dir string) *build.Package {
	t.Helper()
	packages, err := build.Packages(t.Context(), dir, compile.Options{}, ".")
	if err != nil || len(packages) != 1 {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	return packages[0]
}
