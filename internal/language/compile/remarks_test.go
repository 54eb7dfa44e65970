package compile_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata/remarks")

// TestRemarks compiles the kernels of testdata/remarks/*.txt: an archive of p.go, perhaps lib.go of
// another package, and the remarks, line by line. All texts of package pass must occur.
func TestRemarks(t *testing.T) {
	files, err := filepath.Glob("testdata/remarks/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	var all strings.Builder
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := remarksOf(t, a)
		all.WriteString(got)
		sources, want := a.Files, ""
		if last := len(a.Files) - 1; a.Files[last].Name == "remarks" {
			sources, want = a.Files[:last], string(a.Files[last].Data)
		}
		if *update {
			a.Files = append(sources, txtar.File{Name: "remarks", Data: []byte(got)})
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: wrong remarks; run with -update if they are right (-want +got):\n%s", file, diff)
		}
	}
	texts, err := os.ReadFile("pass/remarks.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(?:\w+ += subject\{.*, |\w+ += )"(.*)"\}?$`).FindAllStringSubmatch(string(texts), -1) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(m[1]), "%d", `\d+`)
		if !regexp.MustCompile(pattern).MatchString(all.String()) {
			t.Errorf("no golden has the remark %q", m[1])
		}
	}
}

// remarksOf compiles p.go of an archive, and holds the PTX to what it is without remarks.
func remarksOf(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	var sources []*compile.Source
	for _, f := range a.Files {
		if path, ok := strings.CutSuffix(f.Name, ".go"); ok {
			sources = append(sources, compiletest.Source("example.com/"+path, f.Name, string(f.Data)))
		}
	}
	imp := compiletest.Importer(t, sources[1:]...)
	r, err := compile.Compile(sources[0], imp, compile.Options{Verify: true, Remarks: true})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := compile.Compile(sources[0], imp, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.Remarks) > 0 || plain.PTX.String() != r.PTX.String() {
		t.Error("remarks change the PTX, or are there unasked")
	}
	var got strings.Builder
	for _, m := range r.Remarks {
		fmt.Fprintf(&got, "%d: %s: %s\n", m.Pos.Line, strings.TrimPrefix(m.Kernel, "p."), m.Text)
	}
	return got.String()
}

// TestRemarksOfMany compiles a kernel of fifty loops and one of sixty nested loops: each loop
// has remarks, the same ones each time, at its own line.
func TestRemarksOfMany(t *testing.T) {
	t.Parallel()
	const many, deep = 50, 60
	var text strings.Builder
	text.WriteString("package p\n//gpu:kernel\nfunc Many(x []int32, n int) {\n")
	for range many {
		text.WriteString("for i := range n { x[i] += 1 }\n")
	}
	text.WriteString("}\n//gpu:kernel\nfunc Deep(x []int32, n int) {\n")
	text.WriteString(strings.Repeat("for range n {\n", deep))
	text.WriteString("x[0] += 1" + strings.Repeat("}", deep) + "}\n")
	source := compiletest.Source("example.com/p", "p.go", text.String())
	var seen [2]string
	lines := map[int]bool{}
	for k := range seen {
		r, err := compile.Compile(source, compiletest.Importer(t), compile.Options{Remarks: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Remarks {
			seen[k] += fmt.Sprintln(m.Pos.Line, m.Text)
			lines[m.Pos.Line] = true
		}
	}
	if seen[0] != seen[1] {
		t.Error("two compilations have different remarks")
	}
	if len(lines) != many+deep {
		t.Errorf("remarks at %d lines, want %d", len(lines), many+deep)
	}
}

var number = regexp.MustCompile(`\d+`)

// TestAdvice holds the table of docs/gpu.md to testdata/remarks/advice.txt: of two kernels each, the
// first has the remark of the row, and the second, which follows the advice, has not.
func TestAdvice(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## What the compiler did to a loop\n")
	if !ok {
		t.Fatal("the page has no section about loops")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (.*) \| .* \|$`).FindAllStringSubmatch(section, -1)[1:] // without the head
	a, err := txtar.ParseFile("testdata/remarks/advice.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", string(a.Files[0].Data)),
		compiletest.Importer(t), compile.Options{Remarks: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) != 2*len(rows) {
		t.Fatalf("%d kernels for %d rows, want two each", len(r.Kernels), len(rows))
	}
	for i, k := range r.Kernels {
		row := number.ReplaceAllString(rows[i/2][1], "N")
		has := false
		for _, m := range r.Remarks {
			has = has || m.PTXName == k.Name && strings.Contains(number.ReplaceAllString(m.Text, "N"), row)
		}
		if want := i%2 == 0; has != want {
			t.Errorf("kernel %s has the remark %q: %v, want %v", k.Name, rows[i/2][1], has, want)
		}
	}
}
