package pass

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/internal/compile/ir"
)

// TestSameInSingle compares the operations with a float64 that is rounded, at numbers of all sizes and
// at those whose results are subnormal or nearly halfway between two.
func TestSameInSingle(t *testing.T) {
	t.Parallel()
	single := map[ir.Op]func(x, y float32) float32{
		ir.FAdd: func(x, y float32) float32 { return x + y }, ir.FSub: func(x, y float32) float32 { return x - y },
		ir.FMul: func(x, y float32) float32 { return x * y }, ir.FDiv: func(x, y float32) float32 { return x / y },
	}
	double := map[ir.Op]func(x, y float64) float64{
		ir.FAdd: func(x, y float64) float64 { return x + y }, ir.FSub: func(x, y float64) float64 { return x - y },
		ir.FMul: func(x, y float64) float64 { return x * y }, ir.FDiv: func(x, y float64) float64 { return x / y },
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		x, y := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		if r.IntN(2) == 0 { // the product or the quotient is subnormal
			y = float32(math.Ldexp(1+r.Float64(), -135-math.Ilogb(float64(x))))
			if r.IntN(2) == 0 && y != 0 {
				y = 1 / y
			}
		}
		for op, f := range single {
			if !sameInSingle[op] {
				continue
			}
			got, want := f(x, y), float32(double[op](float64(x), float64(y)))
			if math.Float32bits(got) != math.Float32bits(want) && got == got {
				t.Fatalf("%v(%x, %x) is %x in float32, and %x by float64", op, x, y, got, want)
			}
		}
	}
	if len(sameInSingle) != 13 {
		t.Error("an operation was added: its proof is to be added as well")
	}
}
