package blas

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
)

// identical tells -0 from 0, and takes NaN for NaN.
func identical[T Float](x, y T) bool {
	return math.Float64bits(float64(x)) == math.Float64bits(float64(y))
}

// width is the binary digits of a bin.
func width[T Float]() int {
	if kernel.Single[T]() {
		return 16
	}
	return 32
}

// binnedSum is the reproducible sum by its definition, with numbers of any length.
func binnedSum[T Float](x []T) T {
	bias := map[bool]int{true: 127, false: 1023}[kernel.Single[T]()]
	top := 0
	for _, v := range x {
		if v != 0 {
			top = max(top, floorDiv(math.Ilogb(float64(v))+bias, width[T]()))
		}
	}
	lowest := (top-2)*width[T]() - bias + 1 // exponent of the lowest unit
	sum := new(big.Int)
	for _, v := range x {
		rest := new(big.Rat).SetFloat64(float64(v))
		for fold := 2; fold >= 0; fold-- {
			unit := power2(lowest + fold*width[T]())
			n := roundAway(new(big.Rat).Quo(rest, unit))
			rest.Sub(rest, new(big.Rat).Mul(new(big.Rat).SetInt(n), unit))
			sum.Add(sum, n.Lsh(n, uint(fold*width[T]())))
		}
	}
	exact := new(big.Rat).Mul(new(big.Rat).SetInt(sum), power2(lowest))
	if kernel.Single[T]() {
		f, _ := exact.Float32()
		return T(f)
	}
	f, _ := exact.Float64()
	return T(f)
}

func floorDiv(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }

func power2(n int) *big.Rat {
	one := big.NewInt(1)
	if n < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-n)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(n)))
}

// roundAway rounds to the nearest integer, halves away from 0.
func roundAway(x *big.Rat) *big.Int {
	twice := new(big.Int).Mul(new(big.Int).Abs(x.Num()), big.NewInt(2))
	n := twice.Add(twice, x.Denom())
	n.Quo(n, new(big.Int).Mul(x.Denom(), big.NewInt(2)))
	if x.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// vectors are terms that are hard for sums: of all exponents, cancelling, halfway between slices,
// subnormal, and so large that additions in an order overflow.
func hardVectors[T Float](r *rand.Rand) map[string][]T {
	largest, smallest := math.MaxFloat64, math.SmallestNonzeroFloat64
	if kernel.Single[T]() {
		largest, smallest = math.MaxFloat32, math.SmallestNonzeroFloat32
	}
	low, high := math.Ilogb(smallest), math.Ilogb(largest)
	all := map[string][]T{
		"none": {}, "zeros": {T(math.Copysign(0, -1)), 0}, "minus zero": {T(math.Copysign(0, -1))},
		"largest":  {T(largest), T(largest), T(-largest)},
		"overflow": {T(largest), T(largest), T(-largest), T(largest / 2)},
		"smallest": {T(smallest), T(smallest), T(smallest), T(-smallest)},
	}
	add := func(name string, n int, term func(i int) float64) {
		x := make([]T, n)
		for i := range x {
			x[i] = T(term(i))
		}
		all[fmt.Sprint(name, " ", n)] = x
	}
	for _, n := range []int{1, 2, 31, 33, 255, 700, 1537, 5000} {
		add("normal", n, func(int) float64 { return r.NormFloat64() })
		add("wide", n, func(int) float64 { return math.Ldexp(r.Float64()-0.5, low+r.IntN(high-low)) })
		add("rising", n, func(i int) float64 { return math.Ldexp(r.Float64()-0.5, low+(high-low)*i/n) })
		add("subnormal", n, func(int) float64 { return smallest * float64(r.IntN(1000)-500) })
		add("halves", n, func(int) float64 { // of the units of three bins
			return math.Ldexp(float64(2*r.IntN(5)-5), 1-width[T]()*r.IntN(3))
		})
		add("halves below", n, func(int) float64 { // their bin is the lowest one, once the last term is there
			if r.IntN(n) == 0 {
				return math.Ldexp(1, 2+2*width[T]())
			}
			return float64(4*r.IntN(5) - 10)
		})
		add("ones", n, func(int) float64 { return math.Nextafter(math.Ldexp(1, width[T]()), 0) })
		sign := 1.0
		add("cancelling", n, func(i int) float64 {
			sign = -sign
			return sign * (1e10 + float64(i/2%7))
		})
	}
	return all
}

// TestReproducible: the result equals the definition's, on every instruction set and in any order.
func TestReproducible(t *testing.T) {
	t.Run("float32", testReproducible[float32])
	t.Run("float64", testReproducible[float64])
}

func testReproducible[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, x := range hardVectors[T](r) {
		want := binnedSum(x)
		ones := make([]T, len(x))
		for i := range ones {
			ones[i] = 1
		}
		for _, level := range asm.Levels() {
			restore := asm.Force(level)
			for range 3 {
				if got := SumReproducible(x); !identical(got, want) {
					t.Errorf("%s, %v: the sum is %v, want %v", name, level, got, want)
				}
				if got := DotReproducible(x, ones); !identical(got, want) {
					t.Errorf("%s, %v: the product with ones is %v, want %v", name, level, got, want)
				}
				x = slices.Clone(x)
				r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			}
			restore()
		}
	}
}

// TestReproducibleSpecial: infinities and NaN anywhere, and products that become such.
func TestReproducibleSpecial(t *testing.T) {
	t.Run("float32", testReproducibleSpecial[float32])
	t.Run("float64", testReproducibleSpecial[float64])
}

func testReproducibleSpecial[T Float](t *testing.T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	for _, level := range asm.Levels() {
		defer asm.Force(level)()
		for _, test := range []struct {
			terms []T
			want  T
		}{
			{[]T{inf}, inf}, {[]T{-inf}, -inf}, {[]T{nan}, nan}, {[]T{inf, inf}, inf},
			{[]T{inf, -inf}, nan}, {[]T{-inf, nan}, nan}, {[]T{inf, nan, -inf}, nan},
		} {
			for _, n := range []int{len(test.terms), 100, 3000} {
				x, y := make([]T, n), make([]T, n)
				for i := range x {
					x[i], y[i] = T(i), 1
				}
				for i, v := range test.terms {
					x[i*n/len(test.terms)] = v
				}
				if got := SumReproducible(x); !identical(got, test.want) && (got == got || test.want == test.want) {
					t.Errorf("%v: the sum of %v in %d elements is %v, want %v", level, test.terms, n, got, test.want)
				}
				if got := DotReproducible(x, y); !identical(got, test.want) && (got == got || test.want == test.want) {
					t.Errorf("%v: the product of %v in %d elements is %v, want %v", level, test.terms, n, got, test.want)
				}
			}
		}
		large := []T{1, T(math.Ldexp(1, 100)), 1}
		for range 4 {
			for i := range large {
				large[i] *= large[i]
			}
		}
		if got := DotReproducible(large, large); !math.IsInf(float64(got), 1) {
			t.Errorf("%v: a product that is too large gives %v", level, got)
		}
	}
}

// TestReproducibleBound holds the result to the bound of the comment.
func TestReproducibleBound(t *testing.T) {
	t.Run("float32", testReproducibleBound[float32])
	t.Run("float64", testReproducibleBound[float64])
}

func testReproducibleBound[T Float](t *testing.T) {
	for name, x := range hardVectors[T](rand.New(rand.NewPCG(3, 4))) {
		exact, largest := new(big.Rat), 0.0
		for _, v := range x {
			exact.Add(exact, new(big.Rat).SetFloat64(float64(v)))
			largest = max(largest, math.Abs(float64(v)))
		}
		got := SumReproducible(x)
		if name == "overflow" {
			continue
		}
		difference, _ := exact.Sub(exact, new(big.Rat).SetFloat64(float64(got))).Float64()
		dropped := math.Ldexp(largest*float64(len(x)), -2*width[T]())
		if bound := math.Abs(float64(got))*accuracy.Unit[T]() + dropped; math.Abs(difference) > bound*(1+0x1p-40) {
			t.Errorf("%s: the sum %v is off by %g, and the bound is %g", name, got, difference, bound)
		}
	}
}

// TestAsumNrm2Reproducible: the same bits in any order, on every instruction set and with any
// number of goroutines. Asum is the sum of the absolute values, and Nrm2 is near the exact root,
// also of squares that are too large or too small for the type.
func TestAsumNrm2Reproducible(t *testing.T) {
	t.Run("float32", testAsumNrm2Reproducible[float32])
	t.Run("float64", testAsumNrm2Reproducible[float64])
}

func testAsumNrm2Reproducible[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	vectors := hardVectors[T](r)
	largest := T(math.MaxFloat32)
	if width[T]() > 16 {
		largest = T(math.Float64frombits(0x7fefffffffffffff))
	}
	smallest := 1 / largest
	vectors["none"] = nil
	vectors["zeros"] = []T{0, T(math.Copysign(0, -1)), 0}
	vectors["large"] = []T{largest / 4, -largest / 8, 1, largest / 16}
	vectors["small"] = []T{smallest / 4, -smallest, smallest / 2, 0}
	for range 3*cores.Piece + 11 {
		vectors["long"] = append(vectors["long"], T(r.NormFloat64()))
	}
	for name, x := range vectors {
		absolute, squares, all := make([]T, len(x)), new(big.Float).SetPrec(2000), true
		for i, v := range x {
			absolute[i] = max(v, -v)
			all = all && v-v == 0
			if all {
				f := new(big.Float).SetPrec(2000).SetFloat64(float64(v))
				squares.Add(squares, f.Mul(f, f))
			}
		}
		wantAsum, wantNrm2 := SumReproducible(absolute), Nrm2Reproducible(x)
		if exact, _ := squares.Sqrt(squares).Float64(); all && exact <= float64(largest) {
			if off := math.Abs(float64(wantNrm2) - exact); off > 4*accuracy.Unit[T]()*exact+float64(smallest)/(1<<20) {
				t.Errorf("%s: the norm is %v, want %v", name, wantNrm2, exact)
			}
		}
		for _, level := range asm.Levels() {
			restore := asm.Force(level)
			for range 2 {
				x = slices.Clone(x)
				r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
				if got := AsumReproducible(x); !identical(got, wantAsum) {
					t.Errorf("%s, %v: the sum of absolute values is %v, want %v", name, level, got, wantAsum)
				}
				if got := Nrm2Reproducible(x); !identical(got, wantNrm2) {
					t.Errorf("%s, %v: the norm is %v, want %v", name, level, got, wantNrm2)
				}
			}
			restore()
		}
	}
	inf, nan := T(math.Inf(1)), T(math.NaN())
	for _, x := range [][]T{{1, -inf, 2}, {inf}, {nan, inf}, {1, nan}} {
		got, plain := Nrm2Reproducible(x), Asum(x)
		if (got != got) != (plain != plain) || got == got && got != inf {
			t.Errorf("the norm of %v is %v", x, got)
		}
		if got := AsumReproducible(x); (got != got) != (plain != plain) || got == got && got != inf {
			t.Errorf("the sum of absolute values of %v is %v", x, got)
		}
	}
}
