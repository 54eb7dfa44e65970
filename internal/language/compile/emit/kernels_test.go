package emit_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// TestKernels compiles kernels in Go all the way: each testdata/kernels/NAME.go gives NAME.ptx.
// They are small enough to be read: what a person should look for is said above each kernel.
func TestKernels(t *testing.T) {
	files, _ := filepath.Glob("testdata/kernels/*.go")
	if len(files) == 0 {
		t.Fatal("no test data")
	}
	update := flag.Lookup("update").Value.String() == "true"
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src := compiletest.Source("example.com/p", filepath.Base(file), string(text))
			r, err := compile.Compile(src, compiletest.Importer(t), compile.Options{Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			mod := r.PTX
			if len(r.Targets) > 0 { // all kernels of the file are for it
				mod = r.Targets[0].PTX
			}
			got := mod.String()
			golden := strings.TrimSuffix(file, ".go") + ".ptx"
			if update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			noSpills(t, golden)
		})
	}
}

// noSpills has ptxas, if installed, assemble the file, and reads its report of registers: no
// register may be spilled, and no variable may be in local memory.
func noSpills(t *testing.T, file string) {
	t.Helper()
	ptxas := os.Getenv("GRIDSTRIDE_PTXAS")
	if ptxas == "" {
		ptxas, _ = exec.LookPath("ptxas")
	}
	if ptxas == "" {
		t.Log("ptxas is not on PATH and GRIDSTRIDE_PTXAS is not set: the text is not assembled")
		return
	}
	out, err := exec.Command(ptxas, "-arch=sm_90a", "-v", "-o", os.DevNull, file).CombinedOutput()
	if err != nil {
		t.Fatalf("ptxas: %v\n%s", err, out)
	}
	if m := regexp.MustCompile(`[1-9]\d* bytes (stack frame|spill)`).Find(out); m != nil {
		t.Errorf("ptxas reports %s:\n%s", m, out)
	}
}
