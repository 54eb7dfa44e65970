package vet

import (
	"go/ast"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/language/sourcetext"
	"github.com/gridstride/gridstride/internal/tools/ptxpack"
)

// StaleAnalyzer finds generated files whose sources have changed.
var StaleAnalyzer = &analysis.Analyzer{
	Name: "stale",
	Doc: `find generated PTX of kernels that have changed

What runs then is not what the Go code says, and what is found in a run is shown at the wrong lines.`,
	Run: func(pass *analysis.Pass) (any, error) {
		for _, f := range pass.Files {
			if name := pass.Fset.File(f.FileStart).Name(); filepath.Base(name) == abi.GoFile {
				findStale(pass, f, filepath.Dir(name))
			}
		}
		return nil, nil
	},
}

// findStale compares the PTX files in a package's folder with its sources. It does not ask for the
// compiler, as this program's version need not be the module's.
func findStale(pass *analysis.Pass, launchers *ast.File, dir string) {
	if !ast.IsGenerated(launchers) {
		return
	}
	sources := sourcetext.New(dir)
	var names []string
	for _, pattern := range abi.PTXFiles {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := ptxpack.ReadFile(name) // pass reads no files but Go's
		if err != nil {
			pass.Reportf(launchers.Package, "%s cannot be read: %v", filepath.Base(name), err)
			return
		}
		if err := stamp.Check(text, "", sources.Source); err != nil {
			pass.Reportf(launchers.Package, "%s is %v", filepath.Base(name), err)
			return // of the others is the same to be said
		}
		if _, ok := stamp.Read(text); !ok {
			pass.Reportf(launchers.Package, "%s is stale: an old version of gridstride wrote it; run gridstride build", filepath.Base(name))
			return
		}
	}
}
