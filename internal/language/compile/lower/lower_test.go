package lower_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/language/compile/lower"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden lowers testdata/*.go and compares the IR with the .ir file next to each.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := lowerText(t, string(text))
			golden := strings.TrimSuffix(name, ".go") + ".ir"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (run with -update to rewrite):\n%s", golden, diff)
			}
		})
	}
}

// lowerText lowers every kernel of a package of one file, verifies the IR and prints it.
func lowerText(t *testing.T, text string) string {
	t.Helper()
	prog, err := frontend.Load(compiletest.Source("example.com/p", "p.go", text), compiletest.Importer(t))
	if err != nil {
		t.Fatal(err)
	}
	tables, err := lower.NewTables(prog)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, k := range prog.Kernels {
		for _, inst := range k.Instances {
			f, err := lower.Kernel(tables, inst, abi.Target{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(f); err != nil {
				t.Errorf("%v\n%s", err, f)
			}
			b.WriteString(f.String())
			b.WriteString("\n")
		}
	}
	return b.String()
}
