package vet

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/doctest"
)

// TestPage compares docs/vet.md with the findings in its examples. A block of text after one of Go
// is vet's output for it. If it names no place, it belongs to a call in testdata/overlap or
// testdata/instance.
func TestPage(t *testing.T) {
	t.Parallel()
	blocks, err := doctest.ReadFile("../../../docs/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	var launches []string
	for _, f := range findings(t, Analyzers, "../../..", nil, "./internal/language/vet/testdata/overlap", "./internal/language/vet/testdata/instance") {
		launches = append(launches, f.message+"\n")
	}
	g := newGopath(t)
	examples := map[string]int{} // by package, their numbers among the blocks
	for i, b := range blocks {
		if b.Lang != "go" {
			continue
		}
		if i+1 == len(blocks) || blocks[i+1].Lang != "text" {
			t.Errorf("%s: what vet says of this does not follow", b.Pos())
			continue
		}
		if slices.Contains(launches, blocks[i+1].Text) {
			continue
		}
		pkg := fmt.Sprintf("example%d", i)
		examples[pkg] = i
		g.write(t, "examples/"+pkg, "kernel.go", fmt.Sprintf("package example; import %q\n%s", gpuPath, b.Text))
	}
	said := map[string]string{}
	for _, f := range g.findings(t, Analyzers, "examples/...") {
		pkg := filepath.Base(filepath.Dir(f.at.Filename))
		f.at.Filename = filepath.Base(f.at.Filename)
		said[pkg] += fmt.Sprintf("%s: %s\n", f.at, f.message)
	}
	for pkg, i := range examples {
		if got, want := said[pkg], blocks[i+1].Text; got != want {
			t.Errorf("%s: vet says\n%sthe page says\n%s", blocks[i].Pos(), got, want)
		}
	}
	if len(examples) == 0 {
		t.Error("there are no examples")
	}
}
