package ptx

import "math"

// truth is the value of a comparison or a logical operator.
func truth(b bool) Int {
	if b {
		return Int{Bits: 1}
	}
	return Int{}
}

// fold evaluates a binary operator of a constant expression as ptxas does: integers in 64 bits,
// floating-point constants as doubles. The second result says what is wrong, or is "".
func fold(op string, x, y Operand) (Operand, string) {
	switch x := x.(type) {
	case Int:
		if y, ok := y.(Int); ok {
			return foldInt(op, x, y)
		}
	case Float:
		if y, ok := y.(Float); ok && !x.Single && !y.Single {
			return foldFloat(op, math.Float64frombits(x.Bits), math.Float64frombits(y.Bits))
		}
	}
	return nil, op + " takes two integers or two double precision constants"
}

// foldInt evaluates an operator of integers. The result is unsigned if an operand is, save that a
// shift has the signedness of what it shifts, a remainder is always taken of unsigned numbers, and
// a comparison or a logical operator gives a signed 0 or 1.
func foldInt(op string, a, b Int) (Operand, string) {
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
		r = Int{Bits: x << (y & 63), Unsigned: a.Unsigned}
	case ">>":
		r = Int{Bits: x >> (y & 63), Unsigned: a.Unsigned}
		if !a.Unsigned {
			r.Bits = uint64(int64(x) >> (y & 63))
		}
	case "/", "%":
		return divide(op, r, x, y)
	case "&&":
		return truth(x != 0 && y != 0), ""
	case "||":
		return truth(x != 0 || y != 0), ""
	default:
		if r.Unsigned {
			return compare(op, x, y), ""
		}
		return compare(op, int64(x), int64(y)), ""
	}
	return r, ""
}

// divide evaluates / and %. r has the signedness of the quotient.
func divide(op string, r Int, x, y uint64) (Operand, string) {
	switch {
	case y == 0:
		return nil, "constant expression divides by zero"
	case op == "%":
		r = Int{Bits: x % y, Unsigned: true}
	case r.Unsigned:
		r.Bits = x / y
	default:
		r.Bits = uint64(int64(x) / int64(y))
	}
	return r, ""
}

// foldFloat evaluates an operator of floating-point constants.
func foldFloat(op string, x, y float64) (Operand, string) {
	r := 0.0
	switch op {
	case "*":
		r = x * y
	case "/":
		r = x / y
	case "+":
		r = x + y
	case "-":
		r = x - y
	case "<", "<=", ">", ">=", "==", "!=":
		return compare(op, x, y), ""
	default:
		return nil, op + " takes integer constants"
	}
	return Float{Bits: math.Float64bits(r)}, ""
}

// compare evaluates a comparison.
func compare[T int64 | uint64 | float64](op string, x, y T) Int {
	switch op {
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	case ">=":
		return truth(x >= y)
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	}
	panic("BUG: unknown constant operator " + op)
}
