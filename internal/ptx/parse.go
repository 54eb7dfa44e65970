package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads PTX text. name is the file name that errors quote. Parse accepts all that the syntax
// tree can hold. That includes what nvcc emits for ordinary CUDA C++ and all that gridstride emits.
// Verify says whether the instructions are right. The error is an ErrorList: after a mistake
// parsing goes on after the next ';' or '}'.
func Parse(name, text string) (*Module, error) {
	p := newParser(name, text)
	p.header()
	for p.tok.kind != tokEOF && !p.full() {
		p.moduleDecl()
	}
	return p.finish()
}

// newParser is a parser at the first token of a text.
func newParser(name, text string) *parser {
	text = strings.TrimRight(text, "\x00") // the driver wants a C string, so PTX embedded in programs often ends so
	p := &parser{
		lex:    lexer{src: text, line: 1},
		module: &Module{AddressSize: 32, Source: Source{Name: name, Text: text}},
	}
	p.advance()
	p.advance()
	return p
}

// finish returns the module when all of it has been read.
func (p *parser) finish() (*Module, error) {
	if p.indexed && len(p.errs) == 0 {
		p.elements()
	}
	if err := p.errs.err(); err != nil {
		return nil, err
	}
	return p.module, nil
}

// maxDepth is how deep blocks, vectors, initialisers and parentheses may nest.
const maxDepth = 100

// parser holds the current token and the one after it.
type parser struct {
	lex       lexer
	tok, peek token
	last      token // the token before tok
	depth     int   // of nesting
	braces    int   // of vector operands that are open
	module    *Module
	indexed   bool // an operand is an element of an array
	outline   bool // the bodies of functions are skipped
	errs      ErrorList
	// failed is set by an error and cleared by resynchronising: one mistake is reported once.
	failed bool
}

func (p *parser) advance() {
	p.last, p.tok = p.tok, p.peek
	p.peek = p.lex.next()
}

// full reports whether the limit of errors is reached, and parsing stops.
func (p *parser) full() bool { return len(p.errs) >= maxErrors }

// errorAt records an error, unless one is being recovered from.
func (p *parser) errorAt(pos Pos, format string, args ...any) {
	if p.failed {
		return
	}
	p.failed = true
	src := p.module.Source
	p.errs = append(p.errs, &Error{
		File: src.Name, Line: pos.Line, Col: pos.Col,
		Msg: fmt.Sprintf(format, args...), Text: src.line(pos.Line),
	})
}

// expected records that the current token is wrong, and what is expected instead.
func (p *parser) expected(what string) {
	switch {
	case p.failed:
	case p.tok.kind == tokBad && p.tok.text[0] == '"':
		p.errorAt(p.tok.pos, "string without a closing quote")
	case p.tok.kind == tokBad:
		p.errorAt(p.tok.pos, "unexpected character %s", p.tok)
	case p.tok.pos.Line > p.last.pos.Line && p.last.kind != tokEOF:
		// The mistake is at the end of the line before, not in the innocent first word of this one.
		p.errorAt(p.last.pos, "expected %s after %s", what, p.last)
	default:
		p.errorAt(p.tok.pos, "expected %s, found %s", what, p.tok)
	}
}

// accept moves past the punctuation c if it is next.
func (p *parser) accept(c byte) bool {
	if !p.tok.is(c) {
		return false
	}
	p.advance()
	return true
}

// expect moves past the punctuation c, which must be next.
func (p *parser) expect(c byte) bool {
	if p.failed || !p.accept(c) {
		p.expected(strconv.QuoteRune(rune(c)))
		return false
	}
	return true
}

// ident returns the identifier that must be next, and moves past it.
func (p *parser) ident(what string) string {
	if p.failed || p.tok.kind != tokIdent {
		p.expected(what)
		return ""
	}
	s := p.tok.text
	p.advance()
	return s
}

// enter counts a level of nesting and reports whether it may be entered. leave must follow in
// either case.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.errorAt(p.tok.pos, "nested more than %d levels deep", maxDepth)
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// resync moves to where the next statement can start: past the next ';' or before the '}' of the
// block. A statement whose ';' was forgotten ends with its line.
func (p *parser) resync() {
	p.failed = false
	if p.tok.pos.Line > p.last.pos.Line && p.startsStatement() {
		p.braces = 0
		return
	}
	for p.tok.kind != tokEOF {
		switch {
		case p.tok.is('{'):
			p.braces++
		case p.tok.is('}') && p.braces == 0:
			return
		case p.tok.is('}'):
			p.braces--
		case p.accept(';'):
			p.braces = 0
			return
		}
		p.advance()
	}
}

// startsStatement reports whether the current token can be the first of a statement.
func (p *parser) startsStatement() bool {
	return p.tok.kind == tokIdent || p.tok.kind == tokDot || p.tok.is('{') || p.tok.is('}') || p.tok.is('@')
}

// header reads .version, .target and .address_size.
func (p *parser) header() {
	m := p.module
	if p.tok.kind != tokDot || p.tok.text != "version" {
		p.errorAt(p.tok.pos, "PTX starts with .version, found %s", p.tok)
		p.failed = false
		p.skipDecl()
		return
	}
	p.advance()
	if major, minor, ok := p.version(); ok {
		m.Version = Version{major, minor}
	} else {
		p.expected("a version such as 7.0")
		p.resyncHeader()
	}
	if p.tok.kind != tokDot || p.tok.text != "target" {
		p.expected(".target")
		p.resyncHeader()
		return
	}
	p.advance()
	m.Target = p.identList("a target such as sm_70")
	p.resyncHeader()
	if p.tok.kind == tokDot && p.tok.text == "address_size" {
		p.advance()
		m.AddressSize = p.smallInt("an address size of 32 or 64")
		if m.AddressSize != 32 && m.AddressSize != 64 {
			p.errorAt(p.last.pos, "an address has 32 or 64 bits, not %d", m.AddressSize)
		}
	}
	p.resyncHeader()
}

// resyncHeader leaves a header directive that went wrong: directives end with their line.
func (p *parser) resyncHeader() {
	for p.failed && p.tok.kind != tokEOF && p.tok.pos.Line == p.last.pos.Line {
		p.advance()
	}
	p.failed = false
}

// version reads "7.0".
func (p *parser) version() (major, minor int, ok bool) {
	if p.tok.kind != tokNumber {
		return 0, 0, false
	}
	before, after, _ := strings.Cut(p.tok.text, ".")
	major, err1 := strconv.Atoi(before)
	minor, err2 := strconv.Atoi(after)
	if err1 != nil || err2 != nil {
		return 0, 0, false
	}
	p.advance()
	return major, minor, true
}

// identList reads identifiers separated by commas.
func (p *parser) identList(what string) []string {
	var names []string
	for {
		name := p.ident(what)
		if p.failed {
			return names
		}
		names = append(names, name)
		if !p.accept(',') {
			return names
		}
	}
}

// smallInt reads an integer constant that fits an int32: a line, a dimension, an alignment.
func (p *parser) smallInt(what string) int {
	if p.failed || p.tok.kind != tokNumber {
		p.expected(what)
		return 0
	}
	t := p.tok
	n, ok := parseInt(t.text)
	if !ok || n.Bits > 1<<31-1 {
		p.errorAt(t.pos, "expected %s, found %s", what, t)
		return 0
	}
	p.advance()
	return int(n.Bits)
}

// moduleDecl reads one declaration of module scope.
func (p *parser) moduleDecl() {
	start := p.tok
	switch {
	case p.accept(';'): // nvcc's inline assembly at module scope may leave one
	case p.tok.kind == tokIdent || p.tok.kind == tokNumber || p.tok.kind == tokPunct:
		p.errorAt(p.tok.pos, "expected a directive, found %s", p.tok)
	case p.tok.kind != tokDot:
		p.expected("a directive")
	case p.tok.text == "file":
		p.add(p.file())
	case p.tok.text == "section":
		p.add(p.section())
	case p.tok.text == "pragma":
		p.add(p.pragma())
	case slices.Contains([]string{"version", "target", "address_size"}, p.tok.text):
		p.errorAt(p.tok.pos, ".%s must be given once, at the start of a module", p.tok.text)
	default:
		p.linked()
	}
	if p.failed {
		p.failed = false
		p.skipDecl()
		if p.tok.start == start.start {
			p.advance()
		}
	}
}

// add appends a declaration, unless reading it failed.
func (p *parser) add(d Decl) {
	if !p.failed {
		p.module.Decls = append(p.module.Decls, d)
	}
}

// skipDecl moves past the declaration that went wrong: to the next ';' outside braces, past the
// next block, or to a directive that starts a line of module scope.
func (p *parser) skipDecl() {
	depth := 0
	for p.tok.kind != tokEOF {
		switch {
		case p.tok.is('{'):
			depth++
		case p.tok.is('}') && depth <= 1, p.tok.is(';') && depth == 0:
			p.advance()
			return
		case p.tok.is('}'):
			depth--
		case depth == 0 && p.tok.kind == tokDot && p.tok.pos.Line > p.last.pos.Line && startsDecl(p.tok.text):
			return
		}
		p.advance()
	}
}

// startsDecl reports whether a directive starts a declaration.
func startsDecl(word string) bool {
	switch word {
	case "file", "section", "visible", "extern", "weak", "common", "entry", "func", "global", "const", "shared":
		return true
	}
	return false
}

// linked reads a variable or function with its linking directive.
func (p *parser) linked() {
	pos := p.tok.pos
	linkage := Local
	for p.tok.kind == tokDot && isLinkage(p.tok.text) {
		if linkage != Local {
			p.errorAt(p.tok.pos, "both .%s and .%s", linkage, p.tok.text)
			return
		}
		linkage = Linkage(p.tok.text)
		p.advance()
	}
	if p.tok.kind == tokDot && (p.tok.text == "entry" || p.tok.text == "func") {
		if f := p.function(pos, linkage); f != nil {
			p.module.Decls = append(p.module.Decls, f)
		}
		return
	}
	for _, v := range p.variables(pos, linkage) {
		p.module.Decls = append(p.module.Decls, v)
	}
}

func isLinkage(word string) bool {
	switch Linkage(word) {
	case Extern, Visible, Weak, Common:
		return true
	}
	return false
}

// file reads ".file 1 "dot.cu", 1700000000, 1234".
func (p *parser) file() *File {
	f := &File{Pos: p.tok.pos}
	p.advance()
	f.Index = p.smallInt("a file number")
	if p.failed || p.tok.kind != tokString {
		p.expected("a file name in quotes")
		return f
	}
	f.Name = p.tok.text
	p.advance()
	if p.accept(',') {
		f.Time = p.constant().Bits
		p.expect(',')
		f.Size = p.constant().Bits
	}
	return f
}

// pragma reads ".pragma "nounroll";".
func (p *parser) pragma() *Pragma {
	d := &Pragma{Pos: p.tok.pos}
	p.advance()
	for {
		if p.failed || p.tok.kind != tokString {
			p.expected("a pragma in quotes")
			return d
		}
		d.Text = append(d.Text, p.tok.text)
		p.advance()
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
	return d
}
