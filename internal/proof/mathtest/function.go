// Package mathtest specifies the mathematics of package gpu: for each function the exact value, by
// MPFR, the error that is allowed, special values, and the ranges of its arguments. Its tests
// measure errors, a few thousand points at a time, or in campaigns of billions:
//
//	CGO_ENABLED=0 go test -c ./internal/proof/mathtest
//	./mathtest.test -test.run Campaign -test.timeout 0 -campaign errors.json -exhaustive -points 100000000 -functions Exp,Log
//
// Package twofold, which the tests hold to MPFR, takes the place of MPFR for 10^8 arguments of
// float64 and more: with -twofold, and on a GPU.
//
// A campaign leaves out what its file already has, so that it can be stopped and continued. MPFR
// may come along as files (package mpfr says how).
//
// A function is a row here: tests, campaigns, the measurements on a GPU and docs/math.md take it
// from the table.
package mathtest

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/proof/mathtest/twofold"
	"github.com/gridstride/gridstride/internal/proof/mpfr"
	"github.com/gridstride/gridstride/internal/proof/ulp"
)

// Function is a function of package gpu, or one of its results.
type Function struct {
	Name string // in package gpu; "Sincos.cos" for one of several results
	Pair bool   // whether it has a second argument, y

	Single func(x, y float32) float32
	Double func(x, y float64) float64

	// Exact gives the exact value. ExactSingle takes its place for float32 where that is another
	// function, as it is for Nextafter.
	Exact, ExactSingle Reference

	// Twofold is the value of float64 to about 100 bits in kernels, or no value. near is the
	// function's result. Twofold is nil if there is none: then only MPFR is the reference.
	Twofold func(x, y, near float64) twofold.Value

	// Limit is the error that is allowed, in ULP: 0 where the result is exact. CUDA is NVIDIA's
	// documented maximum, which counts from the correctly rounded result: 0 there is half an ULP.
	Limit, CUDA Bound

	// Floor is a size for (x, y): the error of a smaller value counts in the ULP of that size. It
	// is for functions that lose digits near their zeros, which are not at numbers. 0 is no floor.
	// FloorSource is the same in a kernel, "" where kernels have none.
	Floor       func(x, y float64) float64
	FloorSource string

	// Near has the ranges of arguments that matter. A quarter of the points are random bits.
	Near []Box

	// Special are values, including C99's Annex F: "0:1 -Inf:0" says that the function is 1 at 0
	// and +0 at -Inf, "1,NaN:1" is for two arguments.
	Special string

	// Hard are more arguments to try: pairs if there are two.
	Hard []float64

	// Usual is where programs have most arguments. Speeds are measured there.
	Usual Box

	// Source is the function in a kernel, generic in T; or "" for package gpu's. Library is
	// NVIDIA's name for it, on float64, or "" if it has none.
	Source, Library string
}

// Bound is a number of ULP for each type.
type Bound struct{ Single, Double float64 }

// The limits of most functions.
var (
	one     = Bound{1, 1}
	correct = Bound{0.5, 0.5} // correctly rounded
)

// Box is a range of arguments, ends included. Y is for pairs.
type Box struct{ X, Y Interval }

// Interval is the numbers from Low to High.
type Interval struct{ Low, High float64 }

// Reference prepares the exact value of a function. A value it makes is for one goroutine.
type Reference func(l *mpfr.Library) (Exact, error)

// Exact is an exact value, or one rounded to enough bits that the rounding does not matter.
type Exact func(x, y float64) ulp.Real

// Functions are all, in the order of the documents.
var Functions = slices.Concat(exponential, power, trigonometric, hyperbolic, errorFunctions, gammas, bessels, parts)

// Find returns the function with a name, or nil if there is none.
func Find(name string) *Function {
	i := slices.IndexFunc(Functions, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &Functions[i]
}

// limit is the error that is allowed.
func (f *Function) limit(single bool) float64 {
	if single {
		return f.Limit.Single
	}
	return f.Limit.Double
}

// exact is the reference of a type.
func (f *Function) exact(single bool) Reference {
	if single && f.ExactSingle != nil {
		return f.ExactSingle
	}
	return f.Exact
}

// of is a function of one argument as one of two.
func of[T ulp.Float](f func(T) T) func(x, y T) T { return func(x, _ T) T { return f(x) } }

// in is a range of one argument.
func in(low, high float64) Box { return Box{X: Interval{low, high}} }

// pair is a range of two.
func pair(lowX, highX, lowY, highY float64) Box {
	return Box{Interval{lowX, highX}, Interval{lowY, highY}}
}

// unary is a function of MPFR's of one number.
func unary(name string) Reference {
	return func(l *mpfr.Library) (Exact, error) {
		f, err := l.Unary(name)
		if err != nil {
			return nil, fmt.Errorf("MPFR's %s: %w", name, err)
		}
		z, n := mpfr.New(), mpfr.New()
		return func(x, _ float64) ulp.Real {
			f(z, n.Set(x))
			return z.Real()
		}, nil
	}
}

// binary is one of two numbers.
func binary(name string) Reference {
	return func(l *mpfr.Library) (Exact, error) {
		f, err := l.Binary(name)
		if err != nil {
			return nil, fmt.Errorf("MPFR's %s: %w", name, err)
		}
		z, n, m := mpfr.New(), mpfr.New(), mpfr.New()
		return func(x, y float64) ulp.Real {
			f(z, n.Set(x), m.Set(y))
			return z.Real()
		}, nil
	}
}

// exactly is a function of package math whose result is exact, and so the same for both types.
func exactly(f func(x, y float64) float64) Reference {
	return func(*mpfr.Library) (Exact, error) {
		return func(x, y float64) ulp.Real { return ulp.Of(f(x, y)) }, nil
	}
}
