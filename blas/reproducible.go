package blas

import (
	"math"
	"sync"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// SumReproducible is the sum of the elements of x with bits that do not depend on their order: any
// permutation gives the same ones, on every CPU, on the simulator and on every GPU, with any number
// of goroutines, and for every grid. It is a binned sum after Ahrens, Demmel and Nguyen,
// "Algorithms for Efficient Reproducible Floating Point Summation" (TOMS 2020), of three bins, in
// which numbers are added exactly.
//
// Its error is at most half a unit in the last place of the result, and n*max|x| times 2^-32 for
// float32 and 2^-64 for float64. There is no overflow on the way: the sum of the largest number
// twice and its negative is that number. A sum of 0 is +0, and so is the sum of no elements. With
// NaN among the elements, or both infinities, the sum is NaN. With infinities of one sign it is
// that infinity.
func SumReproducible[T Float](x []T) T { return reproducible(x, nil, nil) }

// DotReproducible is the dot product of x and y, which are equally long, with bits that do not
// depend on the order of the pairs: the products are rounded to T, and added as by
// [SumReproducible]. Its error is SumReproducible's error for the products, and half a unit in the
// last place of each product. A product that is too large for T is an infinity. DotReproducible(x,
// x) is the sum of squares.
func DotReproducible[T Float](x, y []T) T {
	checkLengths("DotReproducible", len(x), len(y))
	return reproducible(x, y, nil)
}

// AsumReproducible is the sum of the absolute values of the elements of x with bits that do not
// depend on their order, on any CPU, with any number of goroutines. Its error is the same as
// [SumReproducible]'s. With NaN among the elements it is NaN.
func AsumReproducible[T Float](x []T) T {
	return reproducible(x, nil, func(dst, x []T) {
		for i, v := range x {
			dst[i] = max(v, -v)
		}
	})
}

// Nrm2Reproducible is the Euclidean norm of x with bits that do not depend on the order of the
// elements, on any CPU, with any number of goroutines. The elements are scaled by the power of two
// of the largest one, so that no square overflows and none that counts underflows. Their squares
// are rounded to T and added as by [SumReproducible]: the error is at most two units in the last
// place for up to 2^30 elements. It is 0 for no elements, NaN with NaN among them, and otherwise
// infinite with an infinity.
func Nrm2Reproducible[T Float](x []T) T {
	largest := x1(x, Iamax(x))
	if largest == 0 {
		return 0
	}
	if largest-largest != 0 { // an infinity, or NaN
		return max(largest, -largest)
	}
	_, exp := math.Frexp(float64(largest))
	half := exp / 2 // the power itself may be too large or too small for a T
	first, second := T(math.Ldexp(1, -half)), T(math.Ldexp(1, half-exp))
	sum := reproducible(x, nil, func(dst, x []T) {
		for i, v := range x {
			v = T(v*first) * second
			dst[i] = v * v
		}
	})
	return T(math.Ldexp(math.Sqrt(float64(sum)), exp))
}

// reproducible is the reproducible sum of x, of the products of x and y if y is not nil, or of what
// of writes to dst if that is not nil.
func reproducible[T Float](x, y []T, of func(dst, x []T)) T {
	if len(x) <= cores.Piece {
		return binnedValue[T](binnedPart(x, y, of))
	}
	var mu sync.Mutex
	var sum binned.Sum
	cores.Pieces(len(x), func(_, from, to int) {
		others := y
		if y != nil {
			others = y[from:to]
		}
		part := binnedPart(x[from:to], others, of)
		mu.Lock()
		defer mu.Unlock()
		sum.Merge(part)
	})
	return binnedValue[T](sum)
}

// binnedPart is reproducible, not rounded yet.
func binnedPart[T Float](x, y []T, of func(dst, x []T)) (sum binned.Sum) {
	if of == nil {
		return binnedSums(x, y)
	}
	length := kernel.DepositLength[T]()
	buf := getBuffer[T](length)
	defer putBuffer(buf)
	for from := 0; from < len(x); from += length {
		terms := x[from:min(from+length, len(x))]
		of(buf.data[:len(terms)], terms)
		sum.Merge(binnedSums(buf.data[:len(terms)], nil))
	}
	return sum
}

// binnedSums is depositAll in the format of the type, and binnedValue the value of a sum.
func binnedSums[T Float](x, y []T) binned.Sum {
	if kernel.Single[T]() {
		return depositAll[float32, uint32, binned.Single](kernel.As32(x), kernel.As32(y))
	}
	return depositAll[float64, uint64, binned.Double](kernel.As64(x), kernel.As64(y))
}

func binnedValue[T Float](s binned.Sum) T {
	if kernel.Single[T]() {
		return T(binned.Value[float32, uint32, binned.Single](s))
	}
	return T(binned.Value[float64, uint64, binned.Double](s))
}

// depositAll adds x, or x*y.
func depositAll[T Float, U binned.Word, F binned.Format[T, U]](x, y []T) (sum binned.Sum) {
	length := kernel.DepositLength[T]()
	for from := 0; from < len(x); from += length {
		terms, others := x[from:min(from+length, len(x))], y
		if y != nil {
			others = y[from : from+len(terms)]
		}
		deposit[T, U, F](&sum, terms, others)
	}
	return sum
}

// deposit adds x, or x*y, to a sum, for at most kernel.DepositLength elements. It supposes that the
// sum has the right bins, and does it again if one of the terms does not fit.
func deposit[T Float, U binned.Word, F binned.Format[T, U]](sum *binned.Sum, x, y []T) {
	words, largest := sliceSums[T, U, F](sum.Bin, x, y)
	if U(largest) >= binned.Infinity[T, U, F]() {
		buf := getBuffer[T](len(x))
		defer putBuffer(buf)
		x, y = numbers(sum, buf.data[:len(x)], x, y), nil
		words, largest = sliceSums[T, U, F](sum.Bin, x, y)
	}
	if U(largest) >= binned.Limit[T, U, F](sum.Bin) {
		sum.Raise(binned.Bin[T, U, F](U(largest)))
		words, _ = sliceSums[T, U, F](sum.Bin, x, y)
	}
	sum.Add(sum.Bin, words)
}

// sliceSums gives the sums of the slices of x, or x*y, for a top bin, and the largest magnitude.
func sliceSums[T Float, U binned.Word, F binned.Format[T, U]](bin int32, x, y []T) (words binned.Words, largest uint64) {
	scale := binned.Scale[T, U, F](bin)
	if y == nil {
		return kernel.Deposit(x, scale)
	}
	return kernel.DepositProducts(x, y, scale)
}

// numbers writes the terms to dst, with 0 for those that are no numbers, which it notes in the sum.
func numbers[T Float](sum *binned.Sum, dst, x, y []T) []T {
	for i, v := range x {
		if y != nil {
			v = T(v * y[i])
		}
		if special := binned.Special(v); special != 0 {
			sum.Specials |= special
			v = 0
		}
		dst[i] = v
	}
	return dst
}
