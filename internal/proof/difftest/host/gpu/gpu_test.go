package gpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFMA compares FMA of float32 with exact arithmetic, on operands whose sum mostly needs the
// rounding to odd.
func TestFMA(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := func(spread int) float32 {
		return float32(math.Ldexp(float64(int32(r.Uint32())>>(r.IntN(24))), r.IntN(2*spread+1)-spread))
	}
	for range 300000 {
		x, y := random(3), random(3)
		z := random(60)
		if r.IntN(4) == 0 {
			z = -float32(float64(x) * float64(y)) // cancellation
		}
		exact := new(big.Float).SetPrec(600)
		exact.Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)).SetPrec(600))
		exact.Add(exact, big.NewFloat(float64(z)))
		want, _ := exact.Float32()
		if got := FMA(x, y, z); got != want {
			t.Fatalf("FMA(%g, %g, %g) = %g, want %g", x, y, z, got, want)
		}
	}
}

// TestFMASmall does the same where the result is denormal in float32.
func TestFMASmall(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 100000 {
		x := math.Float32frombits(r.Uint32()&0x007f_ffff | uint32(r.IntN(3))<<23 | 60<<23)
		y := math.Float32frombits(r.Uint32()&0x007f_ffff | 40<<23)
		z := math.Float32frombits(r.Uint32() & 0x80ff_ffff)
		exact := new(big.Float).SetPrec(600)
		exact.Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)).SetPrec(600))
		exact.Add(exact, big.NewFloat(float64(z)))
		want, _ := exact.Float32()
		if got := FMA(x, y, z); got != want {
			t.Fatalf("FMA(%g, %g, %g) = %g, want %g", x, y, z, got, want)
		}
	}
}
