package launcher_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModule does what a user does: a module of one's own that requires this one, with kernels;
// gridstride build; go run.
func TestModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := userModule(t)
	run(t, dir, "go", "run", "github.com/gridstride/gridstride/cmd/gridstride", "build", "./...")
	run(t, dir, "go", "run", "github.com/gridstride/gridstride/cmd/gridstride", "build", "-check", "./...")
	run(t, dir, "go", "vet", "./...")

	got := run(t, dir, "go", "run", ".")
	want := `vec.Axpy[float32] [31 62 93 124 155]
vec.Axpy[float64] [31 62 93 124 155]
vec.Axpy[int32] [31 62 93 124 155]
vec.Fused[gpu.Float16] [1.05 12 1.5]
vec.Fused[gpu.BFloat16] [1.05 12 1.5]
vec.Move (64,1,1) [{11 22 0} {3 4 1} {15 26 0} {7 8 0}]
fill [7 -9 7 -9 7]
[1315 1425]
vec.Apply[float32]: index out of range [1] with length 1 at vec.go:74:10, block (0,0,0) thread (2,0,0)
launch vec.Apply[float32]: argument 2 (a.shift) cannot be used: the buffer made at main.go:43 was freed at main.go:112
[1315 1425]
vec.Apply[float64]: index out of range [1] with length 1 at vec.go:74:10, block (0,0,0) thread (2,0,0)
launch vec.Apply[float64]: argument 2 (a.shift) cannot be used: the buffer made at main.go:43 was freed at main.go:112
vec.Reverse[Pair[int32]] [{3 0} {0 2} {1 0}]
vec.Reverse[[2]Pair[shape.Point]] [[{{0 0 0} {0 0 0}} {{0 0 0} {0 0 0}}] [{{0 0 0} {0 0 0}} {{0 0 0} {1 0 0}}]]
vec.Axpy[int32]: slice bounds out of range [:3] with capacity 1 at vec.go:13:6, block (0,0,0) thread (0,0,0)
`
	if got != want {
		t.Errorf("the program printed\n%s\nwant\n%s", got, want)
	}

	// A name that a launcher needs is in use, and so is another that the generated file would like.
	write(t, filepath.Join(dir, "vec", "clash.go"), []byte("package vec\n\nvar kernelsPTX, gridstride int\n\nfunc "+
		"LoadMove() {}\n"))
	out, err := goCommand(dir, "go", "run", "github.com/gridstride/gridstride/cmd/gridstride", "build",
		"./vec").CombinedOutput()
	if want := "vec/vec.go:32:6: kernel Move: its launcher needs the name LoadMove, which the package declares " +
		"already; rename one of the two"; err == nil ||
		!strings.Contains(string(out), want) {
		t.Errorf("build where LoadMove is taken: %v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "vec", "clash.go"), []byte("package vec\n\nvar kernelsPTX, kernelsModule int\n"))
	run(t, dir, "go", "run", "github.com/gridstride/gridstride/cmd/gridstride", "build", "./vec")
	run(t, dir, "go", "vet", "./...")

	wrong, err := os.ReadFile(filepath.Join("testdata", "module", "wrong.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "wrong.go"), wrong)
	out, err = goCommand(dir, "go", "build", ".").CombinedOutput()
	if err == nil {
		t.Fatal("a program with wrong arguments compiles")
	}
	for _, want := range []string{
		"gridstride.Buffer[float64]) as gridstride.Buffer[float32] value in argument to k.Launch",
		`cannot use "1" (untyped string constant) as float32 value`,
		"not enough arguments in call to k.Launch",
		"int64 does not satisfy vec.AxpyT (int64 missing in float32 | float64 | int32)",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// userModule copies testdata/module to a new folder, with a go.mod that replaces this module by the
// checkout.
func userModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "module"))); err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), sum)
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/user\n\ngo 1.26\n\nrequire "+
		"github.com/gridstride/gridstride v0.0.0\n\n"+
		"replace github.com/gridstride/gridstride => "+filepath.ToSlash(checkout)+"\n"))
	return dir
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a command of the user's and returns what it prints.
func run(t *testing.T, dir string, command ...string) string {
	t.Helper()
	c := goCommand(dir, command...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, out, &stderr)
	}
	return string(out)
}

func goCommand(dir string, command ...string) *exec.Cmd {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GRIDSTRIDE_DEVICE=sim")
	return c
}
