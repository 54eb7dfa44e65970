package compiletest

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

type expected struct {
	line, col int
	re        string
}

var (
	errorComment = regexp.MustCompile(`// ERROR(?:@(-\d+))? (.*)$`)
	errorItem    = regexp.MustCompile("(?:(\\d+):)?(?:\"((?:[^\"\\\\]|\\\\.)*)\"|`([^`]*)`)")
)

// CheckErrors compares the errors of a compilation with the comments of a file's text. A comment
//
//	// ERROR "regexp" "regexp"
//
// states the errors of its line, in order. There are no others. A column before the regular
// expression, as in 12:"regexp", is checked too.
// ERROR@-1 speaks of the line before, for directives, which take up their whole line.
func CheckErrors(t *testing.T, file, text string, err error) {
	t.Helper()
	want := expectations(text)
	var got frontend.ErrorList
	if err != nil && !errors.As(err, &got) {
		t.Fatalf("the error is no ErrorList: %v", err)
	}
	got = slices.DeleteFunc(got, func(e *frontend.Error) bool { return e.Pos.Filename != file })
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

// expectations reads the ERROR comments.
func expectations(text string) []expected {
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
	return want
}
