package emit

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// targets lists the targets of kernels whose instructions differ between targets.
var targets = map[string][]string{"halves": {"sm_80", "sm_90a"}, "extremes": {"sm_75", "sm_80"}}

// Each testdata/NAME.ir, a kernel or several in the IR's text form, is emitted as
// testdata/NAME.ptx, or for a target as NAME_sm_80.ptx.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.ir")
	if len(files) == 0 {
		t.Fatal("no test data")
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".ir")
		list := targets[filepath.Base(name)]
		if list == nil {
			t.Run(filepath.Base(name), func(t *testing.T) { golden(t, Module(parse(t, file), abi.Target{}), name+".ptx") })
		}
		for _, text := range list {
			target, _ := abi.ParseTarget(text)
			t.Run(filepath.Base(name)+"/"+text, func(t *testing.T) {
				golden(t, Module(parse(t, file), target), name+"_"+text+".ptx")
			})
		}
	}
}

// golden compares a module with a file, and has it verified and assembled.
func golden(t *testing.T, m *ptx.Module, file string) {
	t.Helper()
	got := m.String()
	if err := ptx.Verify(m); err != nil {
		t.Errorf("not valid:\n%v\n%s", err, got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	assemble(t, file, m)
}

// parse reads the kernels of a file. Each starts with a line "func …".
func parse(t *testing.T, file string) []*ir.Func {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kernels []*ir.Func
	for i, part := range strings.Split("\n"+string(text), "\nfunc ") {
		if i == 0 {
			continue
		}
		f, err := ir.Parse("func " + part)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if err := ir.Verify(f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		kernels = append(kernels, f)
	}
	return kernels
}

// assemble has ptxas, if installed, assemble the text for a GPU that knows all its instructions.
func assemble(t *testing.T, file string, m *ptx.Module) {
	t.Helper()
	ptxas := os.Getenv("GRIDSTRIDE_PTXAS")
	if ptxas == "" {
		ptxas, _ = exec.LookPath("ptxas")
	}
	if ptxas == "" {
		t.Log("ptxas is not on PATH and GRIDSTRIDE_PTXAS is not set: the text is not assembled")
		return
	}
	arch := "sm_90"
	if main := m.MainTarget(); main.Suffix != 0 {
		arch = main.String()
	}
	out, err := exec.Command(ptxas, "-arch="+arch, "-v", "-o", os.DevNull, file).CombinedOutput()
	if err != nil {
		t.Errorf("ptxas: %v\n%s", err, out)
	}
}

// Emission names no thing by a map's order: the same kernels give the same text.
func TestDeterministic(t *testing.T) {
	for _, file := range []string{"testdata/dot.ir", "testdata/ops.ir"} {
		first := Module(parse(t, file), abi.Target{}).String()
		for range 5 {
			if again := Module(parse(t, file), abi.Target{}).String(); again != first {
				t.Fatalf("%s: two runs differ:\n%s", file, cmp.Diff(first, again))
			}
		}
	}
}
