package ptx

import (
	"fmt"
	"strings"
)

// block reads "{ … }". Statements that are wrong are reported and left out.
func (p *parser) block() *Block {
	b := &Block{Pos: p.tok.pos}
	defer p.leave()
	if !p.enter() {
		return b
	}
	open := p.tok
	p.expect('{')
	for !p.accept('}') {
		if p.tok.kind == tokEOF {
			p.failed = false
			if p.depth == 1 {
				p.errorAt(open.pos, "this brace is never closed")
			}
			return b
		}
		if p.full() {
			return b
		}
		start := p.tok.start
		b.Stmts = p.statement(b.Stmts)
		if p.failed {
			p.resync()
			if p.tok.start == start && !p.tok.is('}') {
				p.advance()
			}
		}
	}
	return b
}

// statement reads one statement and appends what it holds: a declaration may be several.
func (p *parser) statement(to []Stmt) []Stmt {
	var s Stmt
	switch {
	case p.accept(';'):
		return to
	case p.tok.is('{'):
		s = p.block()
	case p.tok.is('@'):
		s = p.instr()
	case p.tok.kind == tokIdent && p.peek.is(':'):
		s = p.label()
	case p.tok.kind == tokIdent:
		s = p.instr()
	case p.tok.kind != tokDot:
		p.expected("a statement")
	case p.tok.text == "loc":
		s = p.loc()
	case p.tok.text == "pragma":
		s = p.pragma()
	case p.tok.text == "reg":
		return p.regs(to)
	default:
		for _, v := range p.variables(p.tok.pos, Local) {
			to = append(to, v)
		}
		return to
	}
	if p.failed {
		return to
	}
	return append(to, s)
}

// label reads "L:", or a table that has a name: "L: .branchtargets A, B;".
func (p *parser) label() Stmt {
	pos, name := p.tok.pos, p.tok.text
	p.advance()
	p.advance()
	if p.tok.kind == tokDot {
		switch p.tok.text {
		case "branchtargets":
			p.advance()
			t := &BranchTargets{Pos: pos, Name: name, Labels: p.identList("a label")}
			p.expect(';')
			return t
		case "calltargets":
			p.advance()
			t := &CallTargets{Pos: pos, Name: name, Funcs: p.identList("a function name")}
			p.expect(';')
			return t
		case "callprototype":
			p.advance()
			return p.callPrototype(pos, name)
		}
	}
	return &Label{Pos: pos, Name: name}
}

// callPrototype reads "(.param .b32 _) _ (.param .b64 _) .noreturn;".
func (p *parser) callPrototype(pos Pos, name string) *CallPrototype {
	c := &CallPrototype{Pos: pos, Name: name}
	if p.tok.is('(') {
		c.Results = p.params()
	}
	if id := p.ident("'_'"); id != "_" {
		p.errorAt(p.last.pos, "a prototype stands for any function: its name is _, not %s", id)
	}
	if p.tok.is('(') {
		c.Params = p.params()
	}
	if p.tok.kind == tokDot && p.tok.text == "noreturn" {
		c.NoRet = true
		p.advance()
	}
	p.expect(';')
	return c
}

// loc reads ".loc 1 7 2, function_name L+4, inlined_at 1 24 3".
func (p *parser) loc() *Loc {
	l := p.location()
	for !p.failed && p.tok.is(',') {
		p.advance()
		switch word := p.ident("function_name or inlined_at"); word {
		case "function_name":
			l.Function = p.ident("a label of a debug section")
			l.FunctionOffset = p.offset()
		case "inlined_at":
			at := p.locationAt(p.tok.pos)
			l.InlinedAt = at
		default:
			p.errorAt(p.last.pos, "expected function_name or inlined_at, found %s", word)
		}
	}
	if l.InlinedAt == nil && !p.failed {
		l.InlinedAt = p.inlinedComment(l.Pos)
	}
	return l
}

// inlinedAt introduces the position at which code was inlined, and byteAt the address of a byte.
const (
	inlinedAt = " inlined_at "
	byteAt    = " byte at "
)

// comment returns what follows words in a comment that directly follows the last token, in its
// line.
func (p *parser) comment(words string) string {
	line, _, _ := strings.Cut(p.lex.src[p.last.end:p.tok.start], "\n")
	_, text, _ := strings.Cut(line, "//"+words)
	return text
}

// inlinedComment reads "// inlined_at 1 24 3" after the last token. It returns nil if there is no
// such comment.
func (p *parser) inlinedComment(pos Pos) *Loc {
	text := p.comment(inlinedAt)
	l := &Loc{Pos: pos}
	if n, err := fmt.Sscanf(text, "%d %d %d", &l.File, &l.Line, &l.Col); n < 3 || err != nil {
		return nil
	}
	return l
}

func (p *parser) location() *Loc {
	pos := p.tok.pos
	p.advance()
	return p.locationAt(pos)
}

// locationAt reads file, line and column.
func (p *parser) locationAt(pos Pos) *Loc {
	return &Loc{
		Pos:  pos,
		File: p.smallInt("a file number"),
		Line: p.smallInt("a line number"),
		Col:  p.smallInt("a column number"),
	}
}

// maxRegs is how many registers one range may declare.
const maxRegs = 1 << 20

// regs reads ".reg .b32 %r<10>, a, b;": one Regs for each run of names with the same count.
func (p *parser) regs(to []Stmt) []Stmt {
	pos := p.tok.pos
	v := p.head(Var{Pos: pos})
	p.checkHead(v)
	switch {
	case p.failed:
		return to
	case v.Space != RegSpace || v.Ptr != nil || v.Attributes != nil || v.Align != 0 || !fundamental[v.Type]:
		p.errorAt(pos, "a register has a type and nothing else")
		return to
	}
	var cur *Regs
	from := len(to)
	for !p.failed {
		name := p.ident("a register name")
		count := 0
		if p.accept('<') {
			switch count = p.smallInt("a number of registers"); {
			case count == 0:
				p.errorAt(p.last.pos, "%s<0> declares no register", name)
			case count > maxRegs:
				p.errorAt(p.last.pos, "%s<%d> declares more registers than a function can use", name, count)
			}
			p.expect('>')
		}
		if cur == nil || cur.Count != count {
			cur = &Regs{Pos: pos, Type: v.Type, Vector: v.Vector, Count: count}
			to = append(to, cur)
		}
		cur.Names = append(cur.Names, name)
		if !p.accept(',') {
			p.expect(';')
			break
		}
	}
	if p.failed {
		return to[:from]
	}
	return to
}

// instr reads "@!%p1 op.mod.mod operand, operand;".
func (p *parser) instr() *Instr {
	in := &Instr{Pos: p.tok.pos}
	if p.accept('@') {
		g := &Guard{Not: p.accept('!')}
		g.Reg = p.ident("a predicate register")
		in.Guard = g
	}
	in.Op = p.ident("an instruction")
	for p.tok.kind == tokDot {
		in.Mods = append(in.Mods, p.tok.text)
		p.advance()
	}
	if p.failed || p.accept(';') {
		return in
	}
	in.Args = make([]Operand, 0, 3)
	for !p.failed {
		in.Args = append(in.Args, p.operand(in.Op == "call"))
		if !p.accept(',') {
			if !p.failed && !p.tok.is(';') {
				p.expected("',' or ';'")
			}
			p.expect(';')
			break
		}
	}
	in.unwrap()
	if in.Op == "atom" && !p.failed {
		in.Byte = strings.TrimSpace(p.comment(byteAt))
	}
	return in
}

// unwrap replaces the vector of one element by its element where ptxas takes one: in loads and
// stores without .v2 and .v4, as Triton writes them, and in mov of bits.
func (in *Instr) unwrap() {
	bits := len(in.Mods) == 1 && in.Mods[0][0] == 'b'
	for _, m := range in.Mods {
		if vectors[m] {
			return
		}
	}
	if in.Op != "ld" && in.Op != "ldu" && in.Op != "st" && !(in.Op == "mov" && bits) {
		return
	}
	for i, a := range in.Args {
		if v, ok := a.(Vec); ok && len(v) == 1 {
			in.Args[i] = v[0]
			return // mov has one vector at most
		}
	}
}

// vectors are the modifiers of an instruction on vectors.
var vectors = map[string]bool{"v2": true, "v4": true, "v8": true}
