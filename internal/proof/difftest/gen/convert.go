package gen

import "fmt"

// convert is a conversion to t of what value prints for type s, whatever the two scalar types are.
//
// Go leaves the conversion of a float outside the integer's range to the implementation, so the
// helper fit goes before it. A bool has no conversion: the helper b2i replaces it.
func (g *gen) convert(t, s *typ, value func(*typ) string) string {
	switch {
	case t.param && s.float() && t.integer(): // no limits are known that fit every type of the constraint
		return fmt.Sprintf("%s(%s)", t.name, g.truncate(tInt32, s, value(s)))
	case t.kind == kBool:
		return fmt.Sprintf("%s(%s != %s)", boolConv(t), value(s), g.literal(s))
	}
	e := value(s)
	switch {
	case s.kind == kBool:
		e = fmt.Sprintf("%s(%s)", g.helper("b2i"), as(tBool, s, e))
	case s.float() && t.integer():
		return g.truncate(t, s, e)
	}
	if t.is(tInt) && s.kind == kBool {
		return e
	}
	return fmt.Sprintf("%s(%s)", t.name, e)
}

// truncate converts the float expression e of type s to the integer type t.
func (g *gen) truncate(t, s *typ, e string) string {
	bits := s.bits
	if s.param {
		e, bits, s = fmt.Sprintf("float64(%s)", e), 64, tFloat64
	}
	lo, hi := limits(t, bits)
	if s.base != s { // fit's type argument is inferred from a float32 or float64
		e = fmt.Sprintf("%s(%s)", s.base.name, e)
	}
	return fmt.Sprintf("%s(%s(%s, %s, %s))", t.name, g.helper("fit"), e, lo, hi)
}

// limits are the least and greatest values of a float of that many bits which convert to t. They
// are exact in it.
func limits(t *typ, bits int) (lo, hi string) {
	narrow := bits == 32
	switch {
	case t.kind == kInt && t.bits == 64 && narrow:
		return "-9223372036854775808", "9223371487098961920"
	case t.kind == kInt && t.bits == 64:
		return "-9223372036854775808", "9223372036854774784"
	case t.kind == kInt && t.bits == 32 && narrow:
		return "-2147483648", "2147483520"
	case t.kind == kInt:
		return fmt.Sprint(int64(-1) << (t.bits - 1)), fmt.Sprint(int64(1)<<(t.bits-1) - 1)
	case t.bits == 64 && narrow:
		return "-0.5", "18446742974197923840"
	case t.bits == 64:
		return "-0.5", "18446744073709549568"
	case t.bits == 32 && narrow:
		return "-0.5", "4294967040"
	}
	return "-0.5", fmt.Sprint(uint64(1)<<t.bits - 1)
}

// helpers are the functions that programs call to stay within what Go defines. The order is the
// order of printing.
var helpers = []struct{ name, text string }{
	{"b2i", `func b2iø(b bool) int {
	if b {
		return 1
	}
	return 0
}`},
	// fit makes a float convertible to an integer type whose limits are lo and hi: values outside,
	// and NaN, become 0.
	{"fit", `func fitø[T float32 | float64](x, lo, hi T) T {
	if x >= lo && x <= hi {
		return x
	}
	return 0
}`},
	// Go says nothing about which NaN an operation makes, so its bits and its sign never decide
	// anything.
	{"bits32", `func bits32ø(x float32) uint32 {
	if x != x {
		return 1
	}
	return math.Float32bits(x)
}`},
	{"bits64", `func bits64ø(x float64) uint64 {
	if x != x {
		return 1
	}
	return math.Float64bits(x)
}`},
	// seq is a function to range over.
	{"seq", `func seqø(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}`},
	{"warpSum", `func warpSumø[T gpu.Word](x T) T {
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		x += gpu.ShflDownSync(gpu.FullMask, x, d)
	}
	return x
}`},
	// add128 adds to a number of 16 bytes that other threads add to.
	{"add128", `func add128ø(addr *gpu.Uint64x2, x gpu.Uint64x2) {
	var seen gpu.Uint64x2
	for {
		old := seen
		if seen = gpu.AtomicCAS128(addr, old, gpu.Uint64x2{old.X + x.X, old.Y ^ x.Y}); seen == old {
			return
		}
	}
}`},
	{"fused", `func fusedø[H gpu.Half[H]](x, y H) H {
	if x.Less(y) {
		x = y.Neg()
	}
	return x.FMA(y, x).Max(x.Add(y))
}`},
	{"number", `func numberø[T float32 | float64](x T) T {
	if x != x {
		return 1
	}
	return x
}`},
}

// helper is the name of a helper function, noted as used.
func (g *gen) helper(name string) string {
	g.helpers[name] = true
	return name + "ø"
}
