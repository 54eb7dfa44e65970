package gpu_test

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/gpu"
)

//go:embed *.go
var sources embed.FS

// exported is the names of the package's exported functions.
func exported(t *testing.T) (names []string) {
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
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// TestHostCalls calls every intrinsic on the host: each panics, names itself and says where it
// works.
func TestHostCalls(t *testing.T) {
	var i int32
	var u uint32
	calls := map[string]func(){
		"GridStride":        func() { gpu.GridStride(1) },
		"LaneID":            func() { gpu.LaneID() },
		"WarpID":            func() { gpu.WarpID() },
		"SyncThreads":       func() { gpu.SyncThreads() },
		"SyncWarp":          func() { gpu.SyncWarp(gpu.FullMask) },
		"ThreadFence":       func() { gpu.ThreadFence() },
		"ThreadFenceBlock":  func() { gpu.ThreadFenceBlock() },
		"ThreadFenceSystem": func() { gpu.ThreadFenceSystem() },
		"Assert":            func() { gpu.Assert(true, "") },
		"Shared":            func() { gpu.Shared[int]() },
		"DynamicShared":     func() { gpu.DynamicShared[int]() },
		"ShflSync":          func() { gpu.ShflSync(gpu.FullMask, i, 0) },
		"ShflUpSync":        func() { gpu.ShflUpSync(gpu.FullMask, i, 0) },
		"ShflDownSync":      func() { gpu.ShflDownSync(gpu.FullMask, i, 0) },
		"ShflXorSync":       func() { gpu.ShflXorSync(gpu.FullMask, i, 0) },
		"BallotSync":        func() { gpu.BallotSync(gpu.FullMask, true) },
		"AnySync":           func() { gpu.AnySync(gpu.FullMask, true) },
		"AllSync":           func() { gpu.AllSync(gpu.FullMask, true) },
		"ActiveMask":        func() { gpu.ActiveMask() },
		"AtomicAdd":         func() { gpu.AtomicAdd(&i, 1) },
		"AtomicSub":         func() { gpu.AtomicSub(&i, 1) },
		"AtomicMin":         func() { gpu.AtomicMin(&i, 1) },
		"AtomicMax":         func() { gpu.AtomicMax(&i, 1) },
		"AtomicAnd":         func() { gpu.AtomicAnd(&i, 1) },
		"AtomicOr":          func() { gpu.AtomicOr(&i, 1) },
		"AtomicXor":         func() { gpu.AtomicXor(&i, 1) },
		"AtomicExch":        func() { gpu.AtomicExch(&i, 1) },
		"AtomicCAS":         func() { gpu.AtomicCAS(&i, 1, 2) },
		"AtomicInc":         func() { gpu.AtomicInc(&u, 1) },
		"AtomicDec":         func() { gpu.AtomicDec(&u, 1) },
		"Sqrt":              func() { gpu.Sqrt(1.0) },
		"Abs":               func() { gpu.Abs(1.0) },
		"Min":               func() { gpu.Min(1.0, 2) },
		"Max":               func() { gpu.Max(1.0, 2) },
		"Floor":             func() { gpu.Floor(1.0) },
		"Ceil":              func() { gpu.Ceil(1.0) },
		"Trunc":             func() { gpu.Trunc(1.0) },
		"FMA":               func() { gpu.FMA(1.0, 2, 3) },
		"Copysign":          func() { gpu.Copysign(1.0, 2) },
		"IsNaN":             func() { gpu.IsNaN(1.0) },
		"IsInf":             func() { gpu.IsInf(1.0, 0) },
	}
	for _, name := range exported(t) {
		if calls[name] == nil {
			t.Errorf("gpu.%s is not called here", name)
		}
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				msg, _ := recover().(string) // "" where it does not panic
				if !strings.HasPrefix(msg, "gpu."+name+" ") || !strings.Contains(msg, "only in a kernel") {
					t.Errorf("panic %q does not name gpu.%s and say where it works", msg, name)
				}
			}()
			call()
		})
	}
}

// TestHostIndices reads the special registers on the host, where there is no grid.
func TestHostIndices(t *testing.T) {
	for name, v := range map[string]gpu.Dim3{"ThreadIdx": gpu.ThreadIdx, "BlockIdx": gpu.BlockIdx, "BlockDim": gpu.BlockDim, "GridDim": gpu.GridDim} {
		if v != (gpu.Dim3{}) {
			t.Errorf("gpu.%s is %v on the host", name, v)
		}
	}
}
