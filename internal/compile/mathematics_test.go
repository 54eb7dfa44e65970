package compile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/compile"
	"github.com/gridstride/gridstride/internal/compile/compiletest"
	"github.com/gridstride/gridstride/internal/mathtest"
)

// TestMathematics runs each function of mathematics in a kernel, and compares with the host bit for
// bit.
func TestMathematics(t *testing.T) {
	t.Parallel()
	text := &strings.Builder{}
	text.WriteString(`package p

import "github.com/gridstride/gridstride/gpu"

// order is mathtest.Order.
func order[T gpu.Float](n T) int {
	if !(n > -26 && n < 26) {
		return 3
	}
	return int(n)
}
`)
	for i := range mathtest.Functions {
		writeMathematics(text, &mathtest.Functions[i])
	}
	r, err := compile.Compile(compiletest.Source("example.com/p", "dir/p.go", text.String()), compiletest.Importer(t), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, r)
	instances := map[string]compile.Instance{}
	for _, k := range r.Kernels {
		for _, inst := range k.Instances {
			instances[inst.PTXName] = inst
		}
	}
	for i := range mathtest.Functions {
		f := &mathtest.Functions[i]
		name := strings.ReplaceAll(f.Name, ".", "_")
		t.Run(f.Name, func(t *testing.T) {
			testMathematics(t, d, instances[name+"_float32"], f.Single)
			testMathematics(t, d, instances[name+"_float64"], f.Double)
		})
	}
}

// writeMathematics writes a kernel that computes out[i] = f(x[i], y[i]).
func writeMathematics(text *strings.Builder, f *mathtest.Function) {
	name, result, _ := strings.Cut(f.Name, ".")
	in := abi.FindIntrinsic(name)
	var args []string
	for i, p := range in.Params() {
		arg := []string{"x[i]", "y[i]"}[i]
		if p.Type != "T" {
			arg = "order(" + arg + ")"
		}
		args = append(args, arg)
	}
	results := []string{"_"}
	if list := strings.Split(in.ResultType(), ","); len(list) > 1 {
		results = slices.Repeat(results, len(list))
		for i, r := range list {
			if r = strings.Trim(r, "( "); strings.Fields(r)[0] == result {
				results[i] = "v"
			}
		}
	}
	if !slices.Contains(results, "v") {
		results[0] = "v"
	}
	fmt.Fprintf(text, `
//gpu:kernel T=float32,float64
func %s[T gpu.Float](x, y, out []T) {
	for i := range gpu.GridStride(len(out)) {
		%s := gpu.%s(%s)
		out[i] = T(v)
	}
}
`, strings.ReplaceAll(f.Name, ".", "_"), strings.Join(results, ", "), name, strings.Join(args, ", "))
}

func testMathematics[T float32 | float64](t *testing.T, d *device, inst compile.Instance, host func(x, y T) T) {
	points := mathematicsPoints[T]()
	for _, n := range []int{0, 1, 31, 33, len(points)} {
		x, out := points[:n], make([]T, n)
		y := slices.Clone(x)
		slices.Reverse(y)
		if fault := d.launch(t, inst, config{grid: [3]int{3}, block: [3]int{33}}, slices.Clone(x), y, out); fault != "" {
			t.Fatalf("it fails with %q", fault)
		}
		for i := range out {
			if want := host(x[i], y[i]); math.Float64bits(float64(out[i])) != math.Float64bits(float64(want)) && want == want {
				t.Fatalf("at (%v, %v) the kernel gives %v, the host %v", x[i], y[i], out[i], want)
			}
		}
	}
}

// mathematicsPoints are special values, and numbers of every size.
func mathematicsPoints[T float32 | float64]() []T {
	r := rand.New(rand.NewPCG(1, 2))
	list := []T{0, T(math.Copysign(0, -1)), 1, -1, T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), 0.5, -0.5, 2, -2, 3, -3, 0.25, 1e-30, -1e-30, 1e30, -1e30}
	for len(list) < 199 {
		scale := math.Ldexp(1, []int{-60, -8, 0, 1, 2, 3, 5, 7, 12, 40, 100}[r.IntN(11)])
		list = append(list, T((2*r.Float64()-1)*scale))
	}
	return list
}
