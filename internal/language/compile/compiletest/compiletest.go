// Package compiletest helps to test the compiler: sources from text, and an importer that knows
// package gpu.
package compiletest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/sourcefs"
)

// Source makes a package of one file.
func Source(path, fileName, text string) *frontend.Source {
	name := path[strings.LastIndex(path, "/")+1:]
	return &frontend.Source{Path: path, Name: name, Files: []frontend.File{{Name: fileName, Text: []byte(text)}}}
}

// Importer finds package gpu and the packages given. Paths without a dot in their first element are
// taken for the standard library's.
func Importer(tb testing.TB, others ...*frontend.Source) frontend.Importer {
	tb.Helper()
	gpu, err := gpuSource()
	if err != nil {
		tb.Fatal(err)
	}
	byPath := map[string]*frontend.Source{frontend.GPUPath: gpu}
	for _, src := range others {
		byPath[src.Path] = src
	}
	return func(path string) (*frontend.Source, error) {
		if src := byPath[path]; src != nil {
			return src, nil
		}
		if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
			return nil, frontend.ErrStandard
		}
		return nil, fmt.Errorf("package %s is not here", path)
	}
}

// gpuSource reads package gpu from the repository.
var gpuSource = sync.OnceValues(func() (*frontend.Source, error) {
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "../../../..")
	return sourcefs.Package(os.DirFS(root), "gpu", frontend.GPUPath)
})
