package pass

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var allRoots = flag.Bool("roots", false, "compare the roots of all float32 numbers, which takes a minute")

// TestSingle compares operations on float32 numbers with those in float64, rounded afterwards,
// which Fold takes to be the same. Most operands are such that the result is near a limit:
// subnormal, of another exponent than the operands, or near a number halfway between two.
func TestSingle(t *testing.T) {
	t.Parallel()
	same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y }
	r := rand.New(rand.NewPCG(1, 2))
	operand := func() float32 {
		bits := r.Uint32()
		switch r.IntN(8) {
		case 0:
			bits &= 0x80ffffff // subnormal, or nearly
		case 1:
			bits = bits&0x80000000 | 0x7f000000 | bits&0xffffff // large, infinite, NaN
		case 2:
			bits &= 0xff800000 | 0xff<<r.IntN(23) // few bits
		case 3, 4:
			bits = bits&0x807fffff | uint32(120+r.IntN(16))<<23 // about 1
		}
		return math.Float32frombits(bits)
	}
	for range 3_000_000 {
		x, y := operand(), operand()
		if r.IntN(4) == 0 { // the quotient is near a subnormal one
			y = float32(float64(x) / (float64(r.IntN(1<<20)) * 0x1p-150))
		}
		a, b := float64(x), float64(y)
		for op, results := range map[string][2]float32{
			"+": {x + y, float32(a + b)}, "-": {x - y, float32(a - b)}, "*": {x * y, float32(a * b)},
			"/": {x / y, float32(a / b)},
		} {
			if !same(results[0], results[1]) {
				t.Fatalf("%x %s %x is %x, rounded twice %x", x, op, y, results[0], results[1])
			}
		}
	}
	step := uint64(10_007)
	if *allRoots {
		step = 1
	}
	for bits := uint64(0); bits < 1<<32; bits += step {
		x := math.Float32frombits(uint32(bits))
		if got, want := float32(math.Sqrt(float64(x))), root(x); !same(got, want) {
			t.Fatalf("the root of %x is %x, rounded twice %x", x, want, got)
		}
	}
}

// root is the square root of x rounded once: of the nearest numbers, the one whose square is on the
// right side of x. The square of a number halfway between two float32 numbers is exact in float64.
func root(x float32) float32 {
	if !(x > 0) || math.IsInf(float64(x), 1) {
		return float32(math.Sqrt(float64(x)))
	}
	s := float32(math.Sqrt(float64(x)))
	above := math.Nextafter32(s, float32(math.Inf(1)))
	below := math.Nextafter32(s, 0)
	switch half := (float64(s) + float64(above)) / 2; {
	case half*half < float64(x):
		return above
	}
	if half := (float64(s) + float64(below)) / 2; half*half > float64(x) {
		return below
	}
	return s
}
