package compile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// FuzzCompile compiles anything: there is an ErrorList or a result, never a panic.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.go", "lower/testdata/*.go", "lower/testdata/errors/*.go",
		"frontend/testdata/errors/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	imp := compiletest.Importer(f)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text), imp, compile.Options{Verify: true})
		if err == nil {
			return
		}
		if _, ok := errors.AsType[compile.ErrorList](err); !ok {
			t.Errorf("the error is no ErrorList: %v", err)
		}
	})
}
