package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/lower"
)

// TestErrors lowers testdata/errors/*.go, whose ERROR comments state what is wrong with them.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			prog, err := frontend.Load(compiletest.Source("example.com/p", "p.go", string(text)),
				compiletest.Importer(t))
			if err != nil {
				t.Fatal(err)
			}
			tables, err := lower.NewTables(prog)
			if err != nil {
				t.Fatal(err)
			}
			var errs frontend.ErrorList
			for _, k := range prog.Kernels {
				for _, inst := range k.Instances {
					target := abi.Target{}
					if len(k.Targets) > 0 {
						target = k.Targets[0]
					}
					if _, err := lower.Kernel(tables, inst, target, nil); err != nil {
						errs = append(errs, err.(frontend.ErrorList)...)
					}
				}
			}
			compiletest.CheckErrors(t, "p.go", string(text), errs.Err())
		})
	}
}
