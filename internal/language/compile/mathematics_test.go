package compile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/proof/mathtest"
)

// TestMathematics runs each function of package math in a kernel, and compares with the host's of
// package gpu, bit for bit. The functions of package gpu are tested in internal/proof/gpusuite/perf, on a
// GPU too.
func TestMathematics(t *testing.T) {
	t.Parallel()
	device, err := os.ReadFile("frontend/_std/math.go")
	if err != nil {
		t.Fatal(err)
	}
	text := &strings.Builder{}
	text.WriteString(`package p

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// order and integer match mathkernels.
func order(n float64) int {
	if !(n > -26 && n < 26) {
		return 3
	}
	return int(n)
}

func integer(n float64) int {
	if n != n {
		return 0
	}
	return int(max(min(n, 1<<31), -1<<31))
}
`)
	var list []*mathtest.Function
	for i := range mathtest.Functions {
		f := &mathtest.Functions[i]
		name, _, _ := strings.Cut(f.Name, ".")
		if strings.Contains(string(device), "\nfunc "+name+"(") {
			list = append(list, f)
			writeMathematics(text, f)
		}
	}
	r, err := compile.Compile(compiletest.Source("example.com/p", "dir/p.go", text.String()), compiletest.Importer(t), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, r)
	instances := map[string]compile.Instance{}
	for _, k := range r.Kernels {
		instances[k.Name] = k.Instances[0]
	}
	for _, f := range list {
		t.Run(f.Name, func(t *testing.T) { testMathematics(t, d, instances[f.Entry()], f.Double) })
	}
}

// writeMathematics writes a kernel that computes out[i] = f(x[i], y[i]).
func writeMathematics(text *strings.Builder, f *mathtest.Function) {
	name, result, _ := strings.Cut(f.Name, ".")
	in := abi.FindIntrinsic(name)
	var args []string
	for i, p := range in.Params() {
		arg := []string{"x[i]", "y[i]"}[i]
		switch {
		case p.Type != "T" && name == "Ldexp":
			arg = "integer(" + arg + ")"
		case p.Type != "T":
			arg = "order(" + arg + ")"
		}
		args = append(args, arg)
	}
	var results []string
	for _, r := range in.Results() {
		v := "_"
		if r.Name == result {
			v = "v"
		}
		results = append(results, v)
	}
	if result == "" {
		results[0] = "v"
	}
	fmt.Fprintf(text, `
//gpu:kernel
func %s(x, y, out []float64) {
	for i := range gpu.GridStride(len(out)) {
		%s := math.%s(%s)
		out[i] = float64(v)
	}
}
`, f.Entry(), strings.Join(results, ", "), name, strings.Join(args, ", "))
}

func testMathematics(t *testing.T, d *device, inst compile.Instance, host func(x, y float64) float64) {
	points := mathematicsPoints()
	for _, n := range []int{0, 1, 31, 33, len(points)} {
		x, out := points[:n], make([]float64, n)
		y := slices.Clone(x)
		slices.Reverse(y)
		if fault := d.launch(t, inst, config{grid: [3]int{3}, block: [3]int{33}}, slices.Clone(x), y, out); fault != "" {
			t.Fatalf("it fails with %q", fault)
		}
		for i := range out {
			want := host(x[i], y[i])
			if math.Float64bits(out[i]) != math.Float64bits(want) && (out[i] == out[i] || want == want) {
				t.Fatalf("at (%v, %v) the kernel gives %v, the host %v", x[i], y[i], out[i], want)
			}
		}
	}
}

// mathematicsPoints are special values, and numbers of every size.
func mathematicsPoints() []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	list := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, -0.5, 2, -2, 3, -3, 0.25, 1e-30, -1e-30, 1e30, -1e30}
	for len(list) < 199 {
		scale := math.Ldexp(1, []int{-60, -8, 0, 1, 2, 3, 5, 7, 12, 40, 100}[r.IntN(11)])
		list = append(list, (2*r.Float64()-1)*scale)
	}
	return list
}
