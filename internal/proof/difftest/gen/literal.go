package gen

import (
	"fmt"
	"math"
	"strconv"
)

// literal is a constant of t, printed so that it has no other type in the contexts it is used in:
// an untyped constant that t represents, parenthesised if negative. A type parameter's literals are
// representable by every type of its constraint.
func (g *gen) literal(t *typ) string {
	switch t.kind {
	case kBool:
		return pick(g, "true", "false")
	case kFloat:
		return g.floatLiteral(t)
	case kInt:
		return parens(strconv.FormatInt(g.intValue(t), 10))
	case kUint:
		return strconv.FormatUint(g.uintValue(t), 10)
	}
	panic("BUG: literal of " + t.name)
}

func (g *gen) intValue(t *typ) int64 {
	lo, hi := int64(-1)<<(t.bits-1), int64(1)<<(t.bits-1)-1
	if t.param {
		return g.r.Int64N(101)
	}
	switch g.r.IntN(10) {
	case 0:
		return lo + g.r.Int64N(3)
	case 1:
		return hi - g.r.Int64N(3)
	case 2:
		return min(max(g.r.Int64(), lo), hi)
	case 3:
		return int64(1) << g.r.IntN(t.bits-1)
	case 4:
		return -(int64(1) << g.r.IntN(t.bits-1))
	}
	return g.r.Int64N(25) - 8
}

func (g *gen) uintValue(t *typ) uint64 {
	hi := uint64(1)<<(t.bits-1)<<1 - 1
	if t.param {
		return g.r.Uint64N(101)
	}
	switch g.r.IntN(10) {
	case 0:
		return hi - g.r.Uint64N(3)
	case 1:
		return hi>>1 + g.r.Uint64N(3)
	case 2:
		return g.r.Uint64() & hi
	case 3:
		return uint64(1) << g.r.IntN(t.bits)
	}
	return g.r.Uint64N(20)
}

func (g *gen) floatLiteral(t *typ) string {
	if t.param {
		return pick(g, "1", "2", "0.5", "3", "(-1)", "0.25", "10", "(-7)")
	}
	switch g.r.IntN(8) {
	case 0:
		return pick(g, "1e-40", "1e-45", "3.4e38", "(-1e30)", "1.1754944e-38")
	case 1:
		if t.bits == 64 {
			return pick(g, "5e-324", "1.7e308", "(-1e300)", "2.2250738585072014e-308", "1e-310")
		}
		return pick(g, "16777217", "(-8388608.5)")
	case 2:
		return parens(strconv.FormatFloat(math.Trunc(g.r.NormFloat64()*1e6), 'g', -1, 64))
	case 3:
		return pick(g, "2147483648", "4294967296", "9223372036854775808", "(-2147483648)", "255", "127", "0.99999994")
	}
	return parens(strconv.FormatFloat(math.Trunc(g.r.NormFloat64()*64)/8, 'g', -1, 64))
}

// typed is a literal with its type: T(5).
func (g *gen) typed(t *typ) string { return fmt.Sprintf("%s(%s)", t.name, g.literal(t)) }

func parens(s string) string {
	if s[0] == '-' {
		return "(" + s + ")"
	}
	return s
}

func pick[T any](g *gen, list ...T) T { return list[g.r.IntN(len(list))] }

// chance is true in percent of the cases.
func (g *gen) chance(percent int) bool { return g.r.IntN(100) < percent }

// weighted returns an index, each with a probability in proportion to its weight.
func (g *gen) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	x := g.r.IntN(sum)
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	panic("BUG: weighted")
}
