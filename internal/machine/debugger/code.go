package debugger

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// place is a line of a source file, or of the PTX where file is "".
type place struct {
	file string
	line int
}

// String is "dot.go:24" or "ptx:57".
func (p place) String() string {
	if p.file == "" {
		return fmt.Sprintf("ptx:%d", p.line)
	}
	return fmt.Sprintf("%s:%d", path.Base(p.file), p.line)
}

// placeOf is the place of an instruction: its source line, or else its line of the PTX.
func placeOf(at *event.Site) place {
	switch {
	case at == nil:
		return place{}
	case at.Source.Line > 0:
		return place{at.Source.File, at.Source.Line}
	}
	return ptxPlace(at)
}

func ptxPlace(at *event.Site) place {
	if at == nil || at.Instr == nil {
		return place{}
	}
	return place{"", at.Instr.Pos.Line}
}

// code is the instructions of a module's functions.
type code struct {
	funcs map[string][]instr
	lines map[place]bool // that have instructions
	files []string       // in the order of their first instruction
}

// instr is an instruction of a function.
type instr struct {
	*ptx.Instr
	source place
	first  bool // of its line: the one before it is of another, or a label is between
	next   []int
}

func newCode(m *ptx.Module) *code {
	c := &code{funcs: map[string][]instr{}, lines: map[place]bool{}}
	files := m.Files()
	for _, d := range m.Decls {
		f, ok := d.(*ptx.Func)
		if !ok || f.Body == nil {
			continue
		}
		w := walker{files: files, labels: map[string]int{}}
		w.block(f.Body)
		w.link()
		c.funcs[f.Name] = w.list
		for i := range w.list {
			in := &w.list[i]
			c.lines[place{"", in.Pos.Line}] = true
			if p := in.source; p.file != "" {
				c.lines[p] = true
				if !slices.Contains(c.files, p.file) {
					c.files = append(c.files, p.file)
				}
			}
		}
	}
	return c
}

// walker lists the instructions of a function.
type walker struct {
	files  map[int]string
	list   []instr
	labels map[string]int // the instruction after each
	loc    place
	label  bool // one is before the next instruction
}

func (w *walker) block(b *ptx.Block) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ptx.Loc:
			w.loc = place{w.files[stmt.File], stmt.Line}
		case *ptx.Label:
			w.labels[stmt.Name], w.label = len(w.list), true
		case *ptx.Block:
			w.block(stmt)
		case *ptx.Instr:
			n := len(w.list)
			w.list = append(w.list, instr{Instr: stmt, source: w.loc, first: n == 0 || w.label || w.list[n-1].source != w.loc})
			w.label = false
		}
	}
}

// link finds the instructions that can follow each.
func (w *walker) link() {
	for i := range w.list {
		in := &w.list[i]
		if !in.EndsBlock() && i+1 < len(w.list) {
			in.next = append(in.next, i+1)
		}
		for _, a := range in.Args {
			if name, ok := a.(ptx.Name); ok && in.Effects().Kind == ptx.Jumps {
				if to, ok := w.labels[string(name)]; ok && to < len(w.list) {
					in.next = append(in.next, to)
				}
			}
		}
	}
}

// at is the instruction of a site; nil if it is not known.
func (c *code) at(site *event.Site) *instr {
	if site == nil {
		return nil
	}
	list := c.funcs[site.Func]
	if site.Index < 0 || site.Index >= len(list) {
		return nil
	}
	return &list[site.Index]
}

// starts reports whether a site is the first instruction of its line.
func (c *code) starts(site *event.Site) bool {
	in := c.at(site)
	return in == nil || in.first
}

// find is the place that a person names: "24", "dot.go:24", "ptx:57". A line without a file is of the
// kernel's file. The error says which lines there are.
func (c *code) find(text string) (place, error) {
	file, number, named := "", text, false
	if i := strings.LastIndex(text, ":"); i >= 0 {
		file, number, named = text[:i], text[i+1:], true
	}
	line, err := positive(number)
	if err != nil {
		return place{}, fmt.Errorf("%s is no line; want N, FILE:N or ptx:N", text)
	}
	var names []string
	if !named && len(c.files) > 0 {
		names = c.files[:1]
	}
	for _, f := range c.files {
		if named && (f == file || strings.HasSuffix(f, "/"+file)) {
			names = append(names, f)
		}
	}
	if file == "ptx" || len(c.files) == 0 && !named {
		names = []string{""}
	}
	if len(names) == 0 {
		return place{}, fmt.Errorf("no instruction is of %s; the files are %s", file, strings.Join(c.files, ", "))
	}
	for _, f := range names {
		if c.lines[place{f, line}] {
			return place{f, line}, nil
		}
	}
	return place{}, c.missing(place{names[0], line})
}

// missing is the error of a line without instructions.
func (c *code) missing(p place) error {
	next := c.after(p)
	if next == 0 {
		return fmt.Errorf("%v has no instruction, and no line after it has", p)
	}
	return fmt.Errorf("%v has no instruction; the next line that has is %d", p, next)
}

// after is the next line of a file that has an instruction, 0 if none has.
func (c *code) after(p place) (next int) {
	for at := range c.lines {
		if at.file == p.file && at.line > p.line && (next == 0 || at.line < next) {
			next = at.line
		}
	}
	return next
}
