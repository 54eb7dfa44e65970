package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// TestIntrinsics holds the table to the compiler: a function of package gpu becomes an operation,
// has a body in frontend/_std, or is the Go that the host runs as well. Operations for which
// threads come together are convergent.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	inGo := functions(t, "../frontend/_std/gpu.go", true)
	for _, row := range abi.Intrinsics {
		how, ok := intrinsics[row.Name]
		needsBody := row.Name == "Assert" || row.Name == "Printf" // that of the host is over package fmt
		if ok && needsBody != slices.Contains(inGo, row.Name) {
			t.Errorf("gpu.%s has an operation and a body in _std/gpu.go", row.Name)
		}
		if !ok && !slices.Contains(inGo, row.Name) && !row.OnHost() {
			t.Errorf("gpu.%s has no operation: it must have a body in _std/gpu.go or work on the host", row.Name)
		}
		if ok && row.Together != abi.OneThread && !how.op.Convergent() {
			t.Errorf("gpu.%s brings threads together, and %s is not convergent", row.Name, how.op)
		}
	}
	for _, name := range inGo {
		if ast.IsExported(name) && abi.FindIntrinsic(name) == nil {
			t.Errorf("_std/gpu.go has a body for %s, which is not in abi.Intrinsics", name)
		}
	}
}

// TestDeviceOps finds an operation for every function that the device forms of the standard library
// are written over, and no others.
func TestDeviceOps(t *testing.T) {
	t.Parallel()
	declared := functions(t, "../frontend/_std/device.go", false)
	for _, name := range declared {
		if intrinsics[name].op == ir.OpInvalid {
			t.Errorf("device.%s has no operation", name)
		}
	}
	for name := range deviceOps {
		if !slices.Contains(declared, name) {
			t.Errorf("deviceOps has %s, which _std/device.go does not declare", name)
		}
		if abi.FindIntrinsic(name) != nil {
			t.Errorf("deviceOps has %s, which abi.Intrinsics has as well", name)
		}
	}
}

// functions are the names of the functions of a file that have a body, or have none.
func functions(t *testing.T, name string, body bool) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && (fn.Body != nil) == body {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}
