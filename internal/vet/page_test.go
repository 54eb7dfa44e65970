package vet

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/internal/doctest"
)

// TestPage holds docs/vet.md to what is found in its examples. What stands in a block of text
// behind one of Go is what vet prints of it; where it names no place, it is said of a launch in
// testdata/overlap.
func TestPage(t *testing.T) {
	t.Parallel()
	blocks, err := doctest.ReadFile("../../docs/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	var launches []string
	for _, f := range findings(t, Analyzers, "../..", nil, "./internal/vet/testdata/overlap") {
		launches = append(launches, f.message+"\n")
	}
	g := newGopath(t)
	examples := 0
	for i, b := range blocks {
		if b.Lang != "go" {
			continue
		}
		if i+1 == len(blocks) || blocks[i+1].Lang != "text" {
			t.Errorf("%s: what vet says of this does not follow", b.Pos())
			continue
		}
		examples++
		want := blocks[i+1].Text
		if slices.Contains(launches, want) {
			continue
		}
		if got := said(t, g, fmt.Sprintf("example%d", examples), b.Text); got != want {
			t.Errorf("%s: vet says\n%sthe page says\n%s", b.Pos(), got, want)
		}
	}
	if examples == 0 {
		t.Error("there are no examples")
	}
}

// said is what vet prints of some declarations.
func said(t *testing.T, g gopath, pkg, decls string) string {
	g.write(t, pkg, "kernel.go", fmt.Sprintf("package example; import %q\n%s", gpuPath, decls))
	var out strings.Builder
	for _, f := range g.findings(t, Analyzers, pkg) {
		f.at.Filename = filepath.Base(f.at.Filename)
		fmt.Fprintf(&out, "%s: %s\n", f.at, f.message)
	}
	return out.String()
}
