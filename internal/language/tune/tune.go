// Package tune chooses the constants of kernels that a //gpu:tune comment gives several values: it
// finds them, says which combinations to try, and makes a test binary of a package for each, without a
// change on disk. The command measures what a binary takes.
package tune

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi/directive"
	"github.com/gridstride/gridstride/internal/abi/directive/tuned"
	"github.com/gridstride/gridstride/internal/language/build"
	"github.com/gridstride/gridstride/internal/language/compile"
	"github.com/gridstride/gridstride/internal/tools/atomicfile"
)

// Group is the constants of one //gpu:tune comment.
type Group struct {
	Package   string // import path
	Dir       string // the package's
	Pos       token.Position
	Tests     []string // that must pass; without any, all of the package's
	Benchmark string
	Constants []Constant

	sources *build.Sources
	file    compile.File // that has the declaration
}

// Constant is a constant with its choices.
type Constant struct {
	Name     string
	Values   []string
	Declared int // which of Values the source has

	from, to int // where the value is in the file
}

// Find finds the groups of the packages that match the patterns of the go command, as seen from dir, in
// the order of packages, files and lines. Wrong comments are a compile.ErrorList.
func Find(ctx context.Context, dir string, patterns ...string) ([]*Group, error) {
	packages, err := build.Find(ctx, dir, patterns...)
	if err != nil {
		return nil, err
	}
	var groups []*Group
	var errs compile.ErrorList
	for _, p := range packages {
		for _, f := range p.Files {
			if bytes.Contains(f.Text, []byte(directive.TuneName)) {
				groups = append(groups, groupsOf(p, f, &errs)...)
			}
		}
	}
	return groups, errs.Err()
}

// groupsOf are the groups of a file.
func groupsOf(p *build.Sources, f compile.File, errs *compile.ErrorList) (groups []*Group) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		errs.Add(token.Position{Filename: f.Name}, "%v", err)
		return nil
	}
	found, wrong := tuned.Find(syntax)
	for _, e := range wrong {
		errs.Add(fset.PositionFor(e.Pos, false), "%s", e.Msg)
	}
	for _, d := range found {
		g := &Group{
			Package: p.Path, Dir: p.Dir, Pos: fset.PositionFor(d.Pos, false),
			Benchmark: d.Benchmark.Text, sources: p, file: f,
		}
		for _, t := range d.Tests {
			g.Tests = append(g.Tests, t.Text)
		}
		for _, k := range d.Constants {
			at := func(pos token.Pos) int { return fset.PositionFor(pos, false).Offset }
			g.Constants = append(g.Constants, Constant{k.Name, k.Values, k.Declared, at(k.Literal.Pos()), at(k.Literal.End())})
		}
		groups = append(groups, g)
	}
	return groups
}

// Choice says which value each constant of a group has.
type Choice []int

// Text is a choice as the comment writes it: "tile=16 rows=8".
func (g *Group) Text(c Choice) string {
	var parts []string
	for i, k := range g.Constants {
		parts = append(parts, k.Name+"="+k.Values[c[i]])
	}
	return strings.Join(parts, " ")
}

// Declared is the choice that the source has.
func (g *Group) Declared() Choice {
	c := make(Choice, len(g.Constants))
	for i, k := range g.Constants {
		c[i] = k.Declared
	}
	return c
}

// source is the text of the group's file with a choice. Nothing but the values changes, and what gofmt
// aligns after them if the file was formatted.
func (g *Group) source(c Choice) []byte {
	text := g.file.Text
	formatted, err := format.Source(text)
	isFormatted := err == nil && bytes.Equal(formatted, text)
	out := bytes.Clone(text)
	indices := make([]int, len(g.Constants))
	for i := range indices {
		indices[i] = i
	}
	lastFirst := func(i, j int) int { return cmp.Compare(g.Constants[j].from, g.Constants[i].from) }
	slices.SortFunc(indices, lastFirst)
	for _, i := range indices {
		if k := &g.Constants[i]; c[i] != k.Declared {
			out = slices.Replace(out, k.from, k.to, []byte(k.Values[c[i]])...)
		}
	}
	if isFormatted {
		if again, err := format.Source(out); err == nil {
			return again
		}
	}
	return out
}

// Writable is an error where the package's folder takes no files. It is for those who have long work to
// do before they write.
func (g *Group) Writable() error {
	f, err := os.CreateTemp(g.Dir, ".gridstride-tune-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written to: %w", g.Dir, errors.Unwrap(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write gives the source a choice and compiles the package's kernels. Each file is written whole or not
// at all, the source first: until the others follow, the kernels are stale, which programs notice. It
// returns the names of the files that it changed. A source that was edited since Find is not written.
func (g *Group) Write(c Choice) ([]string, error) {
	text := g.source(c)
	p, err := g.sources.With(g.file.Name, text)
	if err != nil {
		return nil, err
	}
	path := g.sources.FilePath(g.file.Name)
	now, err := os.ReadFile(path)
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(now, g.file.Text):
		return nil, fmt.Errorf("%s was edited while it was measured, so nothing is written", g.file.Name)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	var written []string
	if !bytes.Equal(text, now) {
		if err := atomicfile.Write(path, text); err != nil {
			return nil, err
		}
		written = append(written, g.file.Name)
	}
	more, err := p.Write()
	return append(written, more...), err
}
