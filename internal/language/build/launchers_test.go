package build_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
)

// paramTypes are types that kernels of other packages take.
const paramTypes = `package types

import (
	"cmp"

	"github.com/gridstride/gridstride/gpu"
)

type M struct {
	Data []float32
	N    int
}

type P[T any] struct{ Data []T }

type CSR[T gpu.Float] struct {
	Val []T
	Col []int32
}

type V[T gpu.Float, U gpu.Integer] struct {
	X []T
	Y []U
}

type Ordered[T cmp.Ordered] struct{ X []T }

type num interface{ ~float32 | ~float64 }

type Inner[T num] struct{ A T }

type Hidden[T num] struct {
	X []T
	I Inner[T]
}

type unit struct{ V int32 }

type Box[T any] struct{ V T }

type Fields struct{ X []Box[unit] }

type Outer[T num] struct{ M Hidden[T] }

type Pair[T any, U any] struct {
	X []float32
	y U
}

type Point struct{ X int32 }
`

// launcherCases are kernels whose parameters are structs of other packages, by the name of their
// package.
var launcherCases = map[string]string{
	"n1":      "//gpu:kernel\nfunc K(m types.M) { m.Data[0] = float32(m.N) }",
	"n2":      "//gpu:kernel\nfunc K(m types.M, o other.M) { m.Data[0] = o.Data[0] }",
	"n3":      "//gpu:kernel T=float32,int32\nfunc K[T int32 | float32](p types.P[T], x T) { p.Data[0] = x }",
	"n11":     "//gpu:kernel\nfunc K(v types.V[float32, int32]) { v.X[0] = float32(v.Y[0]) }",
	"n13":     "//gpu:kernel T=float32\nfunc K[T float32 | float64](v types.Ordered[T], x T) { v.X[0] = x }",
	"rep1":    "//gpu:kernel T=float32,float64\nfunc K[T gpu.Float](m types.CSR[T], y []T) { y[m.Col[0]] = m.Val[0] }",
	"array":   "//gpu:kernel\nfunc K(m [2]types.M) { m[1].Data[0] = float32(m[0].N) }",
	"within":  "type own struct { m types.CSR[float64]; x types.M }\n\n//gpu:kernel\nfunc K(o own) { o.x.Data[0] = float32(o.m.Val[0]) }",
	"same":    "//gpu:kernel\nfunc K(a types.M, b []types.Point) { b[0].X = int32(a.N) }",
	"phantom": "//gpu:kernel\nfunc K(a types.Pair[types.Point, []float32]) { a.X[0] = 1 }",
	"hidden": "//gpu:kernel T=float32,float64\nfunc K[T float32 | float64](a types.Hidden[T], b types.Outer[T]) " +
		"{ a.X[0] = a.I.A + b.M.I.A }",
}

// TestLaunchersOfOtherTypes builds kernels whose parameters hold slices and are types of other
// packages: the launchers import the packages that they name, and no others.
func TestLaunchersOfOtherTypes(t *testing.T) {
	t.Parallel()
	dir := module(t, "")
	write(t, filepath.Join(dir, "types", "types.go"), paramTypes)
	write(t, filepath.Join(dir, "other", "other.go"), "package other\n\ntype M struct{ Data []float32 }\n")
	for name, kernel := range launcherCases {
		imports := ""
		for pkg, path := range map[string]string{
			"types": "example.com/k/types", "other": "example.com/k/other", "gpu": "github.com/gridstride/gridstride/gpu",
		} {
			if strings.Contains(kernel, pkg+".") {
				imports += "import \"" + path + "\"\n"
			}
		}
		write(t, filepath.Join(dir, name, "k.go"), "package "+name+"\n\n"+imports+"\n"+kernel+"\n")
	}
	packages, err := build.Packages(t.Context(), dir, compile.Options{}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if want := len(launcherCases) + 1; len(packages) != want {
		t.Errorf("%d packages were built, want %d", len(packages), want)
	}
}

// TestHiddenElements: a launcher cannot name an unexported type of another package.
func TestHiddenElements(t *testing.T) {
	t.Parallel()
	dir := module(t, "")
	write(t, filepath.Join(dir, "types", "types.go"), paramTypes)
	write(t, filepath.Join(dir, "k", "k.go"),
		"package k\n\nimport \"example.com/k/types\"\n\n//gpu:kernel\nfunc K(f types.Fields) { f.X[0].V.V = 1 }\n")
	_, err := build.Packages(t.Context(), dir, compile.Options{}, "./k")
	want := "k/k.go:6:10: parameter f of kernel K: f.X: its type types.unit is not exported, and the launcher needs to name it"
	if err == nil || filepath.ToSlash(err.Error()) != want {
		t.Errorf("%v, want %s", err, want)
	}
}
