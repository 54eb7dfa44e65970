package mathcmplx

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/mpfr"
)

// reference computes exact values, with MPFR's 128 bits.
type reference struct {
	unary  map[string]func(z, x *mpfr.Number)
	binary map[string]func(z, x, y *mpfr.Number)
}

func newReference(t *testing.T) *reference {
	t.Helper()
	l, err := mpfr.Load()
	if errors.Is(err, mpfr.ErrNotFound) {
		t.Skip(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	r := &reference{map[string]func(z, x *mpfr.Number){}, map[string]func(z, x, y *mpfr.Number){}}
	for _, name := range []string{"exp", "log", "log1p", "sin", "cos", "sinh", "cosh", "sqrt", "abs", "neg", "acos"} {
		r.unary[name], err = l.Unary(name)
		must(err)
	}
	for _, name := range []string{"add", "sub", "mul", "div", "atan2", "hypot"} {
		r.binary[name], err = l.Binary(name)
		must(err)
	}
	return r
}

// of is a function of MPFR, of one number or of two.
func (r *reference) of(name string, args ...*mpfr.Number) *mpfr.Number {
	z := mpfr.New()
	if len(args) == 1 {
		r.unary[name](z, args[0])
	} else {
		r.binary[name](z, args[0], args[1])
	}
	return z
}

func number(x float64) *mpfr.Number { return mpfr.New().Set(x) }

// product is f(x) * g(y).
func (r *reference) product(f string, x *mpfr.Number, g string, y *mpfr.Number) *mpfr.Number {
	return r.of("mul", r.of(f, x), r.of(g, y))
}

// exact are the functions of x + iy.
func (r *reference) exact(name string, x, y *mpfr.Number) (re, im *mpfr.Number) {
	switch name {
	case "Exp":
		return r.product("exp", x, "cos", y), r.product("exp", x, "sin", y)
	case "Sinh":
		return r.product("sinh", x, "cos", y), r.product("cosh", x, "sin", y)
	case "Cosh":
		return r.product("cosh", x, "cos", y), r.product("sinh", x, "sin", y)
	case "Sin":
		im, re = r.exact("Sinh", y, x)
	case "Cos":
		re, im = r.exact("Cosh", y, x)
		im = r.of("neg", im)
	case "Log":
		return r.of("log", r.of("hypot", x, y)), r.of("atan2", y, x)
	case "Sqrt":
		re = r.of("sqrt", r.of("div", r.of("add", r.of("hypot", x, y), r.of("abs", x)), number(2)))
		im = r.of("div", r.of("div", r.of("abs", y), number(2)), re)
		if x.Real().High < 0 {
			re, im = im, re
		}
		if y.Real().High < 0 {
			im = r.of("neg", im)
		}
	case "Tanh":
		x2, y2 := r.of("mul", x, number(2)), r.of("mul", y, number(2))
		d := r.of("add", r.of("cosh", x2), r.of("cos", y2))
		return r.of("div", r.of("sinh", x2), d), r.of("div", r.of("sin", y2), d)
	case "Tan":
		im, re = r.exact("Tanh", y, x)
	case "Cot": // of 128 bits, so a difference is as good as a sum
		s, h := r.of("sin", x), r.of("sinh", y)
		d := r.of("add", r.of("mul", s, s), r.of("mul", h, h))
		return r.of("div", r.product("sin", x, "cos", x), d), r.of("neg", r.of("div", r.product("sinh", y, "cosh", y), d))
	default:
		return r.inverse(name, x, y)
	}
	return re, im
}

// inverse are the inverse functions, which lose digits where parts cancel: MPFR's are enough for
// numbers whose parts have exponents of 30 at most.
func (r *reference) inverse(name string, x, y *mpfr.Number) (re, im *mpfr.Number) {
	one := number(1)
	switch name {
	case "Acos":
		a, b := r.of("hypot", r.of("add", x, one), y), r.of("hypot", r.of("sub", x, one), y)
		sum := r.of("div", r.of("add", a, b), number(2)) // cosh of the imaginary part
		re = r.of("acos", r.of("div", x, sum))
		im = r.of("log", r.of("add", sum, r.of("sqrt", r.of("mul", r.of("sub", sum, one), r.of("add", sum, one)))))
		if y.Real().High >= 0 {
			im = r.of("neg", im)
		}
	case "Asin":
		re, im = r.inverse("Acos", x, y)
		return r.of("sub", r.of("acos", number(0)), re), r.of("neg", im)
	case "Asinh":
		im, re = r.inverse("Asin", y, x)
	case "Atanh":
		above, below, yy := r.of("add", x, one), r.of("sub", x, one), r.of("mul", y, y)
		ratio := r.of("div", r.of("mul", x, number(4)), r.of("add", r.of("mul", below, below), yy))
		re = r.of("div", r.of("log1p", ratio), number(4))
		across := r.of("sub", r.of("neg", r.of("mul", below, above)), yy)
		im = r.of("div", r.of("atan2", r.of("mul", y, number(2)), across), number(2))
	case "Atan":
		im, re = r.inverse("Atanh", y, x)
	}
	return re, im
}

// distance is |got - exact| in units in the last place of size, or of the least normal number.
func (r *reference) distance(got float64, exact *mpfr.Number, size float64) float64 {
	d := r.of("abs", r.of("sub", number(got), exact)).Real()
	_, e := math.Frexp(size)
	return math.Ldexp(d.High, d.Exponent-(max(e, -1021)-53))
}

// float is the number nearest to z, or nearly so.
func float(z *mpfr.Number) float64 { v := z.Real(); return math.Ldexp(v.High, v.Exponent) }

// functions are the functions of one number. parts says that each part is as exact as a whole
// number.
var functions = []struct {
	name  string
	f     func(complex128) complex128
	parts bool
	limit float64 // in units in the last place
	most  float64 // of the exponents of parts
}{
	{"Exp", Exp, true, 3, 9}, {"Sinh", Sinh, true, 3, 9}, {"Cosh", Cosh, true, 3, 9}, {"Sin", Sin, true, 3, 9},
	{"Cos", Cos, true, 3, 9}, {"Log", Log, true, 2, 1000}, {"Sqrt", Sqrt, true, 3, 1000}, {"Tanh", Tanh, false, 5, 9},
	{"Tan", Tan, false, 5, 9}, {"Cot", Cot, true, 5, 9}, {"Asin", Asin, true, 5, 20}, {"Acos", Acos, true, 5, 20},
	{"Asinh", Asinh, true, 5, 20}, {"Atan", Atan, true, 5, 20}, {"Atanh", Atanh, true, 5, 20},
}

// point is a random number whose parts have exponents from -most to most, or are near the unit
// circle, where a logarithm has few digits.
func point(r *rand.Rand, most float64) (x, y float64) {
	part := func() float64 {
		x := math.Ldexp(1+r.Float64(), int(most*(2*r.Float64()-1)))
		if r.IntN(2) == 0 {
			x = -x
		}
		return x
	}
	if r.IntN(4) == 0 {
		y, x = math.Sincos(2 * math.Pi * r.Float64())
		return x, y * (1 + float64(r.IntN(5)-2)*0x1p-40)
	}
	return part(), part()
}

// TestAccuracy holds the functions to their errors.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			ref := newReference(t)
			r := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, complex128(0)
			for range 20000 {
				x, y := point(r, f.most)
				re, im := ref.exact(f.name, number(x), number(y))
				size, other := float(re), float(im)
				if math.Abs(size) > 1e308 || math.Abs(other) > 1e308 {
					continue
				}
				if !f.parts {
					size = max(math.Abs(size), math.Abs(other))
					other = size
				}
				z := f.f(complex(x, y))
				if d := max(ref.distance(real(z), re, size), ref.distance(imag(z), im, other)); !(d <= worst) {
					worst, at = d, complex(x, y)
				}
			}
			if !(worst <= f.limit) {
				t.Errorf("an error of %.2f ULP at %v, want %v at most", worst, at, f.limit)
			}
		})
	}
}

// TestPowAccuracy is about results of a usual size: the error grows with the exponent's.
func TestPowAccuracy(t *testing.T) {
	t.Parallel()
	ref := newReference(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		x, y := complex(2*r.Float64()-1, 2*r.Float64()-1), complex(6*r.Float64()-3, 6*r.Float64()-3)
		logRe, logIm := ref.exact("Log", number(real(x)), number(imag(x)))
		a, b := number(real(y)), number(imag(y))
		re, im := ref.exact("Exp", ref.of("sub", ref.of("mul", a, logRe), ref.of("mul", b, logIm)),
			ref.of("add", ref.of("mul", a, logIm), ref.of("mul", b, logRe)))
		size := max(math.Abs(float(re)), math.Abs(float(im)))
		z := Pow(x, y)
		if d := max(ref.distance(real(z), re, size), ref.distance(imag(z), im, size)); !(d <= 20) {
			t.Errorf("Pow(%v, %v) is %v: an error of %.1f ULP", x, y, z, d)
		}
	}
}

// TestSpecial compares zeros, infinities and NaN with Go's math/cmplx.
func TestSpecial(t *testing.T) {
	t.Parallel()
	values := []float64{0, math.Copysign(0, -1), 1, -1, 2.5, 300, math.Inf(1), math.Inf(-1), math.NaN()}
	for name, f := range map[string][2]func(complex128) complex128{
		"Exp": {Exp, cmplx.Exp}, "Log": {Log, cmplx.Log}, "Log10": {Log10, cmplx.Log10}, "Sqrt": {Sqrt, cmplx.Sqrt},
		"Sin": {Sin, cmplx.Sin}, "Cos": {Cos, cmplx.Cos}, "Tan": {Tan, cmplx.Tan}, "Sinh": {Sinh, cmplx.Sinh},
		"Cosh": {Cosh, cmplx.Cosh}, "Tanh": {Tanh, cmplx.Tanh}, "Conj": {Conj, cmplx.Conj},
	} {
		for _, x := range values {
			for _, y := range values {
				z := complex(x, y)
				if got, want := f[0](z), f[1](z); !alike(got, want) {
					t.Errorf("%s(%v) is %v, want %v", name, z, got, want)
				}
			}
		}
	}
	for _, x := range values {
		for _, y := range values {
			z := complex(x, y)
			if Abs(z) != cmplx.Abs(z) && !near(Abs(z), cmplx.Abs(z)) || !near(Phase(z), cmplx.Phase(z)) ||
				IsInf(z) != cmplx.IsInf(z) || IsNaN(z) != cmplx.IsNaN(z) {
				t.Errorf("%v: Abs %v, Phase %v, IsInf %v, IsNaN %v", z, Abs(z), Phase(z), IsInf(z), IsNaN(z))
			}
			for _, w := range []complex128{0, 1, 1i, -1, -2 + 1i, 3} {
				if got, want := Pow(z, w), cmplx.Pow(z, w); !alike(got, want) {
					t.Errorf("Pow(%v, %v) is %v, want %v", z, w, got, want)
				}
			}
		}
	}
}

// alike reports whether two numbers are nearly the same, with the same signs of zeros.
func alike(z, w complex128) bool { return near(real(z), real(w)) && near(imag(z), imag(w)) }

func near(x, y float64) bool {
	switch {
	case x != x || y != y:
		return x != x && y != y
	case x == y:
		return math.Signbit(x) == math.Signbit(y)
	}
	return math.Abs(x-y) <= 1e-13*max(math.Abs(x), math.Abs(y))
}
