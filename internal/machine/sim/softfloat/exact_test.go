package softfloat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestDirected compares results in the directed modes with math/big, for operands of all exponents
// and near the ends of the range.
func TestDirected(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := func() float64 {
		for {
			v := math.Float64frombits(r.Uint64())
			switch r.IntN(4) {
			case 0:
				v = math.Ldexp(float64(r.IntN(64)-32), r.IntN(2200)-1100)
			case 1:
				v = math.Ldexp(1+float64(r.IntN(3)-1)*0x1p-52, r.IntN(120)-60)
			}
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				return v
			}
		}
	}
	exactly := func(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }
	modes := map[Rounding]big.RoundingMode{ToZero: big.ToZero, Down: big.ToNegativeInf, Up: big.ToPositiveInf}
	for range 20_000 {
		a, b, c := random(), random(), random()
		if r.IntN(4) == 0 {
			c = -a * b // the result is the product's rounding error
			if math.IsInf(c, 0) {
				continue
			}
		}
		for mode, in := range modes {
			check := func(name string, got float64, exact *big.Float) {
				t.Helper()
				if exact.Sign() == 0 {
					if got != 0 {
						t.Errorf("%s of %g, %g, %g: %g, want a zero", name, a, b, c, got)
					}
					return
				}
				if want := rounded(exact, in); got != want {
					t.Errorf("%s %v of %g, %g, %g: %g, want %g", name, in, a, b, c, got, want)
				}
			}
			product := new(big.Float).SetPrec(5000).Mul(exactly(a), exactly(b))
			check("mul", Mul64(a, b, mode), product)
			check("fma", FMA64(a, b, c, mode), new(big.Float).SetPrec(5000).Add(product, exactly(c)))
			check("add", Add64(a, c, mode), new(big.Float).SetPrec(5000).Add(exactly(a), exactly(c)))
			if b != 0 {
				check("div", Div64(a, b, mode), new(big.Float).SetPrec(400).Quo(exactly(a), exactly(b)))
			}
			if a > 0 {
				check("sqrt", Sqrt64(a, mode), new(big.Float).SetPrec(400).Sqrt(exactly(a)))
			}
		}
	}
}

// rounded is x as a double in a directed mode.
func rounded(x *big.Float, mode big.RoundingMode) float64 {
	near, side := x.Float64() // to nearest; side says whether near is below or above x
	if mode == big.ToZero {
		mode = big.ToNegativeInf
		if x.Sign() < 0 {
			mode = big.ToPositiveInf
		}
	}
	switch {
	case mode == big.ToNegativeInf && side == big.Above:
		return math.Nextafter(near, math.Inf(-1))
	case mode == big.ToPositiveInf && side == big.Below:
		return math.Nextafter(near, math.Inf(1))
	}
	return near
}
