// Package docs holds the documents, and the tests of those that speak about the compiler.
package docs

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/language/compile/compiletest"
	"github.com/gridstride/gridstride/internal/proof/doctest"
)

const page = "language.md"

var update = flag.Bool("update", false, "write the compiler's messages into the tables of refusals")

// diagnose compiles text and returns the messages by line.
func diagnose(t *testing.T, text string) map[int][]string {
	t.Helper()
	_, err := compile.Compile(compiletest.Source("example.com/p", "p.go", text), compiletest.Importer(t), compile.Options{})
	if err == nil {
		return nil
	}
	var list compile.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("%v\n%s", err, text)
	}
	byLine := map[int][]string{}
	for _, e := range list {
		byLine[e.Pos.Line] = append(byLine[e.Pos.Line], e.Msg)
	}
	return byLine
}

var packages = []string{
	"errors", "fmt", "log", "math", "math/bits", "math/cmplx", "math/rand", "os", "slices", "sort", "sync", "sync/atomic", "time", "unsafe",
	"github.com/gridstride/gridstride/gpu",
}

// file makes a Go file of declarations: it adds the package clause and the imports that they use,
// all on the first line.
func file(decls string) string {
	text := "package p"
	for _, path := range packages {
		if regexp.MustCompile(`\b` + path[strings.LastIndex(path, "/")+1:] + `\.\w`).MatchString(decls) {
			text += fmt.Sprintf("; import %q", path)
		}
	}
	return text + "\n" + decls
}

var errorComment = regexp.MustCompile(`// error( above)?: (.*)$`)

// expected are the errors that the comments "// error: message" and, on the line below, "// error
// above: message" announce.
func expected(lines []string) map[int][]string {
	byLine := map[int][]string{}
	for i, line := range lines {
		if m := errorComment.FindStringSubmatch(line); m != nil {
			if m[1] != "" {
				i--
			}
			byLine[i] = append(byLine[i], m[2])
		}
	}
	return byLine
}

// TestExamples compiles the examples: they give the errors that their comments announce, and no
// others.
func TestExamples(t *testing.T) {
	t.Parallel()
	blocks, err := doctest.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.Lang != "go" {
			t.Errorf("%s: a block of %q, which nothing tests", b.Pos(), b.Lang)
			continue
		}
		got := diagnose(t, file(b.Text))
		lines := strings.Split(b.Text, "\n")
		want := expected(lines)
		for i, line := range lines {
			if g := got[i+2]; !slices.Equal(g, want[i]) {
				t.Errorf("%s: line %d, %s\n\tthe compiler says %q\n\tthe page says     %q", b.Pos(), i+1, strings.TrimSpace(line), g, want[i])
			}
		}
	}
}

var noteComment = regexp.MustCompile(`// note: (.*)$`)

// TestNotes compares what build -v says of local arrays with the comments "// note: text" of the
// examples that have some.
func TestNotes(t *testing.T) {
	t.Parallel()
	blocks, err := doctest.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, b := range blocks {
		if !strings.Contains(b.Text, "// note: ") {
			continue
		}
		found = true
		r, err := compile.Compile(compiletest.Source("example.com/p", "p.go", file(b.Text)), compiletest.Importer(t), compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, n := range r.Notes {
			if strings.Contains(n.Text, "local memory") {
				got = append(got, fmt.Sprintf("line %d: %s", n.Pos.Line-1, n.Text))
			}
		}
		for i, line := range strings.Split(b.Text, "\n") {
			if m := noteComment.FindStringSubmatch(line); m != nil {
				want = append(want, fmt.Sprintf("line %d: %s", i+1, m[1]))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: build -v says\n\t%s\nthe page\n\t%s", b.Pos(), strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
	if !found {
		t.Error("no example has notes")
	}
}

// row is a row of a table of refusals: Go in the first cell, the message in the second.
var row = regexp.MustCompile("(?m)^\\| `(.*)` \\| (.*)\\|$")

// TestRefusals compiles the rows in the tables of refusals, each by itself.
func TestRefusals(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, tables, ok := strings.Cut(string(text), "## What is refused\n")
	if !ok {
		t.Fatal("the page has no section about what is refused")
	}
	tables = row.ReplaceAllStringFunc(tables, func(line string) string {
		m := row.FindStringSubmatch(line)
		got, want := refusal(t, m[1]), strings.TrimSpace(m[2])
		if got != want && !*update {
			t.Errorf("%s\n\tthe compiler says %s\n\tthe page says     %s", m[1], got, want)
		}
		return fmt.Sprintf("| `%s` | %s |", m[1], got)
	})
	if *update {
		if err := os.WriteFile(page, []byte(before+"## What is refused\n"+tables), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// declarations are the names that the code of a row may use.
const declarations = `
type Options struct{ Scale float32 }
type point struct{ x, y float32 }
func (p point) length() float32 { return p.x*p.x + p.y*p.y }
var names = [2]string{"a", "b"}
func work() { counter++; _ = shared[1:] }
var counter int
var shared [256]int
var rows [][]int
var first *int
var compare func(x, y int) bool
var huge [1 << 21]byte
//go:embed p.go
var file [256]byte
`

// variables are declared before a statement that names them. Where their types are refused, that is
// not the statement's refusal.
var variables = map[string]string{
	"m": "map[int]int", "e": "any", "c": "chan int", "p": "point",
}

// refusal is the compiler's error for a row's code: a directive, the head of a kernel or a
// statement. It compiles for a new target, and if that succeeds, for the oldest.
func refusal(t *testing.T, code string) string {
	t.Helper()
	var got []string
	for _, directive := range []string{"//gpu:kernel target=sm_90a\n", "//gpu:kernel\n"} {
		if got = refusals(t, directive, code); len(got) > 0 {
			break
		}
	}
	if len(got) == 0 {
		t.Errorf("%s: the compiler does not refuse it", code)
	}
	return strings.Join(slices.Compact(got), "; ")
}

func refusals(t *testing.T, directive, code string) []string {
	t.Helper()
	before, after := declarations+directive, ""
	switch {
	case strings.HasPrefix(code, "//"):
		before, after = declarations, "\nfunc K(a []float32) {}\n"
	case strings.HasPrefix(code, "func "):
		after = ` { panic("") }`
	default:
		before += "func Kernel(a []int, n int) {\n"
		for name, typ := range variables {
			if regexp.MustCompile(`\b`+name+`\b`).MatchString(code) && !strings.HasPrefix(code, "var ") {
				before += fmt.Sprintf("\tvar %s %s\n", name, typ)
			}
		}
		after = "\n}\n"
	}
	text := file(before + code + after)
	got := diagnose(t, text)[strings.Count(text[:strings.Index(text, code)], "\n")+1]
	return slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "declared and not used") })
}

// notShown are the refusals that the page does not show, each for a reason.
var notShown = []string{
	"%s", "%v", "//gpu:kernel: %v", "//gpu:instance: %v", // texts of others: Go's type checker, and those below
	"cannot import %q: %v", // the go command says it first
	// Sizes that no page can show.
	"the kernel is larger than %d instructions once its calls are inlined: call large functions from fewer places",
	"type %s has more than %d fields, counting the fields of its fields: use an array, or a slice",
	"type %s nests structs and arrays more than %d deep: hold the parts side by side",
	"arrays are nested more than %d deep: compute the index into one",
	"%s cannot be read by a kernel: its %d elements have more than %d bytes, pass it as a slice",
	"//gpu:kernel: %s would have %d instances, more than %d: list fewer types, or those that belong together as T:V=float32:gpu.Float32x4",
	"//gpu:instance: more than %d instances: list fewer types",
	"//gpu:kernel: %s is open, and no other package can name it: export it", // of a generic kernel
	"calls are nested more than %d deep here: a kernel has no call stack, use a loop",
	// The same in other words, where lowering meets what the front end has not seen: in instances
	// of generic code and in the results of calls.
	"%s may not be assigned yet here: which function is called must be known when the kernel is compiled",
	"which function is called here must be known when the kernel is compiled: call each in a branch of its own, or pass it as an argument",
	"a kernel cannot keep a function in a struct or an array: which one is called must be known when the kernel is compiled, use a variable or a parameter",
	"a kernel cannot call a method of an interface value: use a type parameter, whose type is known when the kernel is compiled",
	"the initial value of a variable that a kernel reads cannot be computed: %s", // TestVariableErrors of internal/language/compile
	"a kernel cannot call %s", "a kernel cannot call %s: it is not written in Go", "a kernel cannot contain this (%s)",
	"the special registers of package gpu are read-only",
	"its type %s.%s is not exported, and the launcher needs to name it", // of another package: TestForeignFields of internal/language/compile
	"an atomic needs a pointer to shared memory or into a slice",        // not reported yet
	// These need several files, which TestBuildConstraints of internal/language/build has.
	"kernels use code of this file, and %s: a kernel is compiled once for all builds, so move the code to a file that belongs to every build, and choose by a parameter or a type argument",
	"kernel %s is in a file that this build leaves out: move it to a file that belongs to every build",
	"kernels call %s of an embedded field, and builds with this file may have another method of that name: rename this method",
	"kernels use Go's predeclared %s, and builds with this file have another one: rename this declaration",
}

// TestComplete looks for every message that the front end and lowering have on the page.
func TestComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	formats := messages(t, "../internal/language/compile/frontend", "../internal/language/compile/lower")
	if len(formats) < 60 {
		t.Fatalf("found only %d messages in the compiler", len(formats))
	}
	for _, f := range formats {
		if slices.Contains(notShown, f) {
			continue
		}
		re := regexp.MustCompile(`%[a-z]`).ReplaceAllLiteralString(regexp.QuoteMeta(f), ".*")
		if !regexp.MustCompile(re).Match(text) {
			t.Errorf("the page does not show the refusal %q", f)
		}
	}
	for _, f := range notShown {
		if !slices.Contains(formats, f) {
			t.Errorf("notShown has %q, which the compiler does not say", f)
		}
	}
}

// messages are the formats of the errors that the packages report: what errorf and Add are called
// with, and the strings of the functions and tables that give reasons.
func messages(t *testing.T, dirs ...string) (formats []string) {
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "errorf" || sel.Sel.Name == "Add") && len(n.Args) > 1 {
						formats = append(formats, literals(n.Args[1])...)
					}
				case *ast.FuncDecl:
					if strings.HasPrefix(n.Name.Name, "refuse") || n.Name.Name == "notPlain" || strings.HasSuffix(n.Name.Name, "Message") {
						formats = append(formats, literals(n.Body)...)
					}
				case *ast.ValueSpec:
					if strings.HasSuffix(n.Names[0].Name, "Remedies") {
						formats = append(formats, literals(n)...)
					}
				}
				return true
			})
		}
	}
	return formats
}

// literals are the string literals of n that are sentences; those joined by + are one.
func literals(n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		s, ok := literal(x)
		if ok && (strings.Contains(s, " ") || strings.HasPrefix(s, "%")) {
			list = append(list, s)
		}
		return !ok
	})
	return list
}

func literal(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil && x.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok := literal(x.X)
		b, also := literal(x.Y)
		return a + b, ok && also
	}
	return "", false
}

// TestIndex holds the index of the page to its sections: each is there, and nothing else is.
func TestIndex(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	index, rest, _ := strings.Cut(string(text), "\n## The directive\n")
	rest = "\n## The directive\n" + rest
	linked, sections := map[string]bool{}, map[string]bool{}
	for _, link := range regexp.MustCompile(`\]\(#([a-z-]+)\)`).FindAllStringSubmatch(index, -1) {
		linked[link[1]] = true
	}
	for _, head := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(rest, -1) {
		sections[strings.ToLower(strings.ReplaceAll(head[1], " ", "-"))] = true
	}
	for name := range sections {
		if !linked[name] {
			t.Errorf("the index lacks #%s", name)
		}
	}
	for name := range linked {
		if !sections[name] {
			t.Errorf("the index names #%s, which is no section", name)
		}
	}
}
