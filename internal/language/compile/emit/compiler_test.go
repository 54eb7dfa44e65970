package emit_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

// TestCompiler holds abi.Compiler to what the compiler makes: the golden PTX here, the PTX of the
// kernels of internal/language/compile/testdata/lang, which have every construct of the language, and that
// of gpu/collective's, whose functions are parts of users' kernels.
func TestCompiler(t *testing.T) {
	h := fnv.New64a()
	for _, pattern := range []string{"testdata/*.ptx", "testdata/kernels/*.ptx"} {
		for _, f := range filesOf(t, pattern) {
			h.Write(f.Text)
		}
	}
	const collective = "github.com/gridstride/gridstride/gpu/collective"
	importer := compiletest.Importer(t, packageAt(t, collective, "../../../../gpu/collective"))
	for _, src := range []*compile.Source{
		packageAt(t, "example.com/lang", "../testdata/lang"),
		packageAt(t, collective+"/internal/kernels", "../../../../gpu/collective/internal/kernels"),
	} {
		r, err := compile.Compile(src, importer, compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h.Write([]byte(r.PTX.String()))
	}

	got := fmt.Sprintf("%016x", h.Sum64())
	if got == abi.Compiler {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("the compiler makes other PTX than abi.Compiler stands for, want %q: go test ./internal/language/compile/emit "+
			"-update, then gridstride build ./...", got)
	}
	const name = "../../../abi/compiler.go"
	text := strings.Replace(string(filesOf(t, name)[0].Text), abi.Compiler, got, 1)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// packageAt is the package in a folder.
func packageAt(t *testing.T, path, dir string) *compile.Source {
	t.Helper()
	src := &compile.Source{Path: path, Name: filepath.Base(path)}
	for _, f := range filesOf(t, dir+"/*.go") {
		if f.Name != abi.GoFile && !strings.HasSuffix(f.Name, "_test.go") {
			src.Files = append(src.Files, f)
		}
	}
	return src
}

// filesOf reads the files of a pattern, in the order of their names.
func filesOf(t *testing.T, pattern string) []compile.File {
	t.Helper()
	names, _ := filepath.Glob(pattern)
	if len(names) == 0 {
		t.Fatalf("no test data: %s", pattern)
	}
	var files []compile.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, compile.File{Name: filepath.Base(name), Text: text})
	}
	return files
}
