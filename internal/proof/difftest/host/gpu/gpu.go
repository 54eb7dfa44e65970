// Package gpu replaces the kernel language's package of the same name when kernels run on the host,
// one thread after the other: the oracle of the differential fuzzer.
//
// It holds what the generated programs use, with the meaning that the real package documents. It
// uses nothing of the compiler or the simulator.
package gpu

import (
	"fmt"
	"math"
)

// Dim3 is an index or a size in three dimensions.
type Dim3 struct{ X, Y, Z int }

// The special registers: the runner sets them before it starts a thread.
var ThreadIdx, BlockIdx, BlockDim, GridDim Dim3

// The constraints of the real package.
type (
	Signed interface {
		~int | ~int8 | ~int16 | ~int32 | ~int64
	}
	Unsigned interface {
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
	}
	Integer     interface{ Signed | Unsigned }
	Float       interface{ ~float32 | ~float64 }
	Number      interface{ Integer | Float }
	WordInteger interface {
		~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64
	}
	Word interface{ WordInteger | Float }
)

// The vector types.
type (
	Float32x2 struct{ X, Y float32 }
	Float32x4 struct{ X, Y, Z, W float32 }
	Float64x2 struct{ X, Y float64 }
	Int32x2   struct{ X, Y int32 }
	Int32x4   struct{ X, Y, Z, W int32 }
	Uint32x2  struct{ X, Y uint32 }
	Uint32x4  struct{ X, Y, Z, W uint32 }
	Int64x2   struct{ X, Y int64 }
	Uint64x2  struct{ X, Y uint64 }
)

// GridStride gives this thread's share of 0 … n-1.
func GridStride(n int) func(yield func(i int) bool) {
	return func(yield func(i int) bool) {
		for i := BlockIdx.X*BlockDim.X + ThreadIdx.X; i < n; i += GridDim.X * BlockDim.X {
			if !yield(i) {
				return
			}
		}
	}
}

// The fences do nothing: one thread runs at a time.

// ThreadFence is a fence.
func ThreadFence() {}

// ThreadFenceBlock is a fence.
func ThreadFenceBlock() {}

// ThreadFenceSystem is a fence.
func ThreadFenceSystem() {}

// AssertError is the value that a failing Assert panics with: its message.
type AssertError string

// Assert panics with an AssertError unless cond holds.
func Assert(cond bool, format string, values ...any) {
	if !cond {
		panic(AssertError(fmt.Sprintf(format, values...)))
	}
}

// The functions of math are exact, or round to float64. Rounding their float32 results a second
// time changes nothing: all but Sqrt are exact, and for Sqrt float64 has more than twice the bits
// (Figueroa, When is double rounding innocuous?, 1995).

// Sqrt is the square root.
func Sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// Abs is the absolute value.
func Abs[T Float](x T) T { return T(math.Abs(float64(x))) }

// Min is math.Min.
func Min[T Float](x, y T) T { return T(math.Min(float64(x), float64(y))) }

// Max is math.Max.
func Max[T Float](x, y T) T { return T(math.Max(float64(x), float64(y))) }

// Floor is math.Floor.
func Floor[T Float](x T) T { return T(math.Floor(float64(x))) }

// Ceil is math.Ceil.
func Ceil[T Float](x T) T { return T(math.Ceil(float64(x))) }

// Trunc is math.Trunc.
func Trunc[T Float](x T) T { return T(math.Trunc(float64(x))) }

// RoundToEven is math.RoundToEven.
func RoundToEven[T Float](x T) T { return T(math.RoundToEven(float64(x))) }

// Copysign is math.Copysign.
func Copysign[T Float](x, sign T) T { return T(math.Copysign(float64(x), float64(sign))) }

// Round is math.Round.
func Round[T Float](x T) T { return T(math.Round(float64(x))) }

// Modf is math.Modf.
func Modf[T Float](x T) (whole, frac T) {
	w, f := math.Modf(float64(x))
	return T(w), T(f)
}

// Frexp is math.Frexp.
func Frexp[T Float](x T) (frac T, exp int) {
	f, e := math.Frexp(float64(x))
	return T(f), e
}

// Ldexp is math.Ldexp: what float64 rounds away is 0 in float32 too. Go's own adds to exp without a
// look at the ends of int: it has 11 * 2^MaxInt64 as 0.
func Ldexp[T Float](frac T, exp int) T {
	return T(math.Ldexp(float64(frac), min(max(exp, -5000), 5000)))
}

// Ilogb is math.Ilogb.
func Ilogb[T Float](x T) int { return math.Ilogb(float64(x)) }

// Logb is math.Logb.
func Logb[T Float](x T) T { return T(math.Logb(float64(x))) }

// Nextafter is math.Nextafter, or math.Nextafter32.
func Nextafter[T Float](x, y T) T {
	if isSingle[T]() {
		return T(math.Nextafter32(float32(x), float32(y)))
	}
	return T(math.Nextafter(float64(x), float64(y)))
}

// Dim is math.Dim. A difference that is rounded twice is as good as one that is rounded once.
func Dim[T Float](x, y T) T { return T(math.Dim(float64(x), float64(y))) }

// Mod is math.Mod, which is exact.
func Mod[T Float](x, y T) T { return T(math.Mod(float64(x), float64(y))) }

// Remainder is math.Remainder, which is exact.
func Remainder[T Float](x, y T) T { return T(math.Remainder(float64(x), float64(y))) }

// IsNaN is math.IsNaN.
func IsNaN[T Float](x T) bool { return x != x }

// IsInf is math.IsInf.
func IsInf[T Float](x T, sign int) bool { return math.IsInf(float64(x), sign) }

// FMA is x*y + z, rounded once.
//
// For float32 the product is exact in float64, and the sum is rounded to odd there before it is
// rounded to float32: Boldo and Melquiond, Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd, 2008.
func FMA[T Float](x, y, z T) T {
	if !isSingle[T]() {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return T(s)
	}
	// The error of the sum, exactly (Knuth's TwoSum).
	t := s - p
	e := (p - (s - t)) + (c - t)
	if b := math.Float64bits(s); e != 0 && b&1 == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return T(s)
}

// isSingle reports whether T is a float32.
func isSingle[T Float]() bool { return float64(T(1)/3) != 1.0/3 }
