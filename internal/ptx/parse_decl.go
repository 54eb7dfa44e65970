package ptx

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// section reads ".section .debug_info { … }" and keeps the lines between the braces.
func (p *parser) section() *Section {
	s := &Section{Pos: p.tok.pos}
	p.advance()
	if p.tok.kind != tokDot {
		p.expected("a section name such as .debug_info")
		return s
	}
	s.Name = "." + p.tok.text
	p.advance()
	if !p.tok.is('{') {
		p.expected("'{'")
		return s
	}
	// The text is not tokens: go back to just after the brace, which the look-ahead has passed.
	open := p.tok
	p.lex.off, p.lex.line, p.lex.lineStart = open.end, open.pos.Line, open.end-open.pos.Col
	raw, ok := p.lex.rawBlock()
	p.last = open
	p.tok = p.lex.next()
	p.peek = p.lex.next()
	if !ok {
		p.errorAt(open.pos, "section %s has no closing brace", s.Name)
		return s
	}
	for line := range strings.SplitSeq(raw, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			s.Lines = append(s.Lines, line)
		}
	}
	return s
}

// fundamental holds the types of declarations, and whether registers may have them.
var fundamental = map[Type]bool{
	Pred: true, B8: true, B16: true, B32: true, B64: true, B128: true,
	U8: true, U16: true, U32: true, U64: true, S8: true, S16: true, S32: true, S64: true,
	F16: true, F16x2: true, F32: true, F64: true,
	"texref": false, "samplerref": false, "surfref": false,
}

// head reads the directives of a declaration up to the first name: state space, alignment,
// attributes, vector and type.
func (p *parser) head(v Var) Var {
	for !p.failed && p.tok.kind == tokDot {
		word := p.tok.text
		switch {
		case isSpace(word):
			if v.Space != "" {
				p.errorAt(p.tok.pos, "both .%s and .%s", v.Space, word)
			}
			v.Space = Space(word)
			p.advance()
		case word == "align":
			p.advance()
			v.Align = p.alignment()
		case word == "v2", word == "v4":
			v.Vector = int(word[1] - '0')
			p.advance()
		case word == "attribute":
			p.advance()
			v.Attributes = append(v.Attributes, p.attributes()...)
		case word == "ptr":
			p.advance()
			v.Ptr = p.ptrAttr()
		default:
			if _, ok := fundamental[Type(word)]; !ok || v.Type != "" {
				p.errorAt(p.tok.pos, "unexpected .%s in a declaration", word)
			}
			v.Type = Type(word)
			p.advance()
		}
	}
	return v
}

func isSpace(word string) bool {
	switch Space(word) {
	case RegSpace, GlobalSpace, SharedSpace, LocalSpace, ParamSpace, ConstSpace:
		return true
	}
	return false
}

// alignment reads a power of two.
func (p *parser) alignment() int {
	n := p.smallInt("an alignment")
	if !p.failed && (n == 0 || n&(n-1) != 0) {
		p.errorAt(p.last.pos, "an alignment is a power of two, not %d", n)
	}
	return n
}

// attributes reads "(.managed)" or "(.unified(19, 95))": the words of the list as written, without
// spaces.
func (p *parser) attributes() []string {
	p.expect('(')
	var all []string
	var cur strings.Builder
	for depth := 0; !p.failed; p.advance() {
		switch {
		case p.tok.is('('):
			depth++
		case p.tok.is(')'):
			if depth--; depth < 0 {
				p.advance()
				return append(all, cur.String())
			}
		case p.tok.is(',') && depth == 0:
			all = append(all, cur.String())
			cur.Reset()
			continue
		case p.tok.kind != tokIdent && p.tok.kind != tokDot && p.tok.kind != tokNumber && !p.tok.is(','):
			p.expected("an attribute such as .managed")
			return all
		}
		cur.WriteString(p.tok.String())
	}
	return all
}

// ptrAttr reads what follows ".ptr": a state space and an alignment, both optional.
func (p *parser) ptrAttr() *PtrAttr {
	a := &PtrAttr{}
	if p.tok.kind == tokDot && isSpace(p.tok.text) {
		a.Space = Space(p.tok.text)
		p.advance()
	}
	if p.tok.kind == tokDot && p.tok.text == "align" {
		p.advance()
		a.Align = p.alignment()
	}
	return a
}

// variables reads ".global .align 4 .u32 a[4] = {1, 2}, b;" from its state space on.
func (p *parser) variables(pos Pos, linkage Linkage) []*Var {
	if p.tok.kind == tokDot && !isSpace(p.tok.text) && p.tok.text != "attribute" {
		p.errorAt(p.tok.pos, "unknown directive .%s", p.tok.text)
		return nil
	}
	head := p.head(Var{Pos: pos, Linkage: linkage})
	p.checkHead(head)
	var vars []*Var
	for !p.failed {
		v := head
		p.declarator(&v, "a variable name")
		if p.accept('=') {
			v.Init = p.initializer()
		}
		vars = append(vars, &v)
		if !p.accept(',') {
			p.expect(';')
			break
		}
	}
	if p.failed {
		return nil
	}
	if last := vars[len(vars)-1]; last.Space == SharedSpace {
		last.Shape = abi.ReadShape(p.comment(typeIs))
		if last.Linkage == Extern {
			last.Part = p.sharedPart()
		}
	}
	return vars
}

// partOf introduces the part of dynamic shared memory that an array is, and partFormat is how it is
// written: the kernel, the bytes, the offset and the name. typeIs introduces the Go type of a
// variable.
const (
	partOf     = " part of "
	partFormat = "%s %d bytes at %d as %s"
	typeIs     = " type "
)

// sharedPart reads the comment of a SharedPart after the last token. It returns nil if there is
// none.
func (p *parser) sharedPart() *SharedPart {
	s := &SharedPart{}
	if n, err := fmt.Sscanf(p.comment(partOf), partFormat, &s.Kernel, &s.Size, &s.Offset, &s.Name); n < 4 || err != nil || s.Size < 0 || s.Offset < 0 {
		return nil
	}
	return s
}

// checkHead requires a state space and a type.
func (p *parser) checkHead(v Var) {
	switch {
	case p.failed:
	case v.Space == "":
		p.expected("a state space such as .shared")
	case v.Type == "":
		p.expected("a type such as .u32")
	}
}

// maxElements is how many elements an array may have: its size in bytes fits an int64.
const maxElements = 1 << 31

// declarator reads a name and its array dimensions.
func (p *parser) declarator(v *Var, what string) {
	v.Name = p.ident(what)
	size := uint64(1)
	for !p.failed && p.accept('[') {
		if p.accept(']') {
			if len(v.Dims) > 0 {
				p.errorAt(p.last.pos, "only the first dimension of %s may be left out", v.Name)
			}
			v.Dims = append(v.Dims, -1)
			continue
		}
		pos := p.tok.pos
		n := p.constant()
		if !p.failed && n.Bits > maxElements {
			p.errorAt(pos, "array dimension %d out of range", int64(n.Bits))
			return
		}
		if size *= n.Bits; size > maxElements {
			p.errorAt(pos, "array %s is larger than any memory", v.Name)
		}
		v.Dims = append(v.Dims, int(n.Bits))
		p.expect(']')
	}
}

// initializer reads what follows '=': a constant, the address of a variable, or nested braces of
// them.
func (p *parser) initializer() Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	if p.accept('{') {
		list := List{}
		for !p.failed && !p.accept('}') {
			list = append(list, p.initializer())
			if !p.accept(',') && !p.tok.is('}') {
				p.expected("',' or '}'")
			}
		}
		return list
	}
	if p.tok.kind != tokIdent || startsExpr(p.tok.text) {
		if p.peek.is('(') && p.tok.kind == tokNumber {
			p.errorAt(p.tok.pos, "mask operators in initialisers are not supported")
		}
		return p.expr()
	}
	if p.tok.text == "generic" && p.peek.is('(') {
		p.advance()
		p.advance()
		o := Offset{Name: p.ident("a variable name"), Generic: true}
		p.expect(')')
		o.Offset = p.offset()
		return o
	}
	return p.noElement(p.symbol())
}

// params reads a parenthesised parameter list.
func (p *parser) params() []*Var { return p.paramList(func(*Var) {}) }

// kernelParams reads the parameters of a kernel, with the Go types of what they point to.
func (p *parser) kernelParams() []*Var {
	return p.paramList(func(v *Var) { v.Shape = abi.ReadShape(p.comment(typeIs)) })
}

// paramList reads parameters, and calls f with each where the comment behind it begins.
func (p *parser) paramList(f func(*Var)) []*Var {
	p.expect('(')
	var vars []*Var
	if p.accept(')') {
		return nil
	}
	for !p.failed {
		v := p.head(Var{Pos: p.tok.pos})
		p.checkHead(v)
		if !p.failed && v.Space != ParamSpace && v.Space != RegSpace {
			p.errorAt(v.Pos, "a parameter is in .param or .reg space, not .%s", v.Space)
		}
		p.declarator(&v, "a parameter name")
		vars = append(vars, &v)
		more := p.accept(',')
		if f(&v); !more {
			p.expect(')')
			break
		}
	}
	return vars
}

// function reads an .entry or .func from that word on; nil when its head is wrong.
func (p *parser) function(pos Pos, linkage Linkage) *Func {
	f := &Func{Pos: pos, Linkage: linkage, Entry: p.tok.text == "entry"}
	p.advance()
	if !f.Entry && p.tok.is('(') {
		f.Results = p.params()
	}
	f.Name = p.ident("a function name")
	switch {
	case p.tok.is('(') && f.Entry:
		f.Params = p.kernelParams()
	case p.tok.is('('):
		f.Params = p.params()
	}
	for !p.failed && p.tok.kind == tokDot {
		if p.tok.text == "noreturn" {
			f.NoRet = true
			p.advance()
			continue
		}
		f.Perf = append(f.Perf, p.directive())
	}
	switch {
	case p.failed:
		return nil
	case p.accept(';'):
	case p.tok.is('{') && p.outline:
		f.Body = p.skipBody()
	case p.tok.is('{'):
		f.Body = p.block()
	default:
		p.expected("'{' or ';'")
		return nil
	}
	return f
}

// directive reads a directive with integer arguments, such as ".maxntid 256, 1, 1".
func (p *parser) directive() Directive {
	d := Directive{Name: p.tok.text}
	if !isPerf[d.Name] {
		p.errorAt(p.tok.pos, "unknown function directive .%s", d.Name)
	}
	p.advance()
	for p.tok.kind == tokNumber {
		d.Args = append(d.Args, p.smallInt("a number"))
		if !p.accept(',') {
			break
		}
	}
	return d
}

// isPerf are the directives of a function between its parameters and its body.
var isPerf = map[string]bool{
	"maxntid": true, "reqntid": true, "minnctapersm": true, "maxnctapersm": true, "maxnreg": true,
	"reqnctapercluster": true, "explicitcluster": true, "maxclusterrank": true, "blocksareclusters": true,
	"abi_preserve": true, "abi_preserve_control": true,
}
