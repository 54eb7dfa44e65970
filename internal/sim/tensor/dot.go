// Package tensor is what tensor cores compute, bit for bit.
//
// An element of a product is a sum of products and of an element of C. A tensor core does not add
// them one after the other. It aligns all to the largest exponent, cuts off what lies below a fixed
// number of bits, adds them exactly, and rounds once, toward zero to float32 and to nearest to
// float16. How many bits are kept, and how many products are added at a time, differs from one
// generation to the next (Xie, Wang, Yang and Yang, MMA-Sim: Bit-Accurate Reference Model of Tensor
// Cores and Matrix Cores, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004). What an H200
// does, testdata has some of; a product with a factor of zero takes no part in the alignment there.
package tensor

import "math"

// Unit is a tensor core's way to make an element of a product.
type Unit struct {
	a, b     *Format // of the factors
	sum      *Format // of C and the result
	terms    int     // products that are added at a time
	fraction int     // bits that are kept below the largest exponent
	kept     int     // bits of the result's mantissa
	// halves says that the factors are made float16 first, that those of a register's lower half
	// are added before those of the upper, and that C is added last, as float32: mma has no unit
	// for factors of 8 bits.
	halves bool
	// before and after are the formats of C and the result, where they are not sum.
	before, after *Format
}

// Instruction is what computes a product.
type Instruction uint8

// The instructions.
const (
	MMA   Instruction = iota // mma.sync
	WGMMA                    // wgmma.mma_async
)

// UnitFor is the unit of a target for factors and a sum of some formats, of which an instruction
// adds k products.
func UnitFor(in Instruction, sm int, a, b, sum *Format, k int) *Unit {
	u := &Unit{a: a, b: b, sum: sum, terms: k, fraction: 25, kept: sum.mantissa}
	narrow := a == E5M2 || a == E4M3
	switch {
	case in == WGMMA && narrow:
		u.fraction, u.kept = 13, min(13, sum.mantissa)
	case narrow:
		u.halves, u.terms = true, 16
	}
	if sm < 90 {
		u.fraction = 24
		u.terms = min(u.terms, 8)
		if a == TF32 {
			u.terms = min(u.terms, 4)
		}
	}
	return u
}

// UnitBetween is the unit for a C of one format and a result of another, of wmma: it adds up in
// float32, and converts.
func UnitBetween(in Instruction, sm int, a, b, c, d *Format, k int) *Unit {
	if c == d {
		return UnitFor(in, sm, a, b, c, k)
	}
	u := UnitFor(in, sm, a, b, F32, k)
	u.before, u.after = c, d
	return u
}

// Dot is the sum of a[i]*b[i] and c, of which there are at most 32.
func (u *Unit) Dot(a, b []uint32, c uint32) uint32 {
	if u.before != u.after {
		return u.after.from(u.sum, u.dot(a, b, u.sum.from(u.before, c)))
	}
	return u.dot(a, b, c)
}

func (u *Unit) dot(a, b []uint32, c uint32) uint32 {
	if u.halves {
		return u.dotOfHalves(a, b, c)
	}
	for len(a) > 0 {
		n := min(u.terms, len(a))
		c = u.add(a[:n], b[:n], c)
		a, b = a[n:], b[n:]
	}
	return c
}

// dotOfHalves is Dot of factors of 8 bits: four lie in a register, and float16 in pairs.
func (u *Unit) dotOfHalves(a, b []uint32, c uint32) uint32 {
	var x, y [2][16]uint32
	var n [2]int
	for k := range a {
		half := k % 4 / 2
		x[half][n[half]], y[half][n[half]] = u.a.half(a[k]), u.b.half(b[k])
		n[half]++
	}
	of16 := &Unit{a: F16, b: F16, sum: F32, terms: u.terms, fraction: u.fraction, kept: F32.mantissa}
	sum := of16.Dot(x[0][:n[0]], y[0][:n[0]], 0)
	sum = of16.Dot(x[1][:n[1]], y[1][:n[1]], sum)
	d := math.Float32frombits(sum) + math.Float32frombits(c)
	if d != d {
		return F32.nan()
	}
	return math.Float32bits(d)
}

// add adds some products and c at once.
func (u *Unit) add(a, b []uint32, c uint32) uint32 {
	var terms [33]number
	all := terms[:0]
	all = append(all, u.sum.number(c))
	all[0].exponent -= u.sum.mantissa
	for i := range a {
		x, y := u.a.number(a[i]), u.b.number(b[i])
		p := number{significand: x.significand * y.significand, exponent: x.exponent + y.exponent - u.a.mantissa - u.b.mantissa}
		switch {
		case x.class == notANumber || y.class == notANumber:
			p.class = notANumber
		case x.class == infinite || y.class == infinite:
			p.class = infinite
			if p.significand == 0 {
				p.class = notANumber
			}
		}
		all = append(all, p)
	}
	if special, ok := u.special(all); ok {
		return special
	}
	most := leastExponent
	for i, n := range all {
		if n.significand != 0 {
			most = max(most, n.exponent+u.point(i))
		}
	}
	sum := int64(0)
	for _, n := range all {
		if n.significand != 0 {
			sum += shift(n.significand, n.exponent-most+u.fraction)
		}
	}
	if sum == 0 {
		return 0
	}
	return u.sum.round(sum, most-u.fraction, u.kept)
}

// leastExponent is the least to which terms are aligned, whatever their exponents: an H200's
// results say that it is from -133 to -131.
const leastExponent = -133

// point is how many bits of a term's significand lie behind the binary point. The largest exponent
// is that of a significand with one bit before it.
func (u *Unit) point(term int) int {
	if term == 0 {
		return u.sum.mantissa
	}
	return u.a.mantissa + u.b.mantissa
}

// special is the sum of terms of which one is an infinity or not a number.
func (u *Unit) special(all []number) (sum uint32, ok bool) {
	plus, minus, nan := false, false, false
	for _, n := range all {
		switch {
		case n.class == notANumber:
			nan = true
		case n.class == infinite && n.significand > 0:
			plus = true
		case n.class == infinite:
			minus = true
		}
	}
	switch {
	case nan || plus && minus:
		return u.sum.nan(), true
	case plus || minus:
		return u.sum.inf(minus), true
	}
	return 0, false
}
