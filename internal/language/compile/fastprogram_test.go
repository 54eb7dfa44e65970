package compile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A term is a random expression over floating-point numbers: a kernel's source can be made of it,
// and the host can compute it, exactly or as an interval.
type term struct {
	op   string // "var", "const", "neg", "+", "-", "*", "/", "sqrt", "min", "max", "pick", "exp"
	args []*term
	name string  // of a variable
	c    float64 // a constant
	conv bool    // the result is converted explicitly
}

// randomTerm makes a term of at most a depth.
func randomTerm(r *rand.Rand, depth int, names []string) *term {
	if depth == 0 || r.IntN(8) == 0 {
		if r.IntN(4) == 0 {
			return &term{op: "const", c: []float64{0.5, 3, -1.25, 10, 0.3125, 1}[r.IntN(6)]}
		}
		return &term{op: "var", name: names[r.IntN(len(names))]}
	}
	ops := []string{"+", "-", "*", "+", "-", "*", "*", "/", "neg", "sqrt", "min", "max", "pick", "exp"}
	t := &term{op: ops[r.IntN(len(ops))]}
	n := map[string]int{"neg": 1, "sqrt": 1, "exp": 1, "pick": 4}[t.op]
	if n == 0 {
		n = 2
	}
	for range n {
		t.args = append(t.args, randomTerm(r, depth-1, names))
	}
	if t.args[0].op == "const" { // no expression of constants, which Go computes itself
		t.args[0] = &term{op: "var", name: names[0]}
	}
	t.conv = len(t.op) == 1 && r.IntN(6) == 0
	return t
}

// text is the term in Go, of numbers of type typ.
func (t *term) text(typ string) string {
	var args []any
	for _, a := range t.args {
		args = append(args, a.text(typ))
	}
	switch t.op {
	case "var":
		return t.name
	case "const":
		return fmt.Sprintf("%s(%g)", typ, t.c)
	case "neg":
		return fmt.Sprintf("(-%s)", args...)
	case "sqrt":
		return fmt.Sprintf("gpu.Sqrt(gpu.Abs(%s))", args...)
	case "exp":
		return fmt.Sprintf("gpu.Exp(%s)", args...)
	case "min", "max":
		return fmt.Sprintf(t.op+"(%s, %s)", args...)
	case "pick":
		return fmt.Sprintf("pick(%s, %s, %s, %s)", args...)
	}
	s := fmt.Sprintf("(%s "+t.op+" %s)", args...)
	if t.conv {
		s = typ + s
	}
	return s
}

// A spread is an interval that a number is in. It is nothing where the number may be any.
type spread struct{ low, high float64 }

var nothing = spread{math.Inf(-1), math.Inf(1)}

func hull(x ...float64) spread {
	s := spread{x[0], x[0]}
	for _, y := range x {
		s.low, s.high = min(s.low, y), max(s.high, y)
	}
	return s
}

// wider is s with a relative error of its ends, and what a flushed number is off by.
func (s spread) wider(by float64) spread {
	s.low -= math.Abs(s.low)*by + 0x1p-120
	s.high += math.Abs(s.high)*by + 0x1p-120
	if !(s.low > -1e15 && s.high < 1e15) { // beyond, reciprocals may be subnormal
		return nothing
	}
	return s
}

// arithmetic is the errors of a type's operations, relative to the result.
type arithmetic struct {
	round    float64 // of a rounded operation, and of the host's computation of its ends
	quotient float64
	root     float64
	exp      func(x float64) float64
}

var (
	// A quotient of float32 is a product of two numbers, the reciprocal within 2^-23, and so is one
	// with a root. An exact operation is within these errors.
	fast32Errors = arithmetic{0x1p-23, 0x1.8p-23 + 0x1p-40, 0x1p-21, func(x float64) float64 { return (2 + 1.18*math.Abs(x)) * 0x1p-23 }}
	fast64Errors = arithmetic{0x1p-51, 0x1p-51, 0x1p-51, func(float64) float64 { return 0x1p-50 }}
)

// spread is the numbers that a fast kernel may compute: each sum and product is rounded, or is not as it is fused.
func (t *term) spread(a *arithmetic, vars map[string]spread) spread {
	var x [4]spread
	for i, arg := range t.args {
		if x[i] = arg.spread(a, vars); x[i] == nothing {
			return nothing
		}
	}
	switch t.op {
	case "var":
		return vars[t.name]
	case "const":
		return spread{t.c, t.c}
	case "neg":
		return spread{-x[0].high, -x[0].low}
	case "+":
		return spread{x[0].low + x[1].low, x[0].high + x[1].high}.wider(a.round)
	case "-":
		return spread{x[0].low - x[1].high, x[0].high - x[1].low}.wider(a.round)
	case "*":
		return hull(x[0].low*x[1].low, x[0].low*x[1].high, x[0].high*x[1].low, x[0].high*x[1].high).wider(a.round)
	case "/":
		if x[1].low < 1e-15 && x[1].high > -1e-15 {
			return nothing
		}
		// Of a root, the quotient is a product with a root's reciprocal.
		return hull(x[0].low/x[1].low, x[0].low/x[1].high, x[0].high/x[1].low, x[0].high/x[1].high).wider(a.quotient + a.root)
	case "sqrt":
		least := 0.0
		if x[0].low > 0 || x[0].high < 0 {
			least = min(math.Abs(x[0].low), math.Abs(x[0].high))
		}
		return spread{math.Sqrt(least), math.Sqrt(max(math.Abs(x[0].low), math.Abs(x[0].high)))}.wider(a.root)
	case "exp":
		if x[0].low < -30 {
			return nothing
		}
		return spread{math.Exp(x[0].low), math.Exp(x[0].high)}.wider(a.exp(max(math.Abs(x[0].low), math.Abs(x[0].high))))
	case "min":
		return spread{min(x[0].low, x[1].low), min(x[0].high, x[1].high)}
	case "max":
		return spread{max(x[0].low, x[1].low), max(x[0].high, x[1].high)}
	}
	switch { // pick
	case x[0].high < x[1].low:
		return x[2]
	case x[0].low >= x[1].high:
		return x[3]
	}
	return hull(x[2].low, x[2].high, x[3].low, x[3].high)
}
