package ptx

import (
	"math"
	"strconv"
	"strings"
)

// warpSize is the value of PTX's one predefined constant, WARP_SZ.
var warpSize = Int{Bits: 32}

// startsExpr reports whether an identifier is the start of a constant expression.
func startsExpr(ident string) bool { return ident == "WARP_SZ" }

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
func (p *parser) expr() Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	pos := p.tok.pos
	x := p.binary(0)
	if !p.accept('?') {
		return x
	}
	a := p.constant()
	p.expect(':')
	b := p.constant()
	on, ok := x.(Int)
	switch {
	case !ok:
		p.errorAt(pos, "?: chooses by an integer constant")
		return nil
	case on.Bits != 0:
		return a
	}
	return b
}

// precedence is the precedence of an operator in C, or 0 if op is no operator.
func precedence(op string) int {
	switch op {
	case "*", "/", "%":
		return 10
	case "+", "-":
		return 9
	case "<<", ">>":
		return 8
	case "<", "<=", ">", ">=":
		return 7
	case "==", "!=":
		return 6
	case "&":
		return 5
	case "^":
		return 4
	case "|":
		return 3
	case "&&":
		return 2
	case "||":
		return 1
	}
	return 0
}

// operator returns the binary operator that is next, "" when there is none.
func (p *parser) operator() string {
	if p.tok.kind != tokPunct {
		return ""
	}
	if p.peek.kind == tokPunct && p.peek.start == p.tok.end {
		if two := p.tok.text + p.peek.text; precedence(two) > 0 {
			return two
		}
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
		y := p.binary(prec)
		if p.failed {
			return nil
		}
		v, wrong := fold(op, x, y)
		if wrong != "" {
			p.errorAt(pos, "%s", wrong)
			return nil
		}
		x = v
	}
	return nil
}

// unary reads a constant with its signs and casts, or a parenthesised expression.
func (p *parser) unary() Operand {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	switch {
	case p.tok.kind == tokNumber:
		return p.number()
	case p.tok.kind == tokIdent && startsExpr(p.tok.text):
		p.advance()
		return warpSize
	case p.accept('-'):
		t := p.tok
		return p.negate(t, p.unary())
	case p.accept('+'):
		return p.unary()
	case p.accept('~'):
		if n, ok := p.unary().(Int); ok {
			return Int{Bits: ^n.Bits, Unsigned: true}
		}
		p.errorAt(p.last.pos, "~ applies to an integer constant")
	case p.accept('!'):
		if n, ok := p.unary().(Int); ok {
			return truth(n.Bits == 0)
		}
		p.errorAt(p.last.pos, "! applies to an integer constant")
	case p.tok.is('(') && p.peek.kind == tokDot:
		return p.cast()
	case p.accept('('):
		x := p.expr()
		p.expect(')')
		return x
	default:
		p.expected("an operand")
	}
	return nil
}

// cast reads "(.s64)x" or "(.u64)x".
func (p *parser) cast() Operand {
	p.advance()
	t := Type(p.tok.text)
	if t != S64 && t != U64 {
		p.errorAt(p.tok.pos, "a constant is cast to .s64 or .u64, not to .%s", t)
		return nil
	}
	p.advance()
	p.expect(')')
	n, ok := p.unary().(Int)
	if !ok {
		p.errorAt(p.last.pos, "a cast applies to an integer constant")
		return nil
	}
	n.Unsigned = t == U64
	return n
}

// negate returns -x. t is the token x starts with.
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
