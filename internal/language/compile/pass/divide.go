package pass

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Divide turns division and remainder by a constant into shifts and products: NVIDIA's assembler
// takes a reciprocal for each. It runs after Checks, which makes division of what is never negative
// unsigned, and after Narrow.
//
// Signed division rounds to zero, so a negative dividend of a power of two is first biased by 2^k-1
// (Warren, Hacker's Delight, 10-1). Other divisors are multiplied with: see reciprocal.
func Divide(f *ir.Func) {
	d := &divider{below: map[*ir.Value]bool{}}
	if hasDivision(f) {
		analyse(f, d.visit)
	}
	d.rewriter = newRewriter(f)
	d.run(f.Dominators().Order, d.rewrite)
}

type divider struct {
	*rewriter
	below map[*ir.Value]bool // the unsigned divisions of what is no negative number as a signed one
}

// hasDivision reports whether a division is unsigned and by a constant: for these the range matters.
func hasDivision(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if (v.Op == ir.DivU || v.Op == ir.RemU) && v.Args[1].Op == ir.Const {
				return true
			}
		}
	}
	return false
}

func (d *divider) visit(r *ranges, v *ir.Value) {
	if (v.Op == ir.DivU || v.Op == ir.RemU) && r.rangeOf(v.Args[0]).lo >= 0 {
		d.below[v] = true
	}
}

func (d *divider) rewrite(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.DivS, ir.RemS, ir.DivU, ir.RemU:
	default:
		return v
	}
	x, t := v.Args[0], v.Type
	c, ok := v.Args[1].IntConst()
	if !ok {
		return v
	}
	var q *ir.Value
	signed, remainder := v.Op == ir.DivS || v.Op == ir.RemS, v.Op == ir.RemS || v.Op == ir.RemU
	negative := signed && c < 0
	if negative {
		c = -c
	}
	by := uint64(c)
	if t == ir.I32 {
		by = uint64(uint32(c))
	}
	k := int64(bits.TrailingZeros64(by))
	switch power := by&(by-1) == 0; {
	case by < 2 || negative && c < 0 || !signed && power: // no division, by the smallest number, and what Fold does
		return v
	case power && remainder:
		bias := d.bias(x, k)
		return d.emit(ir.Subtract, t, d.emit(ir.And, t, d.emit(ir.Add, t, x, bias), d.int(t, int64(by)-1)), bias)
	case power:
		q = d.shift(ir.ShrS, d.emit(ir.Add, t, x, d.bias(x, k)), k)
	case signed:
		q = d.signed(x, by)
	default:
		q = d.unsigned(x, by, d.below[v])
	}
	switch {
	case remainder:
		return d.emit(ir.Add, t, d.emit(ir.Mul, t, q, d.constant(t, -by)), x) // one instruction
	case negative:
		return d.emit(ir.Neg, t, q)
	}
	return q
}

func (d *divider) shift(op ir.Op, x *ir.Value, k int64) *ir.Value {
	if k == 0 {
		return x
	}
	return d.emit(op, x.Type, x, d.int(ir.I32, k))
}

// bias is 2^k-1 for a negative x, or 0.
func (d *divider) bias(x *ir.Value, k int64) *ir.Value {
	width := int64(x.Type.Bits())
	return d.shift(ir.ShrU, d.shift(ir.ShrS, x, width-1), width-k)
}

// signed is x / by, rounded to zero. by is more than 1, and no power of two.
func (d *divider) signed(x *ir.Value, by uint64) *ir.Value {
	t, width := x.Type, x.Type.Bits()
	m, k := reciprocal(by, width-1, width)
	q := d.emit(ir.MulHiS, t, x, d.constant(t, m))
	if m>>(width-1) != 0 { // the product is of m - 2^width
		q = d.emit(ir.Add, t, q, x)
	}
	return d.emit(ir.Add, t, d.shift(ir.ShrS, q, int64(k)), d.shift(ir.ShrU, x, int64(width)-1))
}

// unsigned is x / by. by is no power of two. below is whether x is less than half of what its type
// has.
func (d *divider) unsigned(x *ir.Value, by uint64, below bool) *ir.Value {
	t, width := x.Type, x.Type.Bits()
	high := func(x *ir.Value, m uint64) *ir.Value { return d.emit(ir.MulHiU, t, x, d.constant(t, m)) }
	size := width
	if below {
		size--
	}
	if m, k := reciprocal(by, size, width); k >= 0 {
		return d.shift(ir.ShrU, high(x, m), int64(k))
	}
	if even := bits.TrailingZeros64(by); even > 0 {
		m, k := reciprocal(by>>even, size-even, width)
		return d.shift(ir.ShrU, high(d.shift(ir.ShrU, x, int64(even)), m), int64(k))
	}
	// The factor has a bit more than the type: x + x*(m-2^width)>>width, halved in time.
	m, k := reciprocal(by, width, width+1)
	q := high(x, m)
	half := d.shift(ir.ShrU, d.emit(ir.Subtract, t, x, q), 1)
	return d.shift(ir.ShrU, d.emit(ir.Add, t, half, q), int64(k))
}
