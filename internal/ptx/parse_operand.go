package ptx

import (
	"math"
	"strconv"
	"strings"
)

// operand reads one operand. In a call a parenthesis opens a list, elsewhere a constant expression.
func (p *parser) operand(call bool) Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	switch {
	case p.tok.kind == tokIdent:
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
	case p.tok.is('!'):
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
	return Pair{First: first, Second: p.symbol()}
}

// symbol reads a name, with the component of a special or vector register (%tid.x), and an offset
// where one follows.
func (p *parser) symbol() Operand {
	name := p.tok.text
	end := p.tok.end
	p.advance()
	for p.tok.kind == tokDot && p.tok.start == end {
		name += "." + p.tok.text
		end = p.tok.end
		p.advance()
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
	n, ok := p.binary(0).(Int)
	if !ok {
		p.errorAt(pos, "an offset is an integer constant")
		return 0
	}
	if neg {
		return -int64(n.Bits)
	}
	return int64(n.Bits)
}

// addr reads "[%rd1+16]".
func (p *parser) addr() Operand {
	p.advance()
	var a Addr
	if p.tok.kind == tokIdent {
		switch s := p.symbol().(type) {
		case Offset:
			a = Addr{Base: Name(s.Name), Offset: s.Offset}
		case Name:
			a = Addr{Base: s}
		}
	} else {
		a = Addr{Base: p.constant()}
	}
	if p.tok.is(',') {
		p.errorAt(p.tok.pos, "texture and tensor addresses are not supported")
	}
	p.expect(']')
	return a
}

// constant reads an integer constant expression.
func (p *parser) constant() Int {
	pos := p.tok.pos
	n, ok := p.expr().(Int)
	if !ok {
		p.errorAt(pos, "expected an integer constant")
	}
	return n
}

// expr reads a constant expression: an Int or a Float.
func (p *parser) expr() Operand { return p.binary(0) }

// precedence is that of C; 0 is no operator.
func precedence(op string) int {
	switch op {
	case "*", "/", "%":
		return 6
	case "+", "-":
		return 5
	case "<<", ">>":
		return 4
	case "&":
		return 3
	case "^":
		return 2
	case "|":
		return 1
	}
	return 0
}

// operator returns the binary operator that is next, "" when there is none.
func (p *parser) operator() string {
	if p.tok.kind != tokPunct {
		return ""
	}
	if (p.tok.is('<') && p.peek.is('<') || p.tok.is('>') && p.peek.is('>')) && p.peek.start == p.tok.end {
		return p.tok.text + p.peek.text
	}
	return p.tok.text
}

// binary reads operands joined by operators that bind tighter than min.
func (p *parser) binary(min int) Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	x := p.unary()
	for !p.failed {
		pos, op := p.tok.pos, p.operator()
		prec := precedence(op)
		if prec <= min {
			return x
		}
		for range op {
			p.advance()
		}
		a, okA := x.(Int)
		b, okB := p.binary(prec).(Int)
		if p.failed {
			return nil
		}
		if !okA || !okB {
			p.errorAt(pos, "constant expressions are of integers")
			return nil
		}
		v, ok := fold(op, a, b)
		if !ok {
			p.errorAt(pos, "constant expression divides by zero")
			return nil
		}
		x = v
	}
	return nil
}

// fold evaluates an operator as PTX does: in 64 bits, unsigned if an operand is.
func fold(op string, a, b Int) (Int, bool) {
	r := Int{Unsigned: a.Unsigned || b.Unsigned}
	x, y := a.Bits, b.Bits
	switch op {
	case "*":
		r.Bits = x * y
	case "+":
		r.Bits = x + y
	case "-":
		r.Bits = x - y
	case "&":
		r.Bits = x & y
	case "^":
		r.Bits = x ^ y
	case "|":
		r.Bits = x | y
	case "<<":
		r = Int{Bits: x << y, Unsigned: a.Unsigned}
	case ">>":
		r = Int{Bits: x >> y, Unsigned: true}
		if !a.Unsigned {
			r = Int{Bits: uint64(int64(x) >> y)}
		}
	case "/", "%":
		return divide(op, r, x, y)
	default:
		panic("BUG: unknown constant operator " + op)
	}
	return r, true
}

// divide evaluates / and %, and reports whether it could.
func divide(op string, r Int, x, y uint64) (Int, bool) {
	switch {
	case y == 0:
		return r, false
	case r.Unsigned && op == "/":
		r.Bits = x / y
	case r.Unsigned:
		r.Bits = x % y
	case op == "/":
		r.Bits = uint64(int64(x) / int64(y))
	default:
		r.Bits = uint64(int64(x) % int64(y))
	}
	return r, true
}

// unary reads a constant with its signs, or a parenthesised expression.
func (p *parser) unary() Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	switch {
	case p.tok.kind == tokNumber:
		return p.number()
	case p.accept('-'):
		t := p.tok
		return p.negate(t, p.unary())
	case p.accept('+'):
		return p.unary()
	case p.accept('~'):
		if n, ok := p.unary().(Int); ok {
			return Int{Bits: ^n.Bits, Unsigned: n.Unsigned}
		}
		p.errorAt(p.last.pos, "~ applies to an integer constant")
	case p.accept('('):
		x := p.expr()
		p.expect(')')
		return x
	default:
		p.expected("an operand")
	}
	return nil
}

// negate returns -x; t is the token x starts with.
func (p *parser) negate(t token, x Operand) Operand {
	switch x := x.(type) {
	case Int:
		n := Int{Bits: -x.Bits, Unsigned: x.Unsigned}
		if x.Bits == 1<<63 && t.kind == tokNumber && !strings.HasSuffix(t.text, "U") {
			n.Unsigned = false // the smallest s64 is written as minus a number above the largest
		}
		return n
	case Float:
		if x.Single {
			return Float{Bits: x.Bits ^ 1<<31, Single: true}
		}
		return Float{Bits: x.Bits ^ 1<<63}
	}
	return nil
}

// number reads an integer or floating-point constant.
func (p *parser) number() Operand {
	t := p.tok
	p.advance()
	s := t.text
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'f', 'F':
			if bits, err := strconv.ParseUint(s[2:], 16, 32); err == nil && len(s) == 10 {
				return Float{Bits: bits, Single: true}
			}
			p.errorAt(t.pos, "%s is not a single precision constant: 0f and 8 hexadecimal digits", s)
			return nil
		case 'd', 'D':
			if bits, err := strconv.ParseUint(s[2:], 16, 64); err == nil && len(s) == 18 {
				return Float{Bits: bits}
			}
			p.errorAt(t.pos, "%s is not a double precision constant: 0d and 16 hexadecimal digits", s)
			return nil
		}
	}
	if n, ok := parseInt(s); ok {
		return n
	}
	f, err := strconv.ParseFloat(s, 64)
	if err == nil && strings.ContainsAny(s, ".eE") && !strings.ContainsAny(s, "xX_") {
		return Float{Bits: math.Float64bits(f)}
	}
	p.errorAt(t.pos, "%s is not a number", s)
	return nil
}

// parseInt reads an integer constant: decimal, 0x, 0b or octal, with an optional U.
func parseInt(s string) (Int, bool) {
	digits := strings.TrimSuffix(s, "U")
	base := 10
	body := digits
	if len(digits) > 1 && digits[0] == '0' {
		switch digits[1] {
		case 'x', 'X':
			base, body = 16, digits[2:]
		case 'b', 'B':
			base, body = 2, digits[2:]
		default:
			base, body = 8, digits[1:]
		}
	}
	bits, err := strconv.ParseUint(body, base, 64)
	if err != nil {
		return Int{}, false
	}
	return Int{Bits: bits, Unsigned: len(digits) < len(s) || bits > math.MaxInt64}, true
}
