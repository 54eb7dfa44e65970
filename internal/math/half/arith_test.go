package half

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// An operation is one of two operands, with the simulator's results, which are an H200's and are
// computed in another way: in float64, rounded to odd.
type operation struct {
	name    string
	f16     func(x, y uint16) uint16
	bf16    func(x, y uint16) uint16
	control func(x, y float64) float64
}

var operations = []operation{
	{"Add", F16Add, BF16Add, softfloat.AddOdd},
	{"Sub", F16Sub, BF16Sub, func(x, y float64) float64 { return softfloat.AddOdd(x, -y) }},
	{"Mul", F16Mul, BF16Mul, func(x, y float64) float64 { return x * y }},
	{"Div", F16Div, BF16Div, softfloat.DivOdd},
	{"Min", F16Min, BF16Min, func(x, y float64) float64 { return min(x, y) }},
	{"Max", F16Max, BF16Max, func(x, y float64) float64 { return max(x, y) }},
}

func (o *operation) of(f *format) func(x, y uint16) uint16 {
	if f.inf == F16Inf {
		return o.f16
	}
	return o.bf16
}

func (f *format) control() *softfloat.Format {
	if f.inf == F16Inf {
		return softfloat.Half
	}
	return softfloat.BFloat
}

// values are the numbers of a format as the simulator decodes them.
func (f *format) values() []float64 {
	list := make([]float64, 1<<16)
	for i := range list {
		list[i] = f.control().Value(uint32(i))
	}
	return list
}

// TestPairs compares the operations of two operands with the simulator's, for random pairs, or all.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		values := f.values()
		for _, o := range operations {
			compute := o.of(f)
			check := func(x, y uint16) bool {
				want := uint16(f.control().Round(o.control(values[x], values[y]), softfloat.Nearest))
				got := compute(x, y)
				if got != want {
					t.Errorf("%s%s(%#04x, %#04x) = %#04x, want %#04x", f.name, o.name, x, y, got, want)
				}
				return got == want
			}
			if *all {
				allPairs(check)
				t.Logf("%s%s: all pairs", f.name, o.name)
				continue
			}
			r := rand.New(rand.NewPCG(3, 4))
			for range 20000 {
				if x, y := f.operand(r), f.operand(r); !check(x, y) {
					break
				}
			}
		}
	}
}

// allPairs calls check for all pairs, on all processors, until it is false.
func allPairs(check func(x, y uint16) bool) {
	var wg sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		wg.Go(func() {
			for x := part; x < 1<<16; x += parts {
				for y := range 1 << 16 {
					if !check(uint16(x), uint16(y)) {
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// operand is a random number, one of two near a boundary: 0, the subnormal numbers, 1 and Inf.
func (f *format) operand(r *rand.Rand) uint16 {
	if r.IntN(2) == 0 {
		return uint16(r.Uint32())
	}
	one := f.from32[toNearest](1)
	least := one & -one // the least normal number: 0x3c00 has the lowest bit of the exponent set, and 0x3f80
	edge := []uint16{0, least, one, f.inf}[r.IntN(4)]
	return edge + uint16(r.IntN(9)) - 4 ^ uint16(r.IntN(2))<<15
}

// TestExact compares sums, products and fused products with exact arithmetic.
func TestExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range formats {
		add, sub, mul, fma := F16Add, F16Sub, F16Mul, F16FMA
		if f.inf == BF16Inf {
			add, sub, mul, fma = BF16Add, BF16Sub, BF16Mul, BF16FMA
		}
		check := func(name string, got uint16, exact *big.Float, operands ...uint16) {
			if exact.Sign() == 0 {
				return // the sign of a zero is TestFMA's and TestPairs's
			}
			if want := f.roundBig(exact, toNearest); got != want {
				t.Fatalf("%s%s%#04x = %#04x, want %#04x", f.name, name, operands, got, want)
			}
		}
		for range 20000 {
			x, y, z := f.operand(r), f.operand(r), f.operand(r)
			if x&^sign >= f.inf || y&^sign >= f.inf || z&^sign >= f.inf {
				continue
			}
			if r.IntN(3) == 0 { // cancellation, or nearly
				z = mul(x, y) ^ sign + uint16(r.IntN(3)) - 1
				if z&^sign >= f.inf {
					continue
				}
			}
			a, b, c := f.exact(x), f.exact(y), f.exact(z)
			check("Add", add(x, z), new(big.Float).SetPrec(600).Add(a, c), x, z)
			check("Sub", sub(x, z), new(big.Float).SetPrec(600).Sub(a, c), x, z)
			product := new(big.Float).SetPrec(600).Mul(a, b)
			check("Mul", mul(x, y), product, x, y)
			check("FMA", fma(x, y, z), new(big.Float).SetPrec(600).Add(product, c), x, y, z)
		}
	}
}

func (f *format) exact(x uint16) *big.Float {
	return new(big.Float).SetPrec(600).SetFloat64(float64(f.toF32(x)))
}

// TestFMA compares fused products with the simulator's.
func TestFMA(t *testing.T) {
	t.Parallel()
	count := 150000
	if *all {
		count = 1 << 30
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, f := range formats {
		values, fma, mul := f.values(), F16FMA, F16Mul
		if f.inf == BF16Inf {
			fma, mul = BF16FMA, BF16Mul
		}
		for range count {
			x, y, z := f.operand(r), f.operand(r), f.operand(r)
			if r.IntN(3) == 0 {
				z = mul(x, y) ^ sign + uint16(r.IntN(3)) - 1
			}
			want := uint16(f.control().Round(softfloat.AddOdd(values[x]*values[y], values[z]), softfloat.Nearest))
			if got := fma(x, y, z); got != want {
				t.Fatalf("%sFMA(%#04x, %#04x, %#04x) = %#04x, want %#04x", f.name, x, y, z, got, want)
			}
		}
	}
}

// TestSqrt compares the square roots of all numbers.
func TestSqrt(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		root := F16Sqrt
		if f.inf == BF16Inf {
			root = BF16Sqrt
		}
		for i := range uint32(1 << 16) {
			x := f.control().Value(i)
			want := uint16(f.control().Round(softfloat.SqrtOdd(x), softfloat.Nearest))
			if math.IsInf(x, 1) || x == 0 {
				want = uint16(i)
			}
			if got := root(uint16(i)); got != want {
				t.Fatalf("%sSqrt(%#04x) = %#04x, want %#04x", f.name, i, got, want)
			}
		}
	}
}
