package compile_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// repeated are kernels with n of something.
var repeated = map[string]func(each func(format string) string) string{
	"cases": func(each func(string) string) string {
		return "func K(a []int) {\n switch a[0] {\n" + each(" case #: a[1] = # * 7\n") + "}\n}"
	},
	"terms": func(each func(string) string) string {
		return "func K(a []float32, x float32) {\n a[0] = x" + each(" + x") + "\n}"
	},
	"returns": func(each func(string) string) string {
		return "func K(a []int) { a[1] = f(a[0], a) }\nfunc f(x int, a []int) int {\n" +
			each("if x == a[#] { return # }\n") + "return 0\n}"
	},
	"branches": func(each func(string) string) string {
		return "func K(a []int) {\n x := a[0]\n" + each("if x < # { x += a[#] }\n") + "a[1] = x\n}"
	},
	"conditions": func(each func(string) string) string {
		return "func K(a []int) {\n if a[0] == 0" + each(" && a[#] == #") + " { a[0] = 1 }\n}"
	},
	"calls with loops": func(each func(string) string) string {
		return "func K(a []float32) {\n" + each("a[#] = f(a[#])\n") +
			"}\nfunc f(x float32) float32 { var t [4]float32; for i := range t { t[i] = x }; return t[0] + t[3] }"
	},
	"loops": func(each func(string) string) string {
		return "func K(a []float32) {\n" + each("for i := range a { a[i] += # }\n") + "}"
	},
	"fields": func(each func(string) string) string {
		return "func K(a []wide) {\n" + each("a[0].f# = a[1].f#\n") + "}\ntype wide struct {\n" +
			each("f# int32\n") + "}"
	},
	"texts": func(each func(string) string) string {
		return "func K(a []int) {\n" + each("if a[#] < 0 { panic(\"text #\") }\n") + "}"
	},
	"tables": func(each func(string) string) string {
		return "func K(a []int) {\n" + each("a[#] = t#[a[0]]\n") + "}\n" + each("var t# = [3]int{#, 2}\n")
	},
	"functions": func(each func(string) string) string {
		return "func K(a []int) {\n" + each("a[#] = f#(a[0])\n") + "}\n" + each("func f#(x int) int { return x / 3 }\n")
	},
}

// many is a package with such a kernel.
func many(name string, n int) string {
	return "package p\n\n//gpu:kernel\n" + repeated[name](func(format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	})
}

// TestLinear compiles twice as much of everything: what is allocated may grow by a little more than
// twice, too. It cannot run together with other tests, whose memory would be counted.
func TestLinear(t *testing.T) {
	const n = 150
	imp := compiletest.Importer(t)
	for name := range repeated {
		cost := func(n int) float64 {
			src := compiletest.Source("example.com/p", "p.go", many(name, n))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := compile.Compile(src, imp, compile.Options{}); err != nil {
				t.Fatalf("%d %s: %v", n, name, err)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		cost(1) // made once, not counted
		if once, twice := cost(n), cost(2*n); twice > 2.5*once {
			t.Errorf("%d %s allocate %.0f bytes, %d %.0f: %.2f times as many", n, name, once, 2*n, twice, twice/once)
		}
	}
}

// TestLongChains compiles what took quadratic time, or a pass of the ranges for each of
// the loops, which panicked.
func TestLongChains(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"terms": 20_000, "cases": 2_000, "loops": 200} {
		src := compiletest.Source("example.com/p", "p.go", many(name, n))
		if _, err := compile.Compile(src, compiletest.Importer(t), compile.Options{}); err != nil {
			t.Errorf("%d %s: %v", n, name, err)
		}
	}
}
