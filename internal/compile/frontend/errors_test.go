package frontend_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/compile/compiletest"
	"github.com/gridstride/gridstride/internal/compile/frontend"
)

// TestErrors compiles testdata/errors/*.go. A comment
//
//	// ERROR "regexp" "regexp"
//
// states the errors of its line, in order; there are no others. A column before the regular expression, as in 12:"regexp", is checked too.
// ERROR@-1 speaks of the line before, for directives, which take up their whole line.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = frontend.Load(compiletest.Source("example.com/p", "p.go", string(text)), compiletest.Importer(t, otherPackage))
			CheckErrors(t, string(text), err)
		})
	}
}

// otherPackage is one that tests may import.
var otherPackage = compiletest.Source("example.com/geom", "geom.go", `package geom

import "os"

type Vec struct{ X, Y float32 }

func (v Vec) Dot(w Vec) float32 { return v.X*w.X + v.Y*w.Y }
func (v Vec) Print() { os.Stdout.WriteString("vec") }

var Origin Vec

const Dim = 2

func Loop(n int) int { return Loop(n - 1) }
`)

type expected struct {
	line, col int
	re        string
}

var (
	errorComment = regexp.MustCompile(`// ERROR(?:@(-\d+))? (.*)$`)
	errorItem    = regexp.MustCompile("(?:(\\d+):)?(?:\"((?:[^\"\\\\]|\\\\.)*)\"|`([^`]*)`)")
)

// CheckErrors compares the errors of a compilation with the ERROR comments of the text.
func CheckErrors(t *testing.T, text string, err error) {
	t.Helper()
	var want []expected
	for i, line := range strings.Split(text, "\n") {
		m := errorComment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		offset, _ := strconv.Atoi(m[1])
		for _, item := range errorItem.FindAllStringSubmatch(m[2], -1) {
			col, _ := strconv.Atoi(item[1])
			want = append(want, expected{i + 1 + offset, col, item[2] + item[3]})
		}
	}
	slices.SortStableFunc(want, func(a, b expected) int { return a.line - b.line })
	var got frontend.ErrorList
	if err != nil && !errors.As(err, &got) {
		t.Fatalf("the error is no ErrorList: %v", err)
	}
	got = slices.DeleteFunc(got, func(e *frontend.Error) bool { return e.Pos.Filename == "geom.go" })
	for i, e := range got {
		if i >= len(want) || e.Pos.Line < want[i].line {
			t.Fatalf("unexpected error: %v", e)
		}
		w := want[i]
		if e.Pos.Line > w.line {
			t.Fatalf("line %d: no error that matches %q; next is %v", w.line, w.re, e)
		}
		if ok, err := regexp.MatchString(w.re, e.Msg); err != nil || !ok {
			t.Errorf("%v\n\tdoes not match %q", e, w.re)
		}
		if w.col != 0 && w.col != e.Pos.Column {
			t.Errorf("%v\n\tis not at column %d", e, w.col)
		}
	}
	for _, w := range want[min(len(got), len(want)):] {
		t.Errorf("line %d: no error that matches %q", w.line, w.re)
	}
}
