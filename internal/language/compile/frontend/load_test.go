package frontend_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// load compiles a package of one file, p.go.
func load(t *testing.T, text string, others ...*frontend.Source) (*frontend.Program, error) {
	t.Helper()
	return frontend.Load(compiletest.Source("example.com/p", "p.go", text), compiletest.Importer(t, others...))
}

// TestHostCode keeps host code in the kernel's package: nothing it says matters.
func TestHostCode(t *testing.T) {
	prog, err := load(t, `package p

import (
	. "fmt"
	_ "net/http"
	weird "example.com/not/there"

	"github.com/gridstride/gridstride/gpu"
)

const (
	timeout = 5 * weird.Second
	size    = 256
	twice   = 2 * size
	_       = iota
	three
)

var global, other = os.Args, weird.Call(LoadAdd)

type vec struct{ x, y float32 }

func (v vec) sum() float32 { return v.x + v.y }
func (v vec) String() string { return Sprint(v.x) }

func init() { undefined() }

func run(k *AddKernel) error {
	_ = gpu.GridStride(3) // on the host it panics, that is not for the compiler to say
	return k.Launch(weird.Anything, vec{1, 2}.String())
}

//gpu:kernel block=32x2
//gpu:nobounds
func Add(run []float32) {
	global := vec{1, three}
	other := [size]float32{three: 2}
	run[gpu.ThreadIdx.X] = global.sum() + twice + other[0]
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(prog.Kernels) != 1 {
		t.Fatalf("%d kernels", len(prog.Kernels))
	}
	k := prog.Kernels[0]
	if k.Name != "Add" || k.Block != [3]int{32, 2, 1} || !k.NoBounds || len(k.Instances) != 1 ||
		k.Instances[0].Func == nil {
		t.Errorf("kernel %+v", k)
	}
}

// TestInstances lists all combinations of types, in order.
func TestInstances(t *testing.T) {
	prog, err := load(t, `package p

import v "github.com/gridstride/gridstride/gpu"

type mine float32

// Doc of K.
//
//gpu:kernel T=float32,mine,v.Float32x4 I=int32,uint8
func K[T any, I v.Integer](a []T, n I) {
	if int(n) < len(a) {
		a[n] = a[0]
	}
}
`)
	if err != nil {
		t.Fatal(err)
	}
	k := prog.Kernels[0]
	if strings.TrimSpace(k.Doc) != "Doc of K." {
		t.Errorf("doc %q", k.Doc)
	}
	var got []string
	for _, inst := range k.Instances {
		got = append(got, inst.PTXName+" "+inst.GoName+" "+inst.Func.Signature.String())
	}
	want := []string{
		"K_float32_int32 p.K[float32,int32] func(a []float32, n int32)",
		"K_float32_uint8 p.K[float32,uint8] func(a []float32, n uint8)",
		"K_mine_int32 p.K[mine,int32] func(a []example.com/p.mine, n int32)",
		"K_mine_uint8 p.K[mine,uint8] func(a []example.com/p.mine, n uint8)",
		"K_gpu_Float32x4_int32 p.K[gpu.Float32x4,int32] func(a []github.com/gridstride/gridstride/gpu.Float32x4, n " +
			"int32)",
		"K_gpu_Float32x4_uint8 p.K[gpu.Float32x4,uint8] func(a []github.com/gridstride/gridstride/gpu.Float32x4, n " +
			"uint8)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("instances:\n%s", strings.Join(got, "\n"))
	}
}

// TestTogether changes type parameters together, with methods of the one that is a vector.
func TestTogether(t *testing.T) {
	prog, err := load(t, `package p

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel I:V:T=int8:gpu.Float64x2:float64,uint8:gpu.Float32x4:float32 U=int32,int64
func K[T gpu.Float, U gpu.Integer, V gpu.FloatVector[T, V], I gpu.Integer](a []V, sums []T, u U, i I) {
	sums[u] = a[i].FMA(a[u], a[0]).Sum()
}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, inst := range prog.Kernels[0].Instances {
		got = append(got, inst.GoName)
	}
	want := []string{
		"p.K[float64,int32,gpu.Float64x2,int8]", "p.K[float64,int64,gpu.Float64x2,int8]",
		"p.K[float32,int32,gpu.Float32x4,uint8]", "p.K[float32,int64,gpu.Float32x4,uint8]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestImports compiles a kernel that reaches into two other packages. The path of one does not end
// in its name.
func TestImports(t *testing.T) {
	geom := compiletest.Source("example.com/go-geom", "geom.go", `package geom

import (
	"net/http"

	"example.com/deep"
)

type Vec struct{ deep.Base; X, Y float32 }

func (v *Vec) Scale(f float32) { v.X *= f; v.Y *= f }

func Serve() { http.ListenAndServe("", nil) }
`)
	geom.Name = "geom"
	deep := compiletest.Source("example.com/deep", "deep.go", `package deep

type Base struct{ N int32 }

func (b Base) Twice() int32 { return 2 * b.N }
`)
	const text = `package p

import "example.com/go-geom"

//gpu:kernel
func K(a []geom.Vec) {
	a[0].Scale(float32(a[1].Twice()))
}
`
	if _, err := load(t, text, geom, deep); err != nil {
		t.Error(err)
	}
	_, err := load(t, text, geom)
	want := `geom.go:9:18: cannot import "example.com/deep": package example.com/deep is not here`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without the imported package: %v", err)
	}
}

// TestSyntaxErrors expects the syntax errors of all files, in order.
func TestSyntaxErrors(t *testing.T) {
	src := compiletest.Source("example.com/p", "b.go", "package p\n\nfunc (\n")
	src.Files = append(src.Files, frontend.File{Name: "a.go",
		Text: []byte("package p\n\n//gpu:kernel\nfunc K(a []int) { a[0 = 1 }\n")},
		frontend.File{Name: "c.go", Text: []byte("not Go\n")})
	_, err := frontend.Load(src, compiletest.Importer(t))
	if err == nil {
		t.Fatal("no error")
	}
	var files []string
	for _, line := range strings.Split(err.Error(), "\n") {
		name, _, _ := strings.Cut(line, ":")
		if len(files) == 0 || files[len(files)-1] != name {
			files = append(files, name)
		}
	}
	if got := strings.Join(files, " "); got != "a.go b.go c.go" {
		t.Errorf("errors of %s:\n%v", got, err)
	}
}

// TestStdStubs compares the device forms of packages with the packages: the same names with the
// same types, and the same constants.
func TestStdStubs(t *testing.T) {
	real := importer.ForCompiler(token.NewFileSet(), "gc", nil)
	for _, path := range []string{"math", "math/bits", "cmp"} {
		want, err := real.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := frontend.StdPackage(path)
		if err != nil {
			t.Fatal(err)
		}
		a, b := exported(want), exported(got)
		for name, obj := range a {
			if b[name] != obj {
				t.Errorf("%s: %s, but the device form has %q", path, obj, b[name])
			}
		}
		for name, obj := range b {
			if a[name] == "" {
				t.Errorf("%s has no %s", path, obj)
			}
		}
	}
}

// exported describes the exported objects of a package, without the names of parameters.
func exported(p *types.Package) map[string]string {
	out := map[string]string{}
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			out[name] = "const " + name + " = " + obj.Val().ExactString()
		case *types.Func:
			out[name] = "func " + name + signature(obj.Signature())
		default:
			out[name] = obj.Type().Underlying().String()
		}
	}
	return out
}

func signature(sig *types.Signature) string {
	var s []string
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for i := range tuple.Len() {
			s = append(s, types.TypeString(tuple.At(i).Type(), func(*types.Package) string { return "" }))
		}
		s = append(s, ";")
	}
	return strings.Join(s, " ")
}

// TestMangle makes PTX identifiers.
func TestMangle(t *testing.T) {
	for name, want := range map[string]string{
		"Partial": "Partial", "_x1": "_x1", "gpu.Float32x4": "gpu_Float32x4", "Größe": "Gr$f6$$df$e",
		"WARP_SZ": "WARP_SZ$",
	} {
		if got := frontend.Mangle(name); got != want {
			t.Errorf("Mangle(%q) is %q, want %q", name, got, want)
		}
	}
}
