package compile_test

import (
	"fmt"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/abi/stamp"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// dot is the kernel of the design.
func dot(tb testing.TB) *compile.Source {
	tb.Helper()
	text, err := os.ReadFile("lower/testdata/dot.go")
	if err != nil {
		tb.Fatal(err)
	}
	return compiletest.Source("example.com/p", "p.go", string(text))
}

// TestDeterministic compiles twice: the text is the same.
func TestDeterministic(t *testing.T) {
	var texts [2]string
	for i := range texts {
		r, err := compile.Compile(dot(t), compiletest.Importer(t), compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = r.PTX.String()
	}
	if texts[0] != texts[1] {
		t.Errorf("two compilations differ:\n%s\n%s", texts[0], texts[1])
	}
}

// TestResult describes kernels for their launchers.
func TestResult(t *testing.T) {
	geom := compiletest.Source("example.com/geom", "geom.go", "package geom\n\ntype Vec struct{ X, Y float32 }\n")
	r, err := compile.Compile(compiletest.Source("example.com/p", "dir/p.go", `package p

import (
	"example.com/geom"
	g "github.com/gridstride/gridstride/gpu"
)

type gpu int // takes the name of the package

type Box[T any] struct {
	v T
	n int8
}

// First is a kernel.
// It has two lines.
//
//gpu:kernel block=8x4 fast
//gpu:nobounds
func First(a []g.Float32x4, v geom.Vec, ok bool, n int, table [3]uint16, own []gpu) {
	a[n].X = v.X + float32(table[0]) + float32(own[0])
}

//gpu:kernel T=float32,int64
func Second[T g.Number](x T, box Box[T], s []Box[T], plain Box[int32]) {
	s[0] = box
}
`), compiletest.Importer(t, geom), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.PTX.Decls) == 0 {
		t.Error("no PTX")
	}
	r.PTX, r.Names, r.Notes = nil, nil, nil
	for i := range r.Stamp.Files {
		r.Stamp.Files[i].Hash = ""
	}
	whole, buffer := []compile.Part{{}}, []compile.Part{{Buffer: true}}
	want := &compile.Result{
		Path: "example.com/p", Name: "p",
		Imports: []compile.Import{{Name: "geom", Path: "example.com/geom"},
			{Name: "gridstride", Path: "github.com/gridstride/gridstride"},
			{Name: "gpu2", Path: "github.com/gridstride/gridstride/gpu"}},
		Gridstride: "gridstride",
		Kernels: []*compile.Kernel{{
			Name: "First", Doc: "First is a kernel.\nIt has two lines.\n", Block: [3]int{8, 4, 1}, NoBounds: true, Fast: true,
			Pos: token.Position{Filename: "dir/p.go", Offset: 267, Line: 20, Column: 6},
			Params: []compile.Param{
				{"a", "gridstride.Buffer[gpu2.Float32x4]", buffer}, {"v", "geom.Vec", whole}, {"ok", "bool", whole},
				{"n", "int", whole}, {"table", "[3]uint16", whole}, {"own", "gridstride.Buffer[gpu]", buffer},
			},
			Instances: []compile.Instance{{PTXName: "First", GoName: "p.First"}},
		}, {
			Name: "Second", TypeParams: []compile.TypeParam{{Name: "T"}},
			Pos: token.Position{Filename: "dir/p.go", Offset: 437, Line: 25, Column: 6},
			Params: []compile.Param{
				{"x", "T", whole}, {"box", "Box[T]", whole}, {"s", "gridstride.Buffer[Box[T]]", buffer},
				{"plain", "Box[int32]", whole},
			},
			Instances: []compile.Instance{
				{TypeArgs: []string{"float32"}, PTXName: "Second_float32", GoName: "p.Second[float32]", Fault: true},
				{TypeArgs: []string{"int64"}, PTXName: "Second_int64", GoName: "p.Second[int64]", Fault: true},
			},
		}},
		Stamp: stamp.Stamp{Package: "example.com/p", ABI: abi.Version, Files: []stamp.File{
			{Name: "example.com/p/p.go", Lines: []stamp.Lines{
				{First: 4, Last: 5}, {First: 8, Last: 8}, {First: 10, Last: 13}, {First: 15, Last: 22}, {First: 24, Last: 27},
			}},
			{Name: "example.com/geom/geom.go", Lines: []stamp.Lines{{First: 3, Last: 3}}},
		}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestStructs tells the types that launchers take in place of structs with slices.
func TestStructs(t *testing.T) {
	t.Parallel()
	geom := compiletest.Source("example.com/geom", "geom.go", `package geom

type Matrix struct {
	cells []float32
	N     int
}
`)
	r, err := compile.Compile(compiletest.Source("example.com/p", "dir/p.go", `package p

import "example.com/geom"

type Number interface{ ~int32 | ~float32 }

type Pair[T Number] struct{ x, y T }

type Matrix[T any] struct {
	data []T
	_    byte
	n    [0]int
}

type Pairs[T Number, U any] struct {
	Matrix[Pair[T]]
	more [2]Matrix[U]
	f    geom.Matrix
}

//gpu:kernel T=int32
func K[T Number](gridstride int, a Pairs[T, float32], b struct{ Matrix[T] }, c [2][]int, d Matrix[struct{ s [1]int }]) {
}
`), compiletest.Importer(t, geom), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type p = compile.Part
	const buffer = "gridstride_.Buffer"
	k := r.Kernels[0]
	wantParams := []compile.Param{
		{"gridstride", "int", []p{{}}},
		{"a", "PairsBuffers[T, float32]", []p{
			{Path: ".Matrix.data", Buffer: true}, {Path: ".more[0].data", Buffer: true}, {Path: ".more[1].data", Buffer: true}, {Path: ".f.cells", Buffer: true}, {Path: ".f.N"},
		}},
		{"b", "struct { Matrix MatrixBuffers[T] }", []p{{Path: ".Matrix.data", Buffer: true}}},
		{"c", "[2]" + buffer + "[int]", []p{{Path: "[0]", Buffer: true}, {Path: "[1]", Buffer: true}}},
		{"d", "MatrixBuffers[struct{s [1]int}]", []p{{Path: ".data", Buffer: true}}},
	}
	if diff := cmp.Diff(wantParams, k.Params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	wantStructs := []compile.Struct{
		{Name: "MatrixBuffers", Of: "Matrix", TypeParams: []compile.TypeParam{{"T", "any"}}, Kernel: k,
			Text: "struct { data " + buffer + "[T]; n [0]int }"},
		{Name: "GeomMatrixBuffers", Of: "Matrix of package example.com/geom", Kernel: k, Text: "struct { cells " + buffer + "[float32]; N int }"},
		{Name: "PairsBuffers", Of: "Pairs", TypeParams: []compile.TypeParam{{"T", "Number"}, {"U", "any"}}, Kernel: k,
			Text: "struct { Matrix MatrixBuffers[Pair[T]]; more [2]MatrixBuffers[U]; f GeomMatrixBuffers }"},
	}
	if diff := cmp.Diff(wantStructs, r.Structs); diff != "" {
		t.Errorf("structs (-want +got):\n%s", diff)
	}
}

// TestStructsOfOneName has three packages with types of one name, two of them with one name as
// well.
func TestStructsOfOneName(t *testing.T) {
	t.Parallel()
	const text = "package geom\n\ntype Matrix struct{ Cells []float32 }\n"
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", `package p

import (
	"example.com/geom"
	other "example.com/other/geom"
)

type Matrix struct{ cells []int }

//gpu:kernel
func K(a Matrix, b geom.Matrix, c other.Matrix) { a.cells[0] = int(b.Cells[0] + c.Cells[0]) }
`), compiletest.Importer(t, compiletest.Source("example.com/geom", "geom.go", text),
		compiletest.Source("example.com/other/geom", "geom.go", text)), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.Structs {
		got = append(got, s.Name+" of "+s.Of)
	}
	want := []string{
		"MatrixBuffers of Matrix", "GeomMatrixBuffers of Matrix of package example.com/geom",
		"Geom2MatrixBuffers of Matrix of package example.com/other/geom",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("structs (-want +got):\n%s", diff)
	}
}

// TestTypeArguments instantiates kernels with instances of generic types, and arrays.
func TestTypeArguments(t *testing.T) {
	t.Parallel()
	geom := compiletest.Source("example.com/geom", "geom.go", "package geom\n\ntype Box[T, U any] struct{ X T; Y U }\n")
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", `package p

import "example.com/geom"

type Pair[T any] struct{ x, y T }

//gpu:kernel T=Pair[int32],geom.Box[Pair[int8], [4]float32],[2]Pair[uint8]
func K[T any](a []T) { a[0] = a[1] }
`), compiletest.Importer(t, geom), compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []compile.Instance{
		{[]string{"Pair[int32]"}, "K_Pair_int32", "p.K[Pair[int32]]", true},
		{[]string{"geom.Box[Pair[int8], [4]float32]"}, "K_geom_Box_Pair_int8_4_float32", "p.K[geom.Box[Pair[int8], [4]float32]]", true},
		{[]string{"[2]Pair[uint8]"}, "K_2_Pair_uint8", "p.K[[2]Pair[uint8]]", true},
	}
	if diff := cmp.Diff(want, r.Kernels[0].Instances); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
}

// TestForeignFields refuses a field that no launcher can name.
func TestForeignFields(t *testing.T) {
	t.Parallel()
	geom := compiletest.Source("example.com/geom", "geom.go", `package geom

type options struct{ n int }

type Matrix struct {
	Data []float32
	opt  [2]options
}
`)
	_, err := compile.Compile(compiletest.Source("example.com/p", "dir/p.go", "package p\n\nimport \"example.com/geom\"\n\n//gpu:kernel\nfunc K(m geom.Matrix) {}\n"),
		compiletest.Importer(t, geom), compile.Options{})
	want := "dir/p.go:6:10: parameter m of kernel K: m.opt: its type geom.options is not exported, and the launcher needs to name it"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNoKernels compiles a package without kernels, whose text is not even looked at.
func TestNoKernels(t *testing.T) {
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", "this is no Go"), compiletest.Importer(t),
		compile.Options{})
	if err != nil || len(r.Kernels) != 0 || r.PTX == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLocalAtomic: only the passes know that the pointer is to a variable of the thread.
func TestLocalAtomic(t *testing.T) {
	const text = `package p

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func K(a []int64, n int64) {
	x := [3]int64{n}
	gpu.AtomicAdd(&x[n&1], 1)
	p := &x[2]
	gpu.AtomicMax(p, n)
	gpu.AtomicAdd(&a[0], x[0])
}
`
	_, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text), compiletest.Importer(t),
		compile.Options{})
	want := "p.go:8:2: an atomic needs a pointer to shared memory or into a slice\np.go:10:2: an atomic needs a " +
		"pointer to shared memory or into a slice"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNewerTarget compiles a function that the oldest target does not have.
func TestNewerTarget(t *testing.T) {
	t.Parallel()
	compiled := func(directive string) (*compile.Result, error) {
		text := fmt.Sprintf(`package p

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel%s
func K(a []float32) {
	a[0] = 2 * gpu.ApproxTanh(a[0])
}
`, directive)
		return compile.Compile(compiletest.Source("example.com/p", "p.go", text), compiletest.Importer(t), compile.Options{})
	}
	for _, directive := range []string{"", " target=sm_70", " target=sm_90,sm_70"} {
		_, err := compiled(directive)
		want := "p.go:7:13: gpu.ApproxTanh needs sm_75 or newer: write //gpu:kernel target=sm_75"
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", directive, err, want)
		}
	}
	r, err := compiled(" target=sm_75,sm_90")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Targets {
		if text := p.PTX.String(); !strings.Contains(text, ".target "+p.Target.String()+"\n") || !strings.Contains(text, "tanh.approx.f32") {
			t.Errorf("for %v:\n%s", p.Target, text)
		}
	}
	if len(r.Targets) != 2 {
		t.Errorf("%d targets", len(r.Targets))
	}
}

func BenchmarkCompile(b *testing.B) {
	src, imp := dot(b), compiletest.Importer(b)
	for b.Loop() {
		if _, err := compile.Compile(src, imp, compile.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
