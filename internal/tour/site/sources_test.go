package site

import (
	"go/parser"
	"go/token"
	"testing"
)

// TestBare strips files of their comments. Directives and lines stay.
func TestBare(t *testing.T) {
	t.Parallel()
	const text = "//go:build linux\n\n// Package p is one.\npackage p // here\n\n/* two\nlines */\n//gpu:kernel\nfunc F(a /* x: y */ int) { // z\n\t_ = \"// no comment\" + `/* none\n*/`\n}\n// end: no newline"
	const want = "//go:build linux\n\n \npackage p \n\n \n\n//gpu:kernel\nfunc F(a  int) { \n\t_ = \"// no comment\" + `/* none\n*/`\n}\n "
	got, err := bare("p.go", []byte(text))
	if err != nil || string(got) != want {
		t.Errorf("%q, %v; want\n%q", got, err, want)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "p.go", got, 0); err != nil {
		t.Error(err)
	}
	if _, err := bare("p.go", []byte("package p\n/* open")); err == nil {
		t.Error("a file that ends in a comment: no error")
	}
}
