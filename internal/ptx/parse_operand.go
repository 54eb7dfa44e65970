package ptx

// operand reads one operand. In a call a parenthesis opens a list, elsewhere a constant expression.
func (p *parser) operand(call bool) Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	switch {
	case p.tok.kind == tokIdent && !startsExpr(p.tok.text):
		return p.pair(p.symbol(), call)
	case p.tok.is('['):
		return p.addr()
	case p.tok.is('{'):
		p.advance()
		p.braces++
		v := Vec(p.operands('}', call))
		if !p.failed {
			p.braces--
		}
		return v
	case p.tok.is('(') && call:
		p.advance()
		return List(p.operands(')', call))
	case p.tok.is('-') && p.peek.kind == tokIdent && !startsExpr(p.peek.text):
		p.advance()
		reg, ok := p.symbol().(Name)
		if !ok {
			p.errorAt(p.last.pos, "only a register can be negated")
		}
		return Neg{Reg: string(reg)}
	case p.tok.is('!') && p.peek.kind == tokIdent && !startsExpr(p.peek.text):
		p.advance()
		return Not{Reg: p.ident("a predicate register")}
	}
	return p.expr()
}

// operands reads operands up to the closing punctuation.
func (p *parser) operands(end byte, call bool) []Operand {
	list := []Operand{}
	if p.accept(end) {
		return list
	}
	for !p.failed {
		list = append(list, p.operand(call))
		if !p.accept(',') {
			p.expect(end)
			break
		}
	}
	return list
}

// pair reads the rest of "p|q" when a bar follows.
func (p *parser) pair(first Operand, call bool) Operand {
	if p.failed || !p.accept('|') {
		return first
	}
	if p.tok.kind != tokIdent {
		p.expected("a register after '|'")
		return nil
	}
	return Pair{First: p.noElement(first), Second: p.noElement(p.symbol())}
}

// noElement refuses the element of an array if o is one.
func (p *parser) noElement(o Operand) Operand {
	if _, ok := o.(element); ok {
		p.errorAt(p.last.pos, "an element of an array is not allowed here")
	}
	return o
}

// symbol reads a name, the component of a special or vector register if one follows (%tid.x), and
// an offset or an index if one follows.
func (p *parser) symbol() Operand {
	name := p.tok.text
	end := p.tok.end
	p.advance()
	for p.tok.kind == tokDot && p.tok.start == end {
		name += "." + p.tok.text
		end = p.tok.end
		p.advance()
	}
	if p.accept('[') {
		index := p.constant()
		p.expect(']')
		p.indexed = true
		return element{name, int64(index.Bits)}
	}
	if !p.tok.is('+') && !p.tok.is('-') {
		return Name(name)
	}
	return Offset{Name: name, Offset: p.offset()}
}

// offset reads "+4", "-4", "+-4" or nothing.
func (p *parser) offset() int64 {
	neg := false
	switch {
	case p.accept('-'):
		neg = true
	case p.accept('+'):
	default:
		return 0
	}
	pos := p.tok.pos
	n, ok := p.expr().(Int)
	if !ok {
		p.errorAt(pos, "an offset is an integer constant")
		return 0
	}
	if neg {
		return -int64(n.Bits)
	}
	return int64(n.Bits)
}

// addr reads "[%rd1+16]", or "[tex, {%f1}]".
func (p *parser) addr() Operand {
	p.advance()
	var a Addr
	if p.tok.kind == tokIdent && !startsExpr(p.tok.text) {
		switch s := p.symbol().(type) {
		case Offset:
			a = Addr{Base: Name(s.Name), Offset: s.Offset}
		case Name:
			a = Addr{Base: s}
		default:
			p.errorAt(p.last.pos, "write an element of an array without brackets: cache[2], not [cache[2]]")
		}
	} else {
		a = Addr{Base: p.constant()}
	}
	if name, ok := a.Base.(Name); ok && a.Offset == 0 && p.accept(',') {
		return Texel(append([]Operand{name}, p.operands(']', false)...))
	}
	p.expect(']')
	return a
}
