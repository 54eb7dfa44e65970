// Package course reads exercises. An exercise is a folder with three Go files, each a program of one
// file with a kernel of the same parameters:
//
//	start.go     what a learner begins with. Its package comment is the statement, whose first line is
//	             the title.
//	want.go      a simple kernel that is right, for one thread, with the directives of the tests
//	solution.go  a solution. Its package comment explains it.
//
// The directives are comments of want.go, one a line:
//
//	//tour:test NAME grid=7 block=4 s32[27]=ramp s32[27]=zeros
//	//tour:limit sectors=128
//	//tour:par instructions=500
//	//tour:close 1e-5
//	//tour:hint Text of a hint.
//
// A test launches the learner's kernel with the arguments, which package argspec reads, and the simple
// kernel with one thread and the same arguments. Both must leave the same bytes, or numbers that are
// close if that is given, and the checks must find nothing. A limit bounds a count of the last test, and a par is a goal that nobody has to reach.
package course

import (
	"errors"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/gridstride/gridstride/internal/tour/lab"
)

// Exercise is an exercise of a page.
type Exercise struct {
	Name        string     `json:"name"` // of its folder
	Title       string     `json:"title"`
	Statement   string     `json:"statement"`   // HTML
	Explanation string     `json:"explanation"` // HTML
	Hints       []string   `json:"hints"`
	Start       string     `json:"start"`
	Solution    string     `json:"solution"`
	Launch      lab.Launch `json:"launch"` // of the first test, to begin with
	lab.Course
}

// maxFile is how many bytes a file of an exercise may have.
const maxFile = 1 << 16

// Read reads the exercises of a folder, in the order of the names of their folders.
func Read(fsys fs.FS) ([]*Exercise, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var list []*Exercise
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		x, err := read(fsys, e.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return nil, errors.New("there are no exercises: want a folder for each, with start.go, want.go and solution.go")
	}
	return list, nil
}

func read(fsys fs.FS, dir string) (*Exercise, error) {
	x := &Exercise{Name: dir, Hints: []string{}}
	x.Limits = []lab.Limit{}
	var err error
	var statement, explanation string
	if statement, x.Start, err = program(fsys, path.Join(dir, "start.go")); err != nil {
		return nil, err
	}
	if explanation, x.Solution, err = program(fsys, path.Join(dir, "solution.go")); err != nil {
		return nil, err
	}
	if _, x.Want, err = program(fsys, path.Join(dir, "want.go")); err != nil {
		return nil, err
	}
	title, rest, _ := strings.Cut(statement, "\n")
	if x.Title = strings.TrimSpace(title); x.Title == "" {
		return nil, fmt.Errorf("%s/start.go: has no package comment; want one whose first line is the title", dir)
	}
	x.Statement, x.Explanation = html(rest), html(explanation)
	for n, line := range strings.Split(x.Want, "\n") {
		if directive, ok := strings.CutPrefix(line, "//tour:"); ok {
			if err := x.directive(directive); err != nil {
				return nil, fmt.Errorf("%s/want.go: line %d: %w", dir, n+1, err)
			}
		}
	}
	if len(x.Tests) == 0 {
		return nil, fmt.Errorf("%s/want.go: has no //tour:test", dir)
	}
	x.Launch = x.Tests[0].Launch
	return x, nil
}

// program splits a file into its package comment and the rest, which is a program.
func program(fsys fs.FS, name string) (doc, text string, err error) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", "", err
	}
	if len(b) > maxFile {
		return "", "", fmt.Errorf("%s: has %d bytes; want at most %d", name, len(b), maxFile)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, b, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return "", "", err
	}
	if f.Doc != nil {
		doc = f.Doc.Text()
	}
	return doc, string(b[fset.Position(f.Package).Offset:]), nil
}

func html(doc string) string {
	var p comment.Parser
	var w comment.Printer
	w.HeadingLevel = 2
	return string(w.HTML(p.Parse(strings.TrimSpace(doc))))
}

// directive reads "test …", "limit …", "par …", "close …" or "hint …".
func (x *Exercise) directive(text string) error {
	what, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch what {
	case "test":
		t, err := test(rest)
		if err == nil {
			x.Tests = append(x.Tests, t)
		}
		return err
	case "limit", "par":
		for _, word := range strings.Fields(rest) {
			count, number, _ := strings.Cut(word, "=")
			most, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				return fmt.Errorf("%q is no limit; want COUNT=NUMBER", word)
			}
			if !lab.IsCount(count) {
				return fmt.Errorf("%q is no count; want one of %s", count, lab.CountNames)
			}
			x.Limits = append(x.Limits, lab.Limit{Count: count, Most: most, Par: what == "par"})
		}
		return nil
	case "close":
		var err error
		if x.Close, err = strconv.ParseFloat(rest, 64); err != nil || !(x.Close > 0 && x.Close < 1) {
			return fmt.Errorf("%q is no relative error; want a number between 0 and 1", rest)
		}
		return nil
	case "hint":
		x.Hints = append(x.Hints, rest)
		return nil
	}
	return fmt.Errorf("//tour:%s is no directive; want test, limit, par, close or hint", what)
}

// test reads the words of a test: its name, which has no "=" or "[", the sizes, then the arguments.
func test(text string) (t lab.Test, err error) {
	var name []string
	for _, word := range strings.Fields(text) {
		key, value, given := strings.Cut(word, "=")
		switch {
		case given && key == "grid":
			t.Grid, err = sizes(value)
		case given && key == "block":
			t.Block, err = sizes(value)
		case given && key == "shared":
			t.Shared, err = strconv.Atoi(value)
		case given || strings.Contains(word, "["):
			t.Args = append(t.Args, word)
		default:
			name = append(name, word)
		}
		if err != nil {
			return t, fmt.Errorf("%s: %w", word, err)
		}
	}
	if t.Name = strings.Join(name, " "); t.Name == "" || len(t.Grid) == 0 {
		return t, errors.New("want NAME grid=N block=N ARGUMENT …")
	}
	return t, nil
}

// sizes reads "4" or "4x2".
func sizes(text string) (list []int, err error) {
	for _, part := range strings.Split(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}
