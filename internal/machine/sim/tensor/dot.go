// Package tensor computes the products of tensor cores, bit for bit.
//
// An element of a product is the sum of several products and an element of C. A tensor core does
// not add them one after the other. It aligns all terms to the largest exponent, cuts off the bits
// below a fixed number of bits, adds the terms exactly, and rounds once: toward zero to float32,
// and to nearest to float16. The number of bits, and the number of products that are added at a
// time, differ from one generation to the next (Xie, Wang, Yang and Yang, MMA-Sim: Bit-Accurate
// Reference Model of Tensor Cores and Matrix Cores, arXiv 2511.10909; Khattak and Mikaitis, arXiv
// 2512.07004). testdata has results of an H200, and internal/proof/gpusuite/tiles compares a
// million tiles of each instruction with a GPU. On an H200 a product with a factor of zero takes no
// part in the alignment.
package tensor

import "math"

// Unit is a tensor core's way to make an element of a product.
type Unit struct {
	a, b     Format // of the factors
	sum      Format // of C and the result
	terms    int    // products that are added at a time
	fraction int    // bits below the largest exponent that take part
	kept     int    // bits of the result's mantissa
	digits   int    // bits of a product's significand after the binary point
	// halves says that mma has no unit for factors of 8 bits: the factors are converted to float16
	// first, the products of a register's lower half are added before the products of its upper
	// half, and C is added last.
	halves bool
	// before and after are the formats of C and the result, if they differ from sum.
	before, after Format
}

// Instruction is the PTX instruction that computes a product.
type Instruction uint8

// The instructions.
const (
	MMA   Instruction = iota // mma.sync
	WGMMA                    // wgmma.mma_async
	WMMA                     // wmma.mma
)

// UnitFor is the unit of a target for an instruction that adds k products, by the formats of its
// factors and of its sum.
func UnitFor(in Instruction, sm int, a, b, sum Format, k int) *Unit {
	u := &Unit{a: a, b: b, sum: sum, terms: k, fraction: 25, kept: sum.mantissa(), digits: a.mantissa() + b.mantissa()}
	narrow := a == E5M2 || a == E4M3
	switch {
	case in == WGMMA && narrow:
		u.fraction, u.kept = 13, min(13, sum.mantissa())
	case narrow:
		u.halves, u.terms, u.digits = true, 16, 2*F16.mantissa()
	case in == WMMA && a == TF32:
		u.terms = 4
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
func UnitBetween(in Instruction, sm int, a, b, c, d Format, k int) *Unit {
	if c == d {
		return UnitFor(in, sm, a, b, c, k)
	}
	u := UnitFor(in, sm, a, b, F32, k)
	u.before, u.after = c, d
	return u
}

// MostTerms is how many products an element of a sum has at most.
const MostTerms = 32

// Factors are the elements of a row of A, or of a column of B, taken apart once for all elements of
// the sum that they have a part in.
type Factors struct {
	list  [MostTerms]term // in the order in which they are added
	parts [2]int          // how many of them are added first, and then
	odd   bool            // one is an infinity or not a number
}

// term is a number and its exponent. Its product with another one is exact.
type term struct {
	value    float64
	exponent int64
}

// Row takes a row of A apart.
func (u *Unit) Row(a []uint32, row *Factors) { u.factors(u.a, a, row) }

// Column takes a column of B apart.
func (u *Unit) Column(b []uint32, column *Factors) { u.factors(u.b, b, column) }

func (u *Unit) factors(f Format, list []uint32, out *Factors) {
	out.parts, out.odd = [2]int{}, false
	if !u.halves {
		for i, x := range list {
			out.put(i, f.term(x))
		}
		out.parts[0] = len(list)
		return
	}
	for part := range 2 { // a register holds four elements of 8 bits, or two float16
		for i, x := range list {
			if i%4/2 == part {
				out.put(out.parts[0]+out.parts[1], F16.term(f.half(x)))
				out.parts[part]++
			}
		}
	}
}

// put puts a factor at a place.
func (f *Factors) put(i int, t term) {
	f.list[i] = t
	f.odd = f.odd || t.value-t.value != 0
}

// Dot is the sum of c and all a[i]*b[i], at most 32.
func (u *Unit) Dot(a, b []uint32, c uint32) uint32 {
	var row, column Factors
	u.Row(a, &row)
	u.Column(b, &column)
	return u.Sum(&row, &column, c)
}

// Sum is Dot of a row and a column.
func (u *Unit) Sum(row, column *Factors, c uint32) uint32 {
	switch {
	case u.halves:
		return u.sumOfHalves(row, column, c)
	case u.before != u.after:
		return u.after.from(u.sum, u.addAll(row, column, 0, row.parts[0], u.sum.from(u.before, c)))
	}
	return u.addAll(row, column, 0, row.parts[0], c)
}

// sumOfHalves is Sum of factors of 8 bits, to which C is added last, rounded to nearest.
func (u *Unit) sumOfHalves(row, column *Factors, c uint32) uint32 {
	n := row.parts[0]
	sum := u.addAll(row, column, 0, n, 0)
	sum = u.addAll(row, column, n, n+row.parts[1], sum)
	d := math.Float32frombits(F32.from(u.sum, sum)) + math.Float32frombits(F32.from(u.sum, c))
	if d != d {
		return u.sum.nan()
	}
	return u.sum.from(F32, math.Float32bits(d))
}

// addAll adds the products from one to another, as many at once as the unit has terms.
func (u *Unit) addAll(row, column *Factors, from, to int, c uint32) uint32 {
	for from < to {
		n := min(from+u.terms, to)
		c = u.add(row.list[from:n], column.list[from:n], c, row.odd || column.odd)
		from = n
	}
	return c
}

// add adds some products and c at once. odd says that there may be infinities or NaN.
func (u *Unit) add(x, y []term, c uint32, odd bool) uint32 {
	start := u.sum.term(c)
	if odd || start.value-start.value != 0 {
		if special, ok := u.special(start, x, y); ok {
			return special
		}
	}
	most := max(leastExponent, start.exponent)
	y = y[:len(x)]
	for i := range x {
		most = max(most, x[i].exponent+y[i].exponent)
	}
	least := int(most) - u.fraction
	scale := power(-least)
	sum := int64(start.value * scale) // toward zero, as all terms
	for i := range x {
		sum += int64(x[i].value * y[i].value * scale)
	}
	if u.kept == F32.mantissa() && u.sum == F32 {
		return roundF32(sum, least)
	}
	if sum == 0 {
		return 0
	}
	return u.sum.round(sum, least, u.kept)
}

// leastExponent is the least to which terms are aligned, whatever their exponents: an H200's
// results say that it is from -133 to -131.
const leastExponent = -133

// special is the sum of terms if one is an infinity or not a number: what float64 says.
func (u *Unit) special(start term, x, y []term) (sum uint32, ok bool) {
	total := start.value
	for i := range x {
		total += float64(x[i].value * y[i].value)
	}
	switch {
	case total != total:
		return u.sum.nan(), true
	case total-total != 0:
		return u.sum.inf(total < 0), true
	}
	return 0, false
}
