package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/proof/doctest"
)

// heavy are packages that the smallest program has no use for.
var heavy = []string{"encoding/json", "math/big", "net", "net/url", "os/exec", "os/signal", "regexp", "text/template"}

// largest is how many bytes the smallest program may have, built for linux/amd64 with go build
// alone.
const largest = 10_240_000

// TestSmallestProgram builds README's first program, one kernel and what launches it, and looks at
// what came with it.
func TestSmallestProgram(t *testing.T) {
	t.Parallel()
	dir := smallestProgram(t)
	deps := strings.Fields(goCommand(t, dir, "list", "-deps", "."))
	for _, p := range heavy {
		if slices.Contains(deps, p) {
			t.Errorf("the smallest program depends on %s", p)
		}
	}
	checkSize(t, dir, ".", largest)
}

// checkSize builds a program, named as from dir, and holds its size to a limit in bytes.
func checkSize(t *testing.T, dir, program string, limit int64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	goCommand(t, dir, "build", "-o", file, program)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > limit {
		t.Errorf("the program has %d bytes, more than %d", info.Size(), limit)
	}
}

// largestGemm is how many bytes a program with one product may have, built as the smallest program
// is. The difference is the kernels of package level3 for one element type, and Zstandard.
const largestGemm = 12_200_000

// gemmProgram multiplies two matrices of float32.
const gemmProgram = `package main

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
)

func main() {
	if err := run(); err != nil {
		panic(err)
	}
}

func run() error {
	dev, err := gridstride.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.NewStream()
	defer s.Close()
	h, err := gpublas.New(s)
	if err != nil {
		return err
	}
	defer h.Close()
	data, err := gridstride.Make[float32](dev, 64)
	if err != nil {
		return err
	}
	m := gpublas.Matrix[float32]{Data: data, Rows: 4, Cols: 4, Stride: 4}
	c := m
	c.Data = data.Slice(32, 64)
	fmt.Println(dev)
	return gpublas.Gemm(h, gpublas.NoTrans, gpublas.NoTrans, 1, m, m, 0, c)
}
`

// TestGemmProgram builds a program with a product of float32. It links no other kernels of gpublas.
func TestGemmProgram(t *testing.T) {
	t.Parallel()
	dir := newModule(t)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(gemmProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	goCommand(t, dir, "mod", "tidy")
	checkSize(t, dir, ".", largestGemm)
}

// largestCommand is how many bytes the command may have, built as the smallest program is. Most of
// it is what gridstride bench and gridstride metric link, the Go compiler's types and syntax, and the web
// server of gridstride tour, which is 5 million. A program that calls a method by its name, as
// text/template does, has to keep all exported methods, and is a third larger: the limit finds that, too.
const largestCommand = 40_300_000

// TestCommandSize builds the command gridstride and looks at its size.
func TestCommandSize(t *testing.T) {
	t.Parallel()
	checkSize(t, "../../..", "./cmd/gridstride", largestCommand)
}

// smallestProgram writes README's program into a new module, with its kernels compiled.
func smallestProgram(t *testing.T) string {
	t.Helper()
	blocks, err := doctest.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := newModule(t)
	for _, b := range blocks {
		if name, ok := b.Arg("save"); ok {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(b.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	goCommand(t, dir, "mod", "tidy")
	packages, err := build.Packages(t.Context(), dir, compile.Options{}, ".")
	if err != nil || len(packages) != 1 {
		t.Fatalf("%d packages: %v", len(packages), err)
	}
	if _, err := packages[0].Write(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// newModule makes a module that uses this one.
func newModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	goCommand(t, dir, "mod", "init", "example.com/hello")
	goCommand(t, dir, "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+root)
	return dir
}

// goCommand runs the go command, for linux/amd64, and returns what it prints. The module cache
// vouches for what is in it.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
