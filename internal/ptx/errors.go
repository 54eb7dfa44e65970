package ptx

import (
	"fmt"
	"strings"
	"unicode"
)

// Error is one thing wrong with PTX text or with a module.
type Error struct {
	File      string // the name given to Parse, "" for a module that was built
	Line, Col int    // both zero for a module that was built
	Msg       string
	Text      string // the source line, or the printed statement of a module that was built
}

// Error returns "file:line:col: message", followed by a line with the offending text.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(e.Msg)
	if e.Text != "" {
		b.WriteString("\n\t")
		b.WriteString(e.Text)
	}
	return b.String()
}

// ErrorList is every error found, in the order of the text. It is never empty when it is returned
// as an error.
type ErrorList []*Error

// maxErrors is how many errors are collected before the rest of a text is given up: the hundredth
// error about a binary file helps nobody.
const maxErrors = 100

// shownErrors is how many errors the message of an ErrorList holds.
const shownErrors = 10

// Error returns the first errors, one a line, and how many more there are.
func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == shownErrors {
			fmt.Fprintf(&b, "and %d more errors", len(l)-i)
			break
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap returns the errors, for errors.As.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// err returns the list as an error, nil when it is empty.
func (l ErrorList) err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Source is the text a module was parsed from: errors quote it. It does not take part in the
// equality of modules.
type Source struct {
	Name string
	Text string

	parts []part // of Text that the module has; nil for all of it
}

// Parsed is the text without the declarations that the module does not have.
func (s Source) Parsed() string {
	if s.parts == nil {
		return s.Text
	}
	var b strings.Builder
	for _, at := range s.parts {
		b.WriteString(s.Text[at.start:at.end])
	}
	return b.String()
}

// LineOf is the line of Text that line n of Parsed is, both from 1.
func (s Source) LineOf(n int) int {
	line, next := n, 1
	for _, at := range s.parts {
		if next > n {
			break
		}
		line = at.line + n - next
		next += strings.Count(s.Text[at.start:at.end], "\n")
	}
	return line
}

// line returns line number n (from 1) of the text, trimmed, or "" if there is no such line.
func (s Source) line(n int) string {
	text := s.Text
	for ; n > 1; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	if n < 1 {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	const most = 160 // a line of a minified or binary file is not worth quoting whole
	if len(line) > most {
		line = line[:most] + "…"
	}
	return strings.Map(printable, line)
}

// printable replaces characters that a terminal would act on, for files that are no text.
func printable(r rune) rune {
	if r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}
