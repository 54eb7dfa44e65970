package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// callOr is a call of a pure function with the single result t, or a leaf if no function fits.
func (g *gen) callOr(t *typ, d int) string {
	var list []*function
	for _, f := range g.callable() {
		if f.pure && !f.maker && len(f.results) == 1 && f.returns(t) && g.fits(f) && !(g.cur.literal && f.takesFunc()) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return g.leaf(t)
	}
	f := pick(g, list...)
	var arg *typ
	if f.generic != nil {
		arg = g.instance(f)
		if f.results[0].mentions() {
			arg = f.inferFrom(f.results[0], t)
		}
	}
	if !g.canPass(f, arg) {
		return g.leaf(t)
	}
	return g.call(f, arg, d-1)
}

// returns reports whether the single result of f can be t.
func (f *function) returns(t *typ) bool {
	r := f.results[0]
	if r.mentions() {
		return f.inferFrom(r, t) != nil
	}
	return r.is(t)
}

// inferFrom is the type argument that makes r the type t, nil if there is none.
func (f *function) inferFrom(r, t *typ) *typ {
	switch {
	case r.param:
		for _, a := range f.generic {
			if a.is(t) {
				return a
			}
		}
	case r.kind == kArray && t.kind == kArray && r.n == t.n:
		return f.inferFrom(r.elem, t.elem)
	}
	return nil
}

func (g *gen) instance(f *function) *typ { return pick(g, f.generic...) }

// fits reports whether a call here keeps the program's running time and its size, every call
// inlined, within limits.
func (g *gen) fits(f *function) bool {
	return g.cur.cost+g.cur.trips*f.cost < maxCost && g.cur.fn.size+f.size < maxSize &&
		g.cur.fn.instrs+f.instrs <= g.cur.maxInstrs() && !(g.noFail && f.fails)
}

// call prints a call of f, with the type argument arg if it is generic.
func (g *gen) call(f *function, arg *typ, d int) string {
	g.cur.cost += g.cur.trips * f.cost
	g.cur.fn.size += f.size
	g.cur.fn.instrs += f.instrs
	if f.fails {
		g.fails++
	}
	var args []string
	for _, p := range f.params {
		if p.variadic {
			args = append(args, g.variadic(p.t.subst(arg), d)...)
			continue
		}
		args = append(args, g.argument(p, p.t.subst(arg), d))
	}
	name := f.name
	if f.method {
		recv := args[0]
		if p := f.params[0]; p.t.kind == kPointer {
			recv = fmt.Sprintf("(%s)", recv)
			if strings.HasPrefix(args[0], "&") && g.chance(50) {
				recv = args[0][1:] // Go takes the address itself
			}
		} else if dot := strings.LastIndexByte(recv, '.'); dot > 0 && recv[dot+1:] == p.t.name && g.chance(60) {
			recv = recv[:dot] // the method is promoted
		} else if g.chance(15) {
			return fmt.Sprintf("%s.%s(%s)", p.t.name, name, strings.Join(args, ", "))
		}
		return fmt.Sprintf("%s.%s(%s)", recv, name, strings.Join(args[1:], ", "))
	}
	if arg != nil {
		name = fmt.Sprintf("%s[%s]", name, arg.name)
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
}

// argument is an argument for parameter p of type t.
func (g *gen) argument(p *variable, t *typ, d int) string {
	switch t.kind {
	case kPointer:
		if s, ok := g.read(t); ok && g.chance(40) {
			return s
		}
		s, _ := g.place(t.elem, true)
		return "&" + s
	case kSlice:
		return g.sliceExpr(t, !p.frozen)
	case kFunc:
		return g.funcArgument(t)
	case kStruct:
		if t.holds {
			return g.must(t)
		}
	}
	return g.expr(t, min(d, 2))
}

// variadic is the arguments for a variadic parameter: some, none, or a slice and three dots.
func (g *gen) variadic(t *typ, d int) (args []string) {
	if len(g.slices(t, false)) > 0 && g.chance(30) {
		return []string{g.sliceExpr(t, false) + "..."}
	}
	for range g.r.IntN(4) {
		args = append(args, g.operand(t.elem, min(d, 1)))
	}
	return args
}

// funcArgument is a function for a parameter of type t: one that has a name, or a literal of one
// line.
func (g *gen) funcArgument(t *typ) string {
	for _, f := range g.cur.funcs {
		if f.pure && !f.fails && f.cost < 20 && len(f.params) == 1 && len(f.results) == 1 && funcOf(f.params[0].t, f.results[0]).is(t) && g.chance(60) {
			return f.name
		}
	}
	outer := g.cur
	inner := *outer
	g.cur = &inner
	inner.scopes = append(outer.scopes[:len(outer.scopes):len(outer.scopes)], nil)
	inner.pure, inner.frozen, inner.literal = true, len(outer.scopes), true
	old := g.noFail
	g.noFail = true
	q := g.name("q")
	g.declare(q, t.params[0])
	text := fmt.Sprintf("func(%s %s) %s { return %s }", q, t.params[0].name, t.elem.name, g.expr(t.elem, 2))
	g.noFail = old
	g.cur = outer
	outer.cost += inner.cost - outer.cost
	return text
}

func (f *function) takesFunc() bool {
	return slices.ContainsFunc(f.params, func(p *variable) bool { return p.t.kind == kFunc })
}

// canPass reports whether the arguments of f, with the type argument arg, can be had in this scope.
func (g *gen) canPass(f *function, arg *typ) bool {
	for _, p := range f.params {
		t := p.t.subst(arg)
		if p.variadic || t.kind == kFunc {
			continue
		}
		if t.holds && len(g.visible(func(v *variable) bool { return v.t.is(t) })) == 0 {
			return false
		}
		if t.kind == kPointer && len(g.places(t.elem, true)) == 0 || t.kind == kSlice && len(g.slices(t, !p.frozen)) == 0 {
			return false
		}
	}
	return true
}

func (g *gen) minmax(t *typ, d int) string {
	args := []string{g.expr(t, d-1), g.operand(t, d-1)}
	if g.chance(20) {
		args = append(args, g.operand(t, d-1))
	}
	g.r.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	return fmt.Sprintf("%s(%s)", pick(g, "min", "max"), strings.Join(args, ", "))
}

// length is len or cap of a slice, converted to t.
func (g *gen) length(t *typ) string {
	list := g.visible(func(v *variable) bool { return v.t.kind == kSlice })
	if len(list) == 0 || t.param {
		return g.leaf(t)
	}
	v := g.recent(list)
	e := fmt.Sprintf("%s(%s)", pick(g, "len", "len", "cap"), v.name)
	if !t.is(tInt) {
		e = fmt.Sprintf("%s(%s)", t.name, e)
	}
	return e
}

// as converts e of type from to t, if they differ.
func as(t, from *typ, e string) string {
	if t.is(from) {
		return e
	}
	return fmt.Sprintf("%s(%s)", t.name, e)
}

// bitsCall is a function of math/bits or the bits of a float.
func (g *gen) bitsCall(t *typ, d int) string {
	if t.param {
		return g.leaf(t)
	}
	if g.chance(15) {
		if g.chance(50) {
			return as(t, tUint32, fmt.Sprintf("%s(%s)", g.helper("bits32"), g.expr(tFloat32, d-1)))
		}
		return as(t, tUint64, fmt.Sprintf("%s(%s)", g.helper("bits64"), g.expr(tFloat64, d-1)))
	}
	arg := pick(g, tUint8, tUint16, tUint32, tUint64, tUint)
	suffix := strings.TrimPrefix(arg.name, "uint")
	x := g.expr(arg, d-1)
	switch g.weighted(3, 3, 3, 3, 3, 2, 2, 2, 1, 1) {
	case 8:
		if arg == tUint8 || arg == tUint16 {
			break
		}
		return as(t, arg, fmt.Sprintf("bits.Rem%s(%s, %s, (%s | 1))", suffix, g.expr(arg, d-1), x, g.expr(arg, d-1)))
	case 9:
		f := pick(g, tFloat32, tFloat64)
		y := func() string { return g.expr(f, d-1) }
		return as(t, tInt, g.floatingPoint(f, y, func(in abi.Intrinsic) bool { return in.ResultType() == "int" }))
	case 7:
		s := g.ofKind(func(t *typ) bool { return t.kind != kBool && !t.param })
		return as(t, tInt, fmt.Sprintf("cmp.Compare(%s, %s)", g.expr(s, d-1), g.expr(s, d-1)))
	case 0:
		return as(t, tInt, fmt.Sprintf("bits.OnesCount%s(%s)", suffix, x))
	case 1:
		return as(t, tInt, fmt.Sprintf("bits.LeadingZeros%s(%s)", suffix, x))
	case 2:
		return as(t, tInt, fmt.Sprintf("bits.TrailingZeros%s(%s)", suffix, x))
	case 3:
		return as(t, arg, fmt.Sprintf("bits.Reverse%s(%s)", suffix, x))
	case 4:
		return as(t, arg, fmt.Sprintf("bits.RotateLeft%s(%s, %s)", suffix, x, g.operand(tInt, d-1)))
	case 5:
		return as(t, tInt, fmt.Sprintf("bits.Len%s(%s)", suffix, x))
	}
	if arg == tUint8 {
		return as(t, tInt, fmt.Sprintf("bits.OnesCount8(%s)", x))
	}
	return as(t, arg, fmt.Sprintf("bits.ReverseBytes%s(%s)", suffix, x))
}

// bitsPair is a function of math/bits with two results of one type.
func (g *gen) bitsPair() (call string, first, second *typ) {
	t := pick(g, tUint32, tUint64, tUint)
	suffix := strings.TrimPrefix(t.name, "uint")
	x, y := g.expr(t, 1), g.operand(t, 1)
	switch g.r.IntN(4) {
	case 3:
		return g.bitsDivision(suffix, x, y, t), t, t
	case 0:
		return fmt.Sprintf("bits.Mul%s(%s, %s)", suffix, x, y), t, t
	case 1:
		return fmt.Sprintf("bits.Add%s(%s, %s, (%s & 1))", suffix, x, y, g.expr(t, 1)), t, t
	}
	return fmt.Sprintf("bits.Sub%s(%s, %s, (%s & 1))", suffix, x, y, g.expr(t, 1)), t, t
}

// bitsDivision is a division of math/bits. The divisor is above the high half, so that it does not
// fail, with some exceptions.
func (g *gen) bitsDivision(suffix, x, y string, t *typ) string {
	hi := fmt.Sprintf("(%s & 31)", g.expr(t, 1))
	if g.mayFail(20) {
		return fmt.Sprintf("bits.Div%s(%s, %s, %s)", suffix, hi, x, y)
	}
	return fmt.Sprintf("bits.Div%s(%s, %s, (%s | 32))", suffix, hi, x, y)
}

// mathCall is an exact function: of package math on float64, of package gpu on either.
func (g *gen) mathCall(t *typ, d int) string {
	if t.param {
		return g.leaf(t)
	}
	base := t.base
	x := func() string { return as(base, t, g.expr(t, d-1)) }
	if g.chance(15) {
		from, name := tUint32, "math.Float32frombits"
		if base == tFloat64 {
			from, name = tUint64, "math.Float64frombits"
		}
		return as(t, base, fmt.Sprintf("%s(%s)", name, g.expr(from, d-1)))
	}
	if g.chance(7) {
		return fmt.Sprintf("%s(math.Inf(%s))", t.name, g.expr(tInt, d-1))
	}
	if base == tFloat32 && g.chance(20) {
		return g.inDouble(t, x)
	}
	return as(t, base, g.floatingPoint(base, x, func(in abi.Intrinsic) bool { return in.ResultType() == "T" }))
}

// inDouble computes with float32 numbers in float64, and rounds the result.
func (g *gen) inDouble(t *typ, x func() string) string {
	a, b := fmt.Sprintf("float64(%s)", x()), fmt.Sprintf("float64(%s)", x())
	if g.chance(15) {
		b = g.literal(tFloat64)
	}
	switch g.r.IntN(4) {
	case 0:
		a = fmt.Sprintf("math.%s(%s)", pick(g, "Sqrt", "Abs", "Floor"), a)
	case 1:
		name := pick(g, "Max", "Min", "Copysign")
		if name == "Copysign" { // which sign a NaN has is not defined
			b = fmt.Sprintf("%s[float64](%s)", g.helper("number"), b)
		}
		a = fmt.Sprintf("-math.%s(%s, %s)", name, a, b)
	default:
		a = fmt.Sprintf("%s %s %s", a, pick(g, "+", "-", "*", "/"), b)
	}
	return fmt.Sprintf("%s(%s)", t.name, a)
}

// floatingPoint is a call of a function of package gpu that fits, or, for float64 and an exact
// function, of package math's, which gives the same.
func (g *gen) floatingPoint(base *typ, x func() string, fits func(abi.Intrinsic) bool) string {
	list := slices.DeleteFunc(g.functionsOfFloats(), func(in abi.Intrinsic) bool { return !fits(in) })
	return g.callFloatingPoint(pick(g, list...), base, x)
}

// functionsOfFloats are those that the program can still have.
func (g *gen) functionsOfFloats() []abi.Intrinsic {
	return slices.DeleteFunc(intrinsics(abi.FloatingPoint, abi.Mathematics), func(in abi.Intrinsic) bool {
		return in.Group == abi.Mathematics && g.cur.fn.instrs+instrsOf(in) > g.cur.maxInstrs()
	})
}

func (g *gen) callFloatingPoint(in abi.Intrinsic, base *typ, x func() string) string {
	g.cur.fn.instrs += instrsOf(in)
	call := g.intrinsicCall(in, x, "")
	if base == tFloat64 && in.Group == abi.FloatingPoint && in.Name != "Ldexp" && g.chance(50) { // Go's Ldexp is wrong for some
		call = "math." + strings.TrimPrefix(call, "gpu.")
	}
	return call
}

// floatingPointPair is a call of such a function with two results.
func (g *gen) floatingPointPair() (call string, first, second *typ) {
	base := pick(g, tFloat32, tFloat64)
	list := slices.DeleteFunc(g.functionsOfFloats(), func(in abi.Intrinsic) bool { return len(in.Results()) != 2 })
	in := pick(g, list...)
	results := in.Results()
	call = g.callFloatingPoint(in, base, func() string { return g.expr(base, 1) })
	return call, typeOf(results[0].Type, base), typeOf(results[1].Type, base)
}

// classify is IsNaN or IsInf of a float of type f, as a bool of type t.
func (g *gen) classify(t, f *typ, d int) string {
	x := func() string { return as(f.base, f, g.expr(f, d-1)) }
	if f.base == tFloat64 && g.chance(15) {
		return as(t, tBool, fmt.Sprintf("math.Signbit(%s(%s))", g.helper("number"), x()))
	}
	return as(t, tBool, g.floatingPoint(f.base, x, func(in abi.Intrinsic) bool { return in.ResultType() == "bool" }))
}
