package vet

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/gridstride/gridstride/internal/abi"
)

// arguments are those that a test gives for parameters of each type, with a word for T.
var arguments = map[string]string{
	"uint32": "gpu.FullMask", "int": "1", "T": "a[0]", "bool": "true", "string": `"x"`, "*T": "&a[0]",
	"*uint32": "&b[0]", "uint8": "1", "uint16": "1", "float32": "1", "float64": "1", "Rounding": "gpu.ToZero",
	"Swizzle":     "gpu.NoSwizzle",
	"...Ordering": "gpu.Relaxed", "*Uint64x2": "new(gpu.Uint64x2)", "Uint64x2": "gpu.Uint64x2{}",
	"...CacheOp": "gpu.CacheAll", "*A": "(*[1]int32)(a)", "[]T": "a", "F": "gpu.B16x8[gpu.Float16]{}",
	"*MBarrier": "new(gpu.MBarrier)", "MBarrierToken": "gpu.MBarrierToken{}",
}

// products are calls of the products of a warpgroup, whose types follow from each other.
var products = map[string]string{
	"WGMMA":    "gpu.WGMMA(new(gpu.C64x8[float32]), gpu.Matrix[gpu.Float16]{}, gpu.Matrix[gpu.Float16]{}, true)",
	"WGMMAF16": "gpu.WGMMAF16(new(gpu.C64x8[gpu.Float16]), gpu.Matrix[gpu.Float16]{}, gpu.Matrix[gpu.Float16]{}, true)",
	"WGMMAF8":  "gpu.WGMMAF8(new(gpu.C64x8[float32]), gpu.Matrix[gpu.E4M3]{}, gpu.Matrix[gpu.E5M2]{}, true)",
	"WGMMAS32": "gpu.WGMMAS32(new(gpu.C64x8[int32]), gpu.Matrix[int8]{}, gpu.Matrix[uint8]{}, true)",
}

// TestIntrinsics calls each function of package gpu where only some lanes come by. A finding says
// so of those for which threads come together, and of no other.
//
// It writes a package among the others of testdata, so it runs before the tests that list them.
func TestIntrinsics(t *testing.T) {
	var text strings.Builder
	text.WriteString("package p\n\nimport \"github.com/gridstride/gridstride/gpu\"\n")
	var want []string
	for _, in := range abi.Intrinsics {
		word := "int32"
		if in.Constraint() == "Float" || in.Constraint() == "Real" {
			word = "float32"
		} else if first, _, list := strings.Cut(in.Constraint(), " | "); list {
			word = qualified(first)
		}
		call := "gpu." + in.Name
		switch {
		case strings.HasPrefix(in.Signature, "[T, U "):
			call += "[" + word + ", " + word + "]"
		case in.Constraint() != "":
			call += "[" + word + "]"
		case strings.HasPrefix(in.Signature, "[F "): // a fragment, and the type of its elements
			word = "gpu.Float16"
			call += "[gpu.B16x8[gpu.Float16]]"
		}
		var args []string
		for _, p := range in.Params() {
			args = append(args, argument(p.Type, word))
		}
		if call += "(" + strings.Join(args, ", ") + ")"; in.Group == abi.Loop {
			call = "for range " + call + " {}"
		}
		if in.Op == "WGMMA" {
			call = products[in.Name]
		}
		fmt.Fprintf(&text, "\n//gpu:kernel\nfunc K%s(a []%s, b []uint32) {\n\tif gpu.ThreadIdx.X == 3 "+
			"{\n\t\t%s\n\t}\n}\n",
			in.Name, word, call)
		switch in.Together {
		case abi.BlockThreads, abi.CountThreads, abi.ClusterThreads, abi.GridThreads:
			want = append(want, "barrier K"+in.Name)
		case abi.MaskThreads, abi.WarpThreads, abi.WarpgroupThreads:
			want = append(want, "warpsync K"+in.Name)
		}
	}
	dir, err := os.MkdirTemp("testdata", "intrinsics") // in the module, so that package gpu is found
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings(t, []*analysis.Analyzer{BarrierAnalyzer, WarpSyncAnalyzer}, dir, nil, ".") {
		got = append(got, f.analyzer+" "+f.function)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
}

// argument is one for a parameter of a type: a fragment of a matrix, whose elements may be of type
// T or U, or one of arguments.
func argument(typ, word string) string {
	if text, ok := arguments[typ]; ok {
		return text
	}
	name, elem, ok := strings.Cut(strings.TrimSuffix(typ, "]"), "[")
	if !ok {
		return ""
	}
	if elem = qualified(elem); elem == "gpu.T" || elem == "gpu.U" {
		elem = word
	}
	return "gpu." + name + "[" + elem + "]{}"
}

// qualified is a type as a kernel writes it, package gpu's if it is exported.
func qualified(typ string) string {
	if ast.IsExported(typ) {
		return "gpu." + typ
	}
	return typ
}
