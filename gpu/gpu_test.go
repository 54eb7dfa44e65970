package gpu_test

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/abi"
)

//go:embed *.go
var sources embed.FS

// forHost are the functions that kernels cannot call.
var forHost = []string{"ParseFloat16", "ParseBFloat16"}

// exported are the package's exported functions for kernels, without methods.
func exported(t *testing.T) (funcs []*ast.FuncDecl) {
	t.Helper()
	files, err := sources.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := sources.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && !slices.Contains(forHost, fn.Name.Name) {
				funcs = append(funcs, fn)
			}
		}
	}
	return funcs
}

// print is Go text on one line.
func print(t *testing.T, node any) string {
	t.Helper()
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestIntrinsics compares the functions with the table of intrinsics: the same names, the same
// signatures, and a body that panics with the function's name, except for functions that work on
// the host.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, fn := range exported(t) {
		name := fn.Name.Name
		seen[name] = true
		row := abi.FindIntrinsic(name)
		if row == nil {
			t.Errorf("gpu.%s is not in abi.Intrinsics", name)
			continue
		}
		if got := strings.TrimPrefix(print(t, fn.Type), "func"); got != row.Signature {
			t.Errorf("gpu.%s%s is %s in abi.Intrinsics", name, got, row.Signature)
		}
		if row.OnHost() {
			if got := print(t, fn.Body); strings.Contains(got, "hostCall") {
				t.Errorf("gpu.%s computes from its operands alone, and does not work on the host: %s", name, got)
			}
			continue
		}
		if got := print(t, fn.Body); !slices.Contains(bodies(t, fn), got) {
			t.Errorf("the body of gpu.%s is %s, want one of %s", name, got, bodies(t, fn))
		}
		if !strings.HasPrefix(fn.Doc.Text(), name+" ") {
			t.Errorf("gpu.%s has no comment that begins with its name", name)
		}
	}
	for _, row := range abi.Intrinsics {
		if !seen[row.Name] {
			t.Errorf("abi.Intrinsics has %s, which package gpu does not declare", row.Name)
		}
	}
}

// bodies are the bodies that an intrinsic may have which needs other threads or a device: one that
// panics, and one that passes the arguments on to package onhost, without an atomic's orderings.
func bodies(t *testing.T, fn *ast.FuncDecl) []string {
	name := fn.Name.Name
	call := fmt.Sprintf("threadCall[any](%q", name)
	panics := fmt.Sprintf("{ onHost(%q) }", name)
	if fn.Type.Results != nil {
		call = fmt.Sprintf("return threadCall[%s](%q", print(t, fn.Type.Results.List[0].Type), name)
		panics = fmt.Sprintf("{ panic(hostCall(%q)) }", name)
	}
	for _, p := range fn.Type.Params.List {
		for _, arg := range p.Names {
			if _, orderings := p.Type.(*ast.Ellipsis); !orderings {
				call += ", " + arg.Name
			}
		}
	}
	switch name {
	case "Shared": // which has no argument that tells its type
		call += ", (*T)(nil)"
	case "DynamicShared":
		call += ", []T(nil)"
	}
	return []string{panics, "{ " + call + ") }"}
}

// TestHostCalls calls functions on the host, with a result and without: each panics, names itself
// and says that it works in kernels.
func TestHostCalls(t *testing.T) {
	t.Parallel()
	calls := map[string]func(){
		"LaneID":      func() { gpu.LaneID() },
		"ActiveMask":  func() { gpu.ActiveMask() },
		"ShflSync":    func() { gpu.ShflSync(gpu.FullMask, 1, 0) },
		"SyncThreads": func() { gpu.SyncThreads() },
		"SyncGrid":    func() { gpu.SyncGrid() },
		"SyncCluster": func() { gpu.SyncCluster() },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				msg, _ := recover().(string) // "" if it does not panic
				if !strings.HasPrefix(msg, "gpu."+name+" ") || !strings.Contains(msg, "only in a kernel") {
					t.Errorf("panic %q does not name gpu.%s and say where it works", msg, name)
				}
			}()
			call()
		})
	}
}

// TestHostIndices reads the special registers on the host, which has no grid. They match the
// table.
func TestHostIndices(t *testing.T) {
	t.Parallel()
	registers := map[string]gpu.Dim3{
		"ThreadIdx": gpu.ThreadIdx, "BlockIdx": gpu.BlockIdx, "BlockDim": gpu.BlockDim, "GridDim": gpu.GridDim,
		"ClusterIdx": gpu.ClusterIdx, "ClusterDim": gpu.ClusterDim, "BlockIdxInCluster": gpu.BlockIdxInCluster,
	}
	for name, v := range registers {
		if v != (gpu.Dim3{}) {
			t.Errorf("gpu.%s is %v on the host", name, v)
		}
		if abi.FindRegister(name) == nil {
			t.Errorf("gpu.%s is not in abi.Registers", name)
		}
	}
	if len(registers) != len(abi.Registers) {
		t.Errorf("abi.Registers has %d rows, package gpu %d registers", len(abi.Registers), len(registers))
	}
}

// TestOrderings compares the constants of Ordering with those that the compiler knows.
func TestOrderings(t *testing.T) {
	t.Parallel()
	for o, name := range map[gpu.Ordering]string{
		gpu.Relaxed: "Relaxed", gpu.Acquire: "Acquire", gpu.Release: "Release", gpu.AcqRel: "AcqRel",
		gpu.BlockScope: "BlockScope", gpu.DeviceScope: "DeviceScope", gpu.SystemScope: "SystemScope",
	} {
		if got := abi.Ordering(o).String(); got != name {
			t.Errorf("gpu.%s is abi's %s", name, got)
		}
	}
	if n := len(abi.Orderings); n != int(gpu.SystemScope)+1 {
		t.Errorf("abi has %d orderings", n-1)
	}
}

// TestNumbers: the compiler and the simulator, which do not import package gpu, have its numbers in
// package abi.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for name, numbers := range map[string][2]int{
		"CacheAll": {int(gpu.CacheAll), int(abi.CacheAll)}, "CacheGlobal": {int(gpu.CacheGlobal), int(abi.CacheGlobal)},
		"NegateA": {int(gpu.NegateA), int(abi.NegateA)}, "NegateB": {int(gpu.NegateB), int(abi.NegateB)},
		"TransposeA": {int(gpu.TransposeA), int(abi.TransposeA)}, "TransposeB": {int(gpu.TransposeB), int(abi.TransposeB)},
		"MBarrierMax": {gpu.MBarrierMax, abi.MBarrierMax},
	} {
		if numbers[0] != numbers[1] {
			t.Errorf("gpu.%s is %d, abi's is %d", name, numbers[0], numbers[1])
		}
	}
}
