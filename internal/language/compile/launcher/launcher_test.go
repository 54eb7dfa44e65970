package launcher_test

import (
	"errors"
	"flag"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/launcher"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// generic is dot.Partial of the design: a generic kernel of slices.
var generic = &compile.Kernel{
	Name: "Partial",
	Doc: "Partial writes to c[b] the dot product of block b's grid-stride share of a and b.\n\n\tc[b] = sum " +
		"a[i]*b[i]\n\nLaunch with len(b) >= len(a).\n",
	TypeParams: typeParams("T"),
	Params: []compile.Param{
		slice("a", "T"),
		slice("b", "T"),
		slice("c", "T"),
	},
	Instances: []compile.Instance{
		{TypeArgs: []string{"float32"}, PTXName: "Partial_float32", GoName: "dot.Partial[float32]", Fault: true},
		{TypeArgs: []string{"float64"}, PTXName: "Partial_float64", GoName: "dot.Partial[float64]", Fault: true},
	},
	Block: [3]int{256, 1, 1}, Fast: true,
}

// typeParams are type parameters of a kernel that is not open.
func typeParams(names ...string) (list []compile.TypeParam) {
	for _, name := range names {
		list = append(list, compile.TypeParam{Name: name})
	}
	return list
}

// slice and value are parameters of a kernel.
func slice(name, elem string) compile.Param {
	return compile.Param{Name: name, Type: "gridstride.Buffer[" + elem + "]", Parts: []compile.Part{{Buffer: true}}}
}

func value(name, typ string) compile.Param {
	return compile.Param{Name: name, Type: typ, Parts: []compile.Part{{}}}
}

// plain makes a kernel that is not generic.
func plain(name string, params ...compile.Param) *compile.Kernel {
	return &compile.Kernel{
		Name: name, Params: params,
		Instances: []compile.Instance{{PTXName: name, GoName: "p." + name}},
		Pos:       token.Position{Filename: "p.go", Line: 7, Column: 6},
	}
}

// withTypeParam makes a plain kernel generic.
func withTypeParam(k *compile.Kernel, typeParam string) *compile.Kernel {
	k.TypeParams, k.Instances[0].TypeArgs = typeParams(typeParam), []string{"float32"}
	return k
}

var goldens = map[string]*compile.Result{
	"generic": {Path: "example.com/dot", Name: "dot", Kernels: []*compile.Kernel{generic}},

	// An open kernel of this package, one of another package, and a kernel of another package that is
	// not open.
	"open": {Path: "example.com/p", Name: "p", Kernels: []*compile.Kernel{
		{Name: "Map", Open: true, Params: []compile.Param{slice("x", "T")},
			TypeParams: []compile.TypeParam{{Name: "T", Constraint: "any"}, {Name: "O", Constraint: "Operator[T]"}},
			Instances:  []compile.Instance{{TypeArgs: []string{"int8", "Twice"}, PTXName: "Map_int8_Twice", GoName: "p.Map[int8,Twice]"}}},
		{Name: "Scan", Open: true, Origin: "example.com/lib", TypeParams: typeParams("T"),
			Instances: []compile.Instance{{TypeArgs: []string{"money"}, PTXName: "lib_Scan_money", GoName: "lib.Scan[money]"}}},
		{Name: "Plain", Origin: "example.com/lib", TypeParams: typeParams("T"), Params: []compile.Param{slice("x", "T")},
			Instances: []compile.Instance{{TypeArgs: []string{"money"}, PTXName: "lib_Plain_money", GoName: "lib.Plain[money]"}}},
	}},

	// An open kernel without instances has a launcher, and the package no PTX.
	"open without instances": {Path: "example.com/p", Name: "p", Kernels: []*compile.Kernel{
		{Name: "Map", Open: true, Params: []compile.Param{slice("x", "T")}, TypeParams: []compile.TypeParam{{Name: "T", Constraint: "any"}}},
	}},

	// Type arguments of package gpu, and a pair passed by value.
	"halves": {
		Path: "example.com/p", Name: "p", Imports: []compile.Import{{Name: "gpu", Path: "github.com/gridstride/gridstride/gpu"}},
		Kernels: []*compile.Kernel{{
			Name: "Scale", TypeParams: typeParams("H"),
			Params: []compile.Param{
				slice("x", "H"),
				value("by", "gpu.Float16x2"),
			},
			Instances: []compile.Instance{
				{TypeArgs: []string{"gpu.Float16"}, PTXName: "Scale_gpu_Float16", GoName: "p.Scale[gpu.Float16]"},
				{TypeArgs: []string{"gpu.BFloat16"}, PTXName: "Scale_gpu_BFloat16", GoName: "p.Scale[gpu.BFloat16]"},
			},
		}},
	},

	// Every kind of parameter, types of this package and of others, an unexported kernel, one
	// without parameters.
	"params": {
		Path: "example.com/p", Name: "main",
		Imports: []compile.Import{
			{Name: "gpu", Path: "github.com/gridstride/gridstride/gpu"},
			{Name: "geo", Path: "example.com/geometry/v2"},
		},
		Kernels: []*compile.Kernel{
			plain("Scale",
				slice("x", "gpu.Float32x4"),
				value("n", "int"),
				value("f", "float32"),
				value("g", "float32"),
				value("on", "bool"),
				value("p", "geo.Point"),
				value("m", "[3][3]float32")),
			plain("clear", slice("_", "local")),
			plain("Nothing"),
		},
	},

	// Parameters and declarations named like what the generated code would use.
	"names": {
		Path: "example.com/p", Name: "p",
		Names: []string{"gridstride", "kernelsPTX"}, Gridstride: "gridstride__",
		Kernels: []*compile.Kernel{plain("K",
			compile.Param{Name: "s", Type: "gridstride__.Buffer[float32]", Parts: []compile.Part{{Buffer: true}}},
			value("k", "int32"),
			value("cfg", "int32"),
			value("args", "uint8"),
			value("gridstride_", "uint8"))},
	},

	// A struct that holds slices, generic and in another.
	"structs": {
		Path: "example.com/p", Name: "p",
		Structs: []compile.Struct{
			{Name: "matrixBuffers", Of: "matrix", TypeParams: []compile.TypeParam{{Name: "T", Constraint: "any"}},
				Text: "struct { data gridstride.Buffer[T]; rows, cols int }"},
			{Name: "PairBuffers", Of: "Pair", Text: "struct { a, b matrixBuffers[float32] }"},
		},
		Kernels: []*compile.Kernel{plain("K", compile.Param{Name: "p", Type: "PairBuffers", Parts: []compile.Part{
			{Path: ".a.data", Buffer: true}, {Path: ".a.rows"}, {Path: ".a.cols"},
			{Path: ".b.data", Buffer: true}, {Path: ".b.rows"}, {Path: ".b.cols"},
		}})},
	},

	// Kernels for some targets next to a kernel for all, and a name that a variable would like.
	"targets": {
		Path: "example.com/p", Name: "p", Names: []string{"kernelsPTXsm80", "packed"},
		Targets: []compile.TargetPTX{{Target: abi.Target{SM: 80}}, {Target: abi.Target{SM: 90, Suffix: 'a'}}},
		Kernels: []*compile.Kernel{plain("All"), plain("Newer")},
	},

	// Two type parameters, with fewer instances than combinations. Arrays as type arguments. A block
	// in 2-D.
	"pairs": {
		Path: "example.com/p", Name: "p",
		Kernels: []*compile.Kernel{{
			Name:       "Convert",
			TypeParams: typeParams("S", "D"),
			Params: []compile.Param{
				slice("dst", "D"),
				slice("src", "S"),
				value("bias", "S"),
			},
			Instances: []compile.Instance{
				{TypeArgs: []string{"[4]int32", "float64"}, PTXName: "Convert_0",
					GoName: "p.Convert[[4]int32,float64]"},
				{TypeArgs: []string{"[4]int32", "int64"}, PTXName: "Convert_1", GoName: "p.Convert[[4]int32,int64]"},
				{TypeArgs: []string{"[2]int32", "int64"}, PTXName: "Convert_2", GoName: "p.Convert[[2]int32,int64]"},
			},
			Block: [3]int{16, 16, 1},
		}},
	},
}

// packedSuffix is added to the names of PTX files for these targets.
var packedSuffix = map[abi.Target]string{{SM: 80}: abi.PackedSuffix}

// generate generates the launchers of a package that imports package gridstride, by that name
// unless the result says another.
func generate(r *compile.Result) ([]byte, error) {
	result := *r
	if r.Gridstride == "" {
		result.Gridstride = "gridstride"
	}
	result.Imports = append(result.Imports, compile.Import{Name: result.Gridstride, Path: "github.com/gridstride/gridstride"})
	var files []string
	for _, t := range result.Set() {
		files = append(files, abi.PTXFile(t.Target)+packedSuffix[t.Target])
	}
	return launcher.Generate(&result, files)
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	for name, result := range goldens {
		t.Run(name, func(t *testing.T) {
			got, err := generate(result)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("generated file differs from %s (-update rewrites it):\n%s", golden, diff)
			}
		})
	}
}

func TestTakenNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		result compile.Result
		want   string
	}{
		"type":      {compile.Result{Names: []string{"KKernel"}, Kernels: []*compile.Kernel{plain("K")}}, "KKernel"},
		"function":  {compile.Result{Names: []string{"LoadK"}, Kernels: []*compile.Kernel{plain("K")}}, "LoadK"},
		"by kernel": {compile.Result{Kernels: []*compile.Kernel{plain("K"), plain("LoadK")}}, "LoadK"},
		"struct": {compile.Result{Names: []string{"MBuffers"}, Structs: []compile.Struct{{Name: "MBuffers", Of: "M", Text: "struct{}",
			Kernel: plain("K")}}, Kernels: []*compile.Kernel{plain("K")}}, "MBuffers"},
		"constraint": {compile.Result{Names: []string{"KElem"},
			Kernels: []*compile.Kernel{withTypeParam(plain("K"), "elem")}}, "KElem"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.result.Name, tt.result.Path = "p", "example.com/p"
			_, err := generate(&tt.result)
			var list compile.ErrorList
			if !errors.As(err, &list) || len(list) != 1 {
				t.Fatalf("got %v, want one error", err)
			}
			want := "p.go:7:6: kernel K: its launcher needs the name " + tt.want + ", which the package declares " +
				"already; rename one of the two"
			if list[0].Error() != want {
				t.Errorf("got %q, want %q", list[0], want)
			}
		})
	}
}

// TestShadows: a package may give predeclared names another meaning, except to those that its
// launchers are written with.
func TestShadows(t *testing.T) {
	t.Parallel()
	declares := func(names ...string) *compile.Result {
		return &compile.Result{Path: "example.com/p", Name: "p", Names: names}
	}
	const needs = "p.go:7:6: kernel K: its launcher needs Go's predeclared "
	const other = ", and the package declares another; rename that declaration"
	tests := map[string]struct {
		result *compile.Result
		kernel *compile.Kernel
		want   string
	}{
		"others":     {declares("int", "len", "append", "bool", "true", "any"), plain("K"), ""},
		"string":     {declares("string"), plain("K"), needs + "string" + other},
		"error, nil": {declares("error", "nil"), plain("K"), needs + "error" + other + "\n" + needs + "nil" + other},
		"any":        {declares("any"), withTypeParam(plain("K"), "T"), needs + "any" + other},
		"parameter":  {declares(), withTypeParam(plain("K"), "error"), needs + "error; rename the type parameter"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.result.Kernels = []*compile.Kernel{tt.kernel}
			_, err := generate(tt.result)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
