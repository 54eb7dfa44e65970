package mathcmplx

import (
	"math"
	"testing"
)

var negativeZero = math.Copysign(0, -1)

// TestSpecialInverse holds the inverse functions to annex G of C99, at one number for each rule:
// the others follow from the symmetries, which are tested too.
func TestSpecialInverse(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	const pi = math.Pi
	for _, c := range []struct {
		name    string
		f       func(complex128) complex128
		z, want complex128
	}{
		{"Acos", Acos, complex(0, 0), complex(pi/2, negativeZero)},
		{"Acos", Acos, complex(negativeZero, 0), complex(pi/2, negativeZero)},
		{"Acos", Acos, complex(0, nan), complex(pi/2, nan)},
		{"Acos", Acos, complex(2.5, inf), complex(pi/2, -inf)},
		{"Acos", Acos, complex(2.5, nan), complex(nan, nan)},
		{"Acos", Acos, complex(-inf, 300), complex(pi, -inf)},
		{"Acos", Acos, complex(inf, 300), complex(0, -inf)},
		{"Acos", Acos, complex(-inf, inf), complex(3*pi/4, -inf)},
		{"Acos", Acos, complex(inf, inf), complex(pi/4, -inf)},
		{"Acos", Acos, complex(inf, nan), complex(nan, inf)},
		{"Acos", Acos, complex(nan, 1), complex(nan, nan)},
		{"Acos", Acos, complex(nan, inf), complex(nan, -inf)},
		{"Acos", Acos, complex(nan, nan), complex(nan, nan)},
		{"Acos", Acos, complex(-1, 0), complex(pi, negativeZero)},
		{"Acos", Acos, complex(1, 0), complex(0, negativeZero)},
		{"Acosh", Acosh, complex(0, 0), complex(0, pi/2)},
		{"Acosh", Acosh, complex(negativeZero, 0), complex(0, pi/2)},
		{"Acosh", Acosh, complex(1, 0), complex(0, 0)},
		{"Acosh", Acosh, complex(-1, 0), complex(0, pi)},
		{"Acosh", Acosh, complex(2.5, inf), complex(inf, pi/2)},
		{"Acosh", Acosh, complex(2.5, nan), complex(nan, nan)},
		{"Acosh", Acosh, complex(-inf, 1), complex(inf, pi)},
		{"Acosh", Acosh, complex(inf, 1), complex(inf, 0)},
		{"Acosh", Acosh, complex(-inf, inf), complex(inf, 3*pi/4)},
		{"Acosh", Acosh, complex(inf, inf), complex(inf, pi/4)},
		{"Acosh", Acosh, complex(-inf, nan), complex(inf, nan)},
		{"Acosh", Acosh, complex(nan, 1), complex(nan, nan)},
		{"Acosh", Acosh, complex(nan, inf), complex(inf, nan)},
		{"Asinh", Asinh, complex(0, 0), complex(0, 0)},
		{"Asinh", Asinh, complex(1, inf), complex(inf, pi/2)},
		{"Asinh", Asinh, complex(1, nan), complex(nan, nan)},
		{"Asinh", Asinh, complex(inf, 1), complex(inf, 0)},
		{"Asinh", Asinh, complex(inf, inf), complex(inf, pi/4)},
		{"Asinh", Asinh, complex(inf, nan), complex(inf, nan)},
		{"Asinh", Asinh, complex(nan, 0), complex(nan, 0)},
		{"Asinh", Asinh, complex(nan, 1), complex(nan, nan)},
		{"Asinh", Asinh, complex(nan, inf), complex(inf, nan)},
		{"Asinh", Asinh, complex(0, 2), complex(1.3169578969248168, pi/2)},
		{"Asinh", Asinh, complex(negativeZero, 2), complex(-1.3169578969248168, pi/2)},
		{"Atanh", Atanh, complex(0, 0), complex(0, 0)},
		{"Atanh", Atanh, complex(0, nan), complex(0, nan)},
		{"Atanh", Atanh, complex(1, 0), complex(inf, 0)},
		{"Atanh", Atanh, complex(2.5, inf), complex(0, pi/2)},
		{"Atanh", Atanh, complex(2.5, nan), complex(nan, nan)},
		{"Atanh", Atanh, complex(inf, 1), complex(0, pi/2)},
		{"Atanh", Atanh, complex(inf, inf), complex(0, pi/2)},
		{"Atanh", Atanh, complex(inf, nan), complex(0, nan)},
		{"Atanh", Atanh, complex(nan, 1), complex(nan, nan)},
		{"Atanh", Atanh, complex(nan, inf), complex(0, pi/2)},
		{"Atanh", Atanh, complex(2, 0), complex(0.5493061443340548, pi/2)},
		{"Cot", Cot, complex(0, 0), complex(inf, inf)},
		{"Cot", Cot, complex(1, inf), complex(0, -1)},
		{"Cot", Cot, complex(1, nan), complex(nan, nan)},
		{"Cot", Cot, complex(inf, 1), complex(nan, nan)},
	} {
		if got := c.f(c.z); !alike(got, c.want) {
			t.Errorf("%s(%v) is %v, want %v", c.name, c.z, got, c.want)
		}
	}
}

// TestSymmetries compares the functions with themselves, at conjugate numbers and at negative ones.
func TestSymmetries(t *testing.T) {
	t.Parallel()
	values := []float64{0, negativeZero, 1, -1, 1e-310, 2.5, -300, 1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	negative := func(z complex128) complex128 { return complex(-real(z), -imag(z)) }
	for _, x := range values {
		for _, y := range values {
			z := complex(x, y)
			for name, f := range map[string]func(complex128) complex128{"Acos": Acos, "Acosh": Acosh, "Asinh": Asinh, "Atanh": Atanh, "Cot": Cot} {
				infinities := x != x || y != y || z == 0 // some signs are not specified
				if got, want := f(Conj(z)), Conj(f(z)); !alike(got, want) && !infinities {
					t.Errorf("%s(%v) is %v, want %v", name, Conj(z), got, want)
				}
				if got, want := f(negative(z)), negative(f(z)); name[:2] != "Ac" && !infinities && !alike(got, want) {
					t.Errorf("%s(%v) is %v, want %v", name, negative(z), got, want)
				}
			}
		}
	}
}

// TestExtremes looks for steps where a function goes over to another formula, and at numbers so
// large or small that their functions are known.
func TestExtremes(t *testing.T) {
	t.Parallel()
	others := []float64{5e-324, 1e-310, 1e-160, 1e-20, 0.3, 1, 1 + 0x1p-52, 1.7, 1e9, 1e20, 1e160, 1e300}
	for name, f := range map[string]func(complex128) complex128{"Asin": Asin, "Acos": Acos, "Atan": Atan, "Atanh": Atanh, "Asinh": Asinh} {
		for _, edge := range []float64{leastRoot, mostRoot, 0x1p27, 0x1p52, 0x1p1000} {
			for _, other := range others {
				for _, z := range []complex128{complex(edge, other), complex(other, edge)} {
					below := complex(real(z)*(1-0x1p-50), imag(z)*(1-0x1p-50))
					if a, b := f(z), f(below); !alike(a, b) && other != 1 && other != 1+0x1p-52 {
						t.Errorf("%s(%v) is %v, and %s(%v) is %v", name, z, a, name, below, b)
					}
				}
			}
		}
	}
	log := func(x float64) float64 { return math.Log(x) }
	for _, c := range []struct{ got, want complex128 }{
		{Asin(complex(1, 1e-300)), complex(math.Pi/2-1e-150, 1e-150)},
		{Acos(complex(1, 1e-300)), complex(1e-150, -1e-150)},
		{Acos(complex(1e300, 1e-300)), complex(0, -(log(2) + log(1e300)))},
		{Asin(complex(1e300, 1e300)), complex(math.Pi/4, log(2)*1.5+log(1e300))},
		{Asin(complex(1e-300, 5)), complex(1e-300/math.Sqrt(26), math.Asinh(5))},
		{Asin(complex(0.5, 1e-300)), complex(math.Asin(0.5), 1e-300/math.Sqrt(0.75))},
		{Atanh(complex(1, 1e-300)), complex((log(2)-log(1e-300))/2, math.Pi/4)},
		{Atanh(complex(1e300, 1e300)), complex(5e-301, math.Pi/2)},
		{Atanh(complex(1e-310, 1e-310)), complex(1e-310, 1e-310)},
		{Cot(complex(1e-200, 1e-200)), complex(5e199, -5e199)},
		{Cot(complex(1, 400)), complex(0, -1)},
	} {
		if !alike(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
