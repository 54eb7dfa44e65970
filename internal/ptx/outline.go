package ptx

import (
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// Outline is a PTX text that was read without the bodies of its functions, and cuts single kernels
// out of it: a driver compiles all kernels of the text it is given, which takes seconds for a
// library of them, and a program launches few. Nothing changes an Outline, and goroutines may share
// it.
type Outline struct {
	// Module is the whole text. The bodies of its functions are empty.
	Module *Module

	head  part             // the header
	decls []outlined       // in the order of the text
	named map[string][]int // declarations by the names that they declare
}

// outlined is a declaration of an Outline.
type outlined struct {
	at    part
	decls []Decl // several if a declaration declares several variables
}

// part is a piece of a text, from the first byte of a token to the first byte of another.
type part struct {
	start, end int // byte offsets
	line       int // of start
	lineStart  int // byte offset
}

// ReadOutline reads a text as Parse does, without the statements between the braces of functions.
// The errors are Parse's.
func ReadOutline(name, text string) (*Outline, error) {
	p := newParser(name, text)
	p.outline = true
	o := &Outline{Module: p.module, named: map[string][]int{}}
	o.head = p.partFrom(p.tok)
	p.header()
	o.head.end = p.tok.start
	for p.tok.kind != tokEOF && !p.full() {
		d, before := outlined{at: p.partFrom(p.tok)}, len(p.module.Decls)
		p.moduleDecl()
		d.at.end = p.tok.start
		d.decls = p.module.Decls[before:]
		o.add(d)
	}
	if _, err := p.finish(); err != nil {
		return nil, err
	}
	return o, nil
}

// partFrom is a part that begins with t.
func (p *parser) partFrom(t token) part {
	return part{start: t.start, line: t.pos.Line, lineStart: t.start + 1 - t.pos.Col}
}

func (o *Outline) add(d outlined) {
	for _, decl := range d.decls {
		if name := declared(decl); name != "" {
			o.named[name] = append(o.named[name], len(o.decls))
		}
	}
	o.decls = append(o.decls, d)
}

// declared is the name that a declaration declares, "" if it declares none.
func declared(d Decl) string {
	switch d := d.(type) {
	case *Var:
		return d.Name
	case *Func:
		return d.Name
	}
	return ""
}

// Shares reports whether kernels of the text may share a variable that one of them changes. Such
// kernels work only if they are loaded together. A variable that has an initial value and is seen
// by no other module is a constant: gridstride build declares only those.
func (o *Outline) Shares() bool {
	return slices.ContainsFunc(o.Module.Decls, func(d Decl) bool {
		v, ok := d.(*Var)
		return ok && v.Space != SharedSpace && (v.Init == nil || v.Linkage != Local)
	})
}

// Whole parses the text.
func (o *Outline) Whole() (*Module, error) { return Parse(o.Module.Source.Name, o.Module.Source.Text) }

// Cut parses what a kernel needs: the header, the kernel, and the variables and functions that its
// text names, those that these name, and so on. Positions are in the whole text. The text must have
// the kernel.
func (o *Outline) Cut(kernel string) (*Module, error) {
	kept := o.reach(kernel)
	p := newParser(o.Module.Source.Name, o.Module.Source.Text)
	p.module.Source.parts = []part{o.head}
	p.header()
	for i, d := range o.decls {
		if kept[i] {
			p.read(d.at)
			p.module.Source.parts = append(p.module.Source.parts, d.at)
		}
	}
	return p.finish()
}

// read parses the declarations in a part of the text.
func (p *parser) read(at part) {
	p.lex = lexer{src: p.module.Source.Text[:at.end], off: at.start, line: at.line, lineStart: at.lineStart}
	p.last = token{}
	p.advance()
	p.advance()
	for p.tok.kind != tokEOF && !p.full() {
		p.moduleDecl()
	}
}

// reach marks the declarations that a kernel needs.
func (o *Outline) reach(kernel string) []bool {
	kept := make([]bool, len(o.decls))
	var queue []int
	keep := func(i int) {
		if !kept[i] {
			kept[i] = true
			queue = append(queue, i)
		}
	}
	for i, d := range o.decls {
		if slices.ContainsFunc(d.decls, func(d Decl) bool { return always(d, kernel) }) {
			keep(i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := o.decls[queue[0]].at
		lex := lexer{src: o.Module.Source.Text[:at.end], off: at.start, line: at.line, lineStart: at.lineStart}
		for t := lex.next(); t.kind != tokEOF; t = lex.next() {
			if t.kind == tokIdent {
				for _, i := range o.named[t.text] {
					keep(i)
				}
			}
		}
	}
	return kept
}

// always reports whether a kernel needs a declaration even if it does not name it.
func always(d Decl, kernel string) bool {
	switch d := d.(type) {
	case *Func:
		return d.Name == kernel
	case *Var:
		return d.Part != nil && d.Part.Kernel == kernel || strings.HasPrefix(d.Name, abi.FormatVar)
	}
	return true
}

// skipBody moves past the body of a function, whose '{' is the current token.
func (p *parser) skipBody() *Block {
	b := &Block{Pos: p.tok.pos}
	open := p.tok
	p.lex.off, p.lex.line, p.lex.lineStart = open.start, open.pos.Line, open.end-open.pos.Col
	closed := p.lex.skipBlock()
	p.last = open
	p.tok = p.lex.next()
	p.peek = p.lex.next()
	if !closed {
		p.errorAt(open.pos, "this brace is never closed")
	}
	return b
}

// skipBlock moves past a block in braces, whose '{' is the current byte. It returns false if the
// text ends first.
func (l *lexer) skipBlock() bool {
	for depth := 0; l.off < len(l.src); {
		switch c := l.src[l.off]; c {
		case '{':
			depth++
			l.off++
		case '}':
			l.off++
			if depth--; depth == 0 {
				return true
			}
		case '"':
			l.str(token{})
		case '\n', '/', '#':
			before := l.off
			if l.skipSpace(); l.off == before {
				l.off++
			}
		default:
			l.off++
		}
	}
	return false
}
