package frontend

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Error is something in the source that cannot be compiled.
type Error struct {
	Pos token.Position
	Msg string
}

// Error gives "file.go:12:6: message".
func (e *Error) Error() string {
	if !e.Pos.IsValid() {
		return e.Msg
	}
	return e.Pos.String() + ": " + e.Msg
}

// ErrorList is every error of a package.
type ErrorList []*Error

// Error gives one line an error.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the errors one by one.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Add appends an error.
func (l *ErrorList) Add(pos token.Position, format string, args ...any) {
	*l = append(*l, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// Err sorts the list by position, drops repeated errors, and gives it as an error; nil if it is
// empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Msg, b.Msg),
		)
	})
	return slices.CompactFunc(l, func(a, b *Error) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
}
