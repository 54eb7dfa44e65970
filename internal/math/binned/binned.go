// Package binned is the arithmetic of reproducible sums: sums whose bits depend neither on the
// order of the terms nor on how they are shared out. It follows P. Ahrens, J. Demmel and H. D.
// Nguyen, "Algorithms for Efficient Reproducible Floating Point Summation" (TOMS 2020), and is
// plain Go that kernels use as well, so that hosts and devices share it.
//
// # What the sum is
//
// The exponents of a type are divided into bins of [Format.Width] binary digits. Bin b begins at
// the exponent b*Width, counted as the exponent field of the type counts. Every number has a slice
// in every bin: it is rounded to a multiple of the bin's unit, halves away from zero, and the rest
// goes on to the bin below. A slice is an integer of at most Width bits, so slices are added
// exactly.
//
// A sum keeps [Folds] bins: the one of the largest absolute value and those below. Which bins these
// are, and the sums of the slices, depend on the terms alone. The rest below them is dropped, which
// is at most 2^(-2*Width) of the largest absolute value for each term. In the end the bins are
// added exactly and rounded once.
//
// The paper has bins of 13 digits for float32 and 40 for float64, and carries in floating point.
// Here they have 16 and 32, so that a bin is a part of the exponent field, and carries are
// integers: no number of terms is too large, and no result depends on when a carry was done.
package binned

import (
	"math"
	"math/bits"
)

// Float is the types of terms, and Word the integers of their size.
type (
	Float interface{ ~float32 | ~float64 }
	Word  interface{ uint32 | uint64 }
)

// Folds is how many bins a sum keeps.
const Folds = 3

// Format describes a floating-point type: [Single] or [Double].
type Format[T Float, U Word] interface {
	Bits(x T) U
	Float(bits U) T
	Fraction() int // bits of the fraction, which are the lowest ones
	Bias() int     // of the exponent
	Width() int    // binary digits of a bin
}

// Single is the format of float32.
type Single struct{}

// Bits, Float, Fraction, Bias and Width implement Format.
func (Single) Bits(x float32) uint32     { return math.Float32bits(x) }
func (Single) Float(bits uint32) float32 { return math.Float32frombits(bits) }
func (Single) Fraction() int             { return 23 }
func (Single) Bias() int                 { return 127 }
func (Single) Width() int                { return 16 }

// Double is the format of float64.
type Double struct{}

// Bits, Float, Fraction, Bias and Width implement Format.
func (Double) Bits(x float64) uint64     { return math.Float64bits(x) }
func (Double) Float(bits uint64) float64 { return math.Float64frombits(bits) }
func (Double) Fraction() int             { return 52 }
func (Double) Bias() int                 { return 1023 }
func (Double) Width() int                { return 32 }

// Deposits is how many terms may be deposited in one accumulator before it is emptied.
const Deposits = 96

// Start is an empty accumulator of slices of fold k, in units of the top bin. It is 3/2 of a power
// of two, so large that its last digit is the bin's unit: what is added to it is rounded to the
// bin.
func Start[T Float, U Word, F Format[T, U]](k int) U {
	var f F
	return U(f.Bias()+f.Fraction()-k*f.Width())<<f.Fraction() | 1<<(f.Fraction()-1)
}

// Deposit adds the slices of x to the accumulators of Folds bins. x is in units of the top bin and
// less than 2^(Width-1): see Scale. The last bit of what is added is set, which no slice notices,
// unless x is halfway between two: then it is rounded away from zero, whatever has been added
// before.
func Deposit[T Float, U Word, F Format[T, U]](x T, acc *[Folds]T) {
	var f F
	for k := range Folds - 1 {
		sum := acc[k] + f.Float(f.Bits(x)|1)
		x -= sum - acc[k]
		acc[k] = sum
	}
	acc[Folds-1] += f.Float(f.Bits(x) | 1)
}

// Slices is the sum deposited in an accumulator of fold k: as both numbers have the same exponent,
// their difference in units of the bin is the difference of their bits.
func Slices[T Float, U Word, F Format[T, U]](acc T, k int) int64 {
	var f F
	difference := f.Bits(acc) - Start[T, U, F](k)
	if f.Fraction() == 23 {
		return int64(int32(difference))
	}
	return int64(difference)
}

// Magnitude is the bits of |x|. They are ordered as the absolute values are, with NaN last.
func Magnitude[T Float, U Word, F Format[T, U]](x T) U {
	var f F
	return f.Bits(x) << 1 >> 1
}

// Infinity is the bits of an infinity, which is less than a NaN's bits.
func Infinity[T Float, U Word, F Format[T, U]]() U {
	var f F
	return U(2*f.Bias()+1) << f.Fraction()
}

// binShift is where the number of the bin begins in a number's bits.
func binShift[T Float, U Word, F Format[T, U]]() int {
	var f F
	return f.Fraction() + bits.TrailingZeros(uint(f.Width()))
}

// Bin is the bin of a number with such a magnitude.
func Bin[T Float, U Word, F Format[T, U]](magnitude U) int32 {
	return int32(magnitude >> binShift[T, U, F]())
}

// Limit is the least magnitude that a sum with such a top bin must not be given: the next bin's, or
// an infinity's.
func Limit[T Float, U Word, F Format[T, U]](bin int32) U {
	return min(U(bin+1)<<binShift[T, U, F](), Infinity[T, U, F]())
}

// Scale is the factor that turns a number into units of a bin. The product is exact, unless it is
// so small that all its slices are 0.
func Scale[T Float, U Word, F Format[T, U]](bin int32) T {
	var f F
	return f.Float(U(2*f.Bias()-1-int(bin)*f.Width()) << f.Fraction())
}
