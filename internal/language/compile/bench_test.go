package compile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/language/compile/emit"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/language/compile/lower"
	"github.com/gridstride/gridstride/internal/language/compile/pass"
)

// BenchmarkKernel compiles each kernel that calls functions of the libraries for kernels, from the
// typed source to PTX, and says how many instructions of PTX it has. None should take 100 ms: the
// slowest took 77 in November 2026.
func BenchmarkKernel(b *testing.B) {
	const module = "github.com/gridstride/gridstride/"
	libraries := []*compile.Source{
		packageIn(b, module+"gpu/collective"), packageIn(b, module+"gpu/rand"), packageIn(b, module+"internal/math/ieee"),
	}
	for _, path := range []string{
		"gpu/collective/internal/kernels", "gpu/collective/testdata/kernels", "gpu/collective/testdata/blocks",
		"gpu/rand/internal/kernels", "examples/gallery",
	} {
		prog, err := frontend.Load(packageIn(b, module+path), compiletest.Importer(b, libraries...))
		if err != nil {
			b.Fatal(err)
		}
		tables, err := lower.NewTables(prog)
		if err != nil {
			b.Fatal(err)
		}
		for _, k := range prog.Kernels {
			for _, inst := range k.Instances {
				b.Run(filepath.Base(filepath.Dir(path))+"/"+inst.PTXName, func(b *testing.B) {
					for b.Loop() {
						f, err := lower.Kernel(tables, inst, abi.Target{}, nil)
						if err != nil {
							b.Fatal(err)
						}
						pass.Run(f, pass.List)
						text := emit.Module([]*ir.Func{f}, abi.Target{}).String()
						b.ReportMetric(float64(strings.Count(text, ";\n")), "instructions")
					}
				})
			}
		}
	}
}

// BenchmarkLoops compiles kernels of many loops, one after the other. The time of a loop should not
// grow with their number: it took 1.1 times as much among 400 as among 100 in November 2026.
func BenchmarkLoops(b *testing.B) {
	for _, n := range []int{100, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var text strings.Builder
			text.WriteString("package p\n//gpu:kernel\nfunc Many(x []float32, n int) {\nvar sum float32\n")
			for i := range n {
				fmt.Fprintf(&text, "for i := range n { sum += x[i] * %d }\n", i+1)
			}
			text.WriteString("x[0] = sum\n}\n")
			source, imp := compiletest.Source("example.com/p", "p.go", text.String()), compiletest.Importer(b)
			for b.Loop() {
				if _, err := compile.Compile(source, imp, compile.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/loop")
		})
	}
}

// packageIn is the package of this module with a path.
func packageIn(b *testing.B, path string) *compile.Source {
	b.Helper()
	names, err := filepath.Glob(filepath.Join("../../..", strings.TrimPrefix(path, "github.com/gridstride/gridstride/"), "*.go"))
	if err != nil || len(names) == 0 {
		b.Fatalf("%s: %v", path, err)
	}
	src := &compile.Source{Path: path, Name: filepath.Base(path)}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == abi.GoFile {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		src.Files = append(src.Files, compile.File{Name: filepath.Base(name), Text: text})
	}
	return src
}
