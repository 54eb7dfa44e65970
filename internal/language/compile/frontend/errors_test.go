package frontend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// TestErrors compiles testdata/errors/*.go, whose ERROR comments state what is wrong with them.
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
			_, err = frontend.Load(compiletest.Source("example.com/p", "p.go", string(text)),
				compiletest.Importer(t, otherPackage))
			compiletest.CheckErrors(t, "p.go", string(text), err)
		})
	}
}

// otherPackage is one that tests may import.
var otherPackage = compiletest.Source("example.com/geom", "geom.go", `package geom

import "os"

type Vec struct{ X, Y float32 }

func (v Vec) Dot(w Vec) float32 { return v.X*w.X + v.Y*w.Y }
func (v Vec) Print() { os.Stdout.WriteString("vec") }

var Origin, Scale Vec

var Twice = [2]float32{1 * Dim, 2 * Dim}

const Dim = 2

func Loop(n int) int { return Loop(n - 1) }
`)
