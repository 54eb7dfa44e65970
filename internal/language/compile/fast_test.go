package compile_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/math/fast32"
)

var fastPrograms = flag.Int("fastprograms", 60, "random programs of TestFastPrograms for each type")

// TestFastPrograms runs random fast kernels, and exact ones that call fast functions. Each number is
// in the interval that the permitted errors allow. The exact numbers have the host's bits.
func TestFastPrograms(t *testing.T) {
	t.Parallel()
	t.Run("float32", func(t *testing.T) { t.Parallel(); testFastPrograms[float32](t, &fast32Errors) })
	t.Run("float64", func(t *testing.T) { t.Parallel(); testFastPrograms[float64](t, &fast64Errors) })
}

// A fastProgram is a kernel: a loop changes acc by step, and the results are last of it, and exact.
type fastProgram struct{ step, last, exact *term }

const fastRounds = 3 // of the loop

func testFastPrograms[T float32 | float64](t *testing.T, errors *arithmetic) {
	typ := fmt.Sprintf("%T", T(0))
	r := rand.New(rand.NewPCG(40, uint64(len(typ))))
	text := &strings.Builder{}
	fmt.Fprintf(text, "package p\n\nimport \"github.com/gridstride/gridstride/gpu\"\n\n"+
		"func pick(a, b, c, d %s) %[1]s {\n\tif a < b {\n\t\treturn c\n\t}\n\treturn d\n}\n", typ)
	var programs []fastProgram
	for i := range *fastPrograms {
		names := []string{"acc", "x", "y", "z"}
		acc := &term{op: "var", name: "acc"}
		with := func(op string, args ...*term) *term { return &term{op: op, args: args} }
		p := fastProgram{
			with("+", with("*", acc, randomTerm(r, 2, names)), randomTerm(r, 2, names)),
			with("-", randomTerm(r, 4, names), acc), randomTerm(r, 4, names[1:]),
		}
		programs = append(programs, p)
		fast := []string{" fast", ""}[i%2]
		fmt.Fprintf(text, `
//gpu:kernel%[1]s
func K%[2]d(xs, ys, zs, out, exact []%[3]s) {
	for i := range gpu.GridStride(len(out)) {
		x, y, z := xs[i], ys[i], zs[i]
		out[i] = f%[2]d(x, y, z)
		exact[i] = %[4]s
	}
}

//gpu:fast
func f%[2]d(x, y, z %[3]s) %[3]s {
	acc := x
	for range %[7]d {
		acc = %[5]s
	}
	return %[6]s
}
`, fast, i, typ, p.exact.text(typ), p.step.text(typ), p.last.text(typ), fastRounds)
	}
	result, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text.String()), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if ptx := result.PTX.String(); !strings.Contains(ptx, "fma.rn.f") {
		t.Error("nothing is fused")
	}
	d := newDevice(t, result)
	checked, others := 0, 0
	for i, k := range result.Kernels {
		c, o := runFast(t, d, k, &programs[i], i%2 == 0, errors, fastInputs[T](r))
		checked, others = checked+c, others+o
	}
	t.Logf("%d numbers are in their intervals, %d of them other than the host's", checked, others)
	if all := 40 * len(programs); checked < all/3 || others < checked/20 {
		t.Errorf("of %d numbers %d have an interval, and %d of them differ from the host's: the test says too little", all, checked, others)
	}
}

// fastInputs are three lists of numbers.
func fastInputs[T float32 | float64](r *rand.Rand) (in [3][]T) {
	for i := range in {
		for range 40 {
			in[i] = append(in[i], T(math.Ldexp(1+r.Float64(), r.IntN(4)-2))*T(1-2*r.IntN(2)))
		}
	}
	return in
}

// runFast launches the kernel of p, and compares each number that has an interval. It returns how many
// have, and how many of these are not what exact arithmetic gives.
func runFast[T float32 | float64](t *testing.T, d *device, k *compile.Kernel, p *fastProgram, fast bool, errors *arithmetic, in [3][]T) (checked, others int) {
	out, exact := make([]T, len(in[0])), make([]T, len(in[0]))
	if fault := d.launch(t, k.Instances[0], config{block: [3]int{32}}, in[0], in[1], in[2], out, exact); fault != "" {
		t.Fatalf("%s fails with %q", k.Name, fault)
	}
	for i := range out {
		vars, values := map[string]spread{}, map[string]T{}
		for j, name := range []string{"x", "y", "z"} {
			v := in[j][i]
			vars[name], values[name] = spread{float64(v), float64(v)}, v
		}
		want := exactly(p.exact, values)
		if !fast && exact[i] != want && (exact[i] == exact[i] || want == want) {
			t.Errorf("%s at %v: the exact %s is %v, want %v", k.Name, values, p.exact.text("T"), exact[i], want)
		}
		vars["acc"], values["acc"] = vars["x"], values["x"]
		for range fastRounds {
			vars["acc"], values["acc"] = p.step.spread(errors, vars), exactly(p.step, values)
		}
		s := p.last.spread(errors, vars)
		if s == nothing {
			continue
		}
		checked++
		if got := float64(out[i]); !(got >= s.low && got <= s.high) {
			t.Errorf("%s at %v: it is %v, want a number from %v to %v, of %v", k.Name, values, got, s.low, s.high, exactly(p.last, values))
		}
		if out[i] != exactly(p.last, values) {
			others++
		}
	}
	return checked, others
}

// exactly is the term as Go computes it.
func exactly[T float32 | float64](t *term, vars map[string]T) T {
	var x [4]T
	for i, arg := range t.args {
		x[i] = exactly(arg, vars)
	}
	switch t.op {
	case "var":
		return vars[t.name]
	case "const":
		return T(t.c)
	case "neg":
		return -x[0]
	case "+":
		return x[0] + x[1]
	case "-":
		return x[0] - x[1]
	case "*":
		return T(x[0] * x[1])
	case "/":
		return x[0] / x[1]
	case "sqrt":
		return gpu.Sqrt(gpu.Abs(x[0]))
	case "exp":
		return gpu.Exp(x[0])
	case "min":
		return min(x[0], x[1])
	case "max":
		return max(x[0], x[1])
	}
	if x[0] < x[1] { // pick
		return x[2]
	}
	return x[3]
}

// TestFastFunctions compares the functions that fast kernels call with package fast32 on the host, bit
// for bit, and the functions of an exact kernel with the exact ones.
func TestFastFunctions(t *testing.T) {
	t.Parallel()
	functions := []struct {
		name        string
		fast, exact func(x float32) float32
	}{
		{"Exp", fast32.Exp, gpu.Exp[float32]}, {"Exp2", fast32.Exp2, gpu.Exp2[float32]}, {"Exp10", fast32.Exp10, gpu.Exp10[float32]},
		{"Log", fast32.Log, gpu.Log[float32]}, {"Log2", fast32.Log2, gpu.Log2[float32]}, {"Log10", fast32.Log10, gpu.Log10[float32]},
		{"Sin", fast32.Sin, gpu.Sin[float32]}, {"Cos", fast32.Cos, gpu.Cos[float32]}, {"Tan", fast32.Tan, gpu.Tan[float32]},
		{"Tanh", fast32.Tanh, gpu.Tanh[float32]}, {"Erfc", fast32.Erfc, gpu.Erfc[float32]}, {"Rsqrt", fast32.Rsqrt, gpu.Rsqrt[float32]},
		{"Cbrt", gpu.Cbrt[float32], gpu.Cbrt[float32]}, {"Erf", gpu.Erf[float32], gpu.Erf[float32]},
		{"Round", gpu.Round[float32], gpu.Round[float32]},
	}
	text := &strings.Builder{}
	text.WriteString("package p\n\nimport \"github.com/gridstride/gridstride/gpu\"\n")
	for _, f := range functions {
		for _, fast := range []string{"", " fast"} {
			fmt.Fprintf(text, "\n//gpu:kernel%s\nfunc %s%s(x, y []float32) {\n\tfor i, v := range x {\n\t\ty[i] = gpu.%[2]s(v)\n\t}\n}\n",
				fast, f.name, strings.TrimSpace(fast))
		}
	}
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text.String()), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t, r)
	for i, f := range functions {
		for j, want := range []func(x float32) float32{f.exact, f.fast} {
			var x []float32
			for _, v := range mathematicsPoints() {
				x = append(x, float32(v))
			}
			y := make([]float32, len(x))
			k := r.Kernels[2*i+j]
			if fault := d.launch(t, k.Instances[0], config{}, x, y); fault != "" {
				t.Fatal(fault)
			}
			for n, v := range x {
				if w := want(v); math.Float32bits(y[n]) != math.Float32bits(w) && (y[n] == y[n] || w == w) {
					t.Fatalf("%s of %v is %v, on the host %v", k.Name, v, y[n], w)
				}
			}
		}
	}
}

// TestFastPermission compiles functions that a kernel, a fast function and an initial value call: the
// permission reaches what is called, and the compiler's own mathematics never.
func TestFastPermission(t *testing.T) {
	t.Parallel()
	const text = `package p

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

var table = [2]float32{bell(1), bell(2)}

//gpu:fast
func bell(x float32) float32 { return gpu.Exp(-x*x) / 3 }

func inner(x, y float32) float32 { return x*y + 1 }

//gpu:fast
func outer(x, y float32) float32 { return inner(x, y) }

func apply(f func(x, y float32) float32, x float32) float32 { return f(x, x) }

//gpu:fast
func literal(x float32) float32 { return apply(func(a, b float32) float32 { return a*b + x }, x) }

//gpu:fast
func maker(c float32) func(x float32) float32 { return func(x float32) float32 { return x*x + c } }

type pair[T gpu.Float] struct{ x, y T }

//gpu:fast
func (p pair[T]) sum(z T) T { return p.x*p.y + z }

//gpu:kernel
func Table(x []float32, i int) { x[i] = table[i&1] }

//gpu:kernel
func Inner(x []float32, i int) { x[i] = inner(x[i], x[i]) }

//gpu:kernel
func Outer(x []float32, i int) { x[i] = outer(x[i], x[i]) }

//gpu:kernel
func Literal(x []float32, i int) { x[i] = literal(x[i]) }

//gpu:kernel
func Returned(x []float32, i int) { x[i] = maker(x[0])(x[i]) }

//gpu:kernel
func Method(x []float32, i int) { x[i] = pair[float32]{x[i], x[i]}.sum(1) }

//gpu:kernel fast
func Remainder(x []float32, i int) { x[i] = gpu.Remainder(x[i], 3) }

//gpu:kernel
func ExactRemainder(x []float32, i int) { x[i] = gpu.Remainder(x[i], 3) }

//gpu:kernel fast
func Sqrt(x []float32, i int) { x[i] = float32(math.Sqrt(float64(x[i]))) }

//gpu:kernel fast
func Complex(x []complex128, i int) { x[i] *= x[i] }

//gpu:kernel fast
func Nested(x []float32, i int) { x[i] = float32(x[i]*x[i]) + float32((x[i] / 3)) }

//gpu:kernel fast
func Shadowed(x []float32, i int) {
	float32 := func(x float32) float32 { return x }
	x[i] = float32(x[i]*x[i]) + 1
}
`
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text), compiletest.Importer(t), compile.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for _, part := range strings.Split(r.PTX.String(), ".entry ")[1:] {
		name, body, _ := strings.Cut(part, "(")
		_, body, _ = strings.Cut(body, ".loc")
		code[name] = body
	}
	for name, has := range map[string]string{
		"Inner": "mul.rn.f32", "Outer": "fma.rn.f32", "Literal": "fma.rn.f32", "Returned": "fma.rn.f32", "Method": "fma.rn.f32", "Sqrt": "sqrt.approx.ftz.f32",
		"Complex": "fma.rn.f64", "Nested": "div.rn.f32", "Shadowed": "fma.rn.f32",
	} {
		if !strings.Contains(code[name], has) {
			t.Errorf("%s has no %s:\n%s", name, has, code[name])
		}
	}
	if strings.Contains(code["Nested"], "fma") {
		t.Errorf("what is converted is fused:\n%s", code["Nested"])
	}
	instructions := func(name string) (list []string) {
		body, _, _ := strings.Cut(code[name], "\tret;") // before the failures, which have positions
		for line := range strings.Lines(body) {
			if !strings.Contains(line, ".loc") {
				list = append(list, line)
			}
		}
		return list
	}
	if fast, exact := instructions("Remainder"), instructions("ExactRemainder"); !slices.Equal(fast[1:], exact[1:]) {
		t.Errorf("a remainder is inexact:\n%s\nwant\n%s", fast, exact)
	}
	d := newDevice(t, r)
	got := make([]float32, 2)
	for i := range got {
		if fault := d.launch(t, r.Kernels[0].Instances[0], config{}, got, i); fault != "" {
			t.Fatal(fault)
		}
		x := float32(i + 1)
		if want := gpu.Exp(-x*x) / 3; got[i] != want {
			t.Errorf("the initial value %d is %v, want %v", i, got[i], want)
		}
	}
}
