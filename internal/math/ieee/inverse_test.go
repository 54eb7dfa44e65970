package ieee

import (
	"flag"
	"math"
	"testing"
)

var all = flag.Bool("all", false, "try every fraction, which takes ten seconds, and not one in 61")

// fractions calls f with the numbers from 1 to limit, all or some and those that are hardest.
func fractions(limit float32, f func(x float32)) {
	step := uint32(61)
	if *all {
		step = 1
	}
	end := math.Float32bits(limit)
	for b := math.Float32bits(1); b < end; b += step {
		f(math.Float32frombits(b))
	}
	// These fail with a step less, or with one that leaves out what is rounded off.
	for _, after := range []uint32{0x0a5c86, 0x3a2a39, 0x52208f, 0x5ae942, 0x6d3230, 0x7fffff, 0x89f038, 0xba18e3,
		0xc2ed16, 0xee9372, 0xfdbbac, 0xfffffe, 0xffffff} {
		if b := math.Float32bits(1) + after; b < end {
			f(math.Float32frombits(b))
		}
	}
}

// TestInverse begins with every approximation within 8 units in the last place. The exponent of x
// makes no difference.
func TestInverse(t *testing.T) {
	t.Parallel()
	fractions(2, func(x float32) {
		want := Inverse(x)
		for b := math.Float32bits(want) - 8; b <= math.Float32bits(want)+8; b++ {
			if y := inverseFrom(x, math.Float32frombits(b)); y != want {
				t.Errorf("1/%x from %x: got %x, want %x", x, math.Float32frombits(b), y, want)
			}
		}
	})
}

// TestInverseRoot begins with every approximation within 2^-22.8. Whether the exponent of x is even
// makes a difference.
func TestInverseRoot(t *testing.T) {
	t.Parallel()
	bound := math.Exp2(-22.8)
	fractions(4, func(x float32) {
		want, exact := InverseRoot(x), 1/math.Sqrt(float64(x))
		for b := math.Float32bits(want) - 4; b <= math.Float32bits(want)+4; b++ {
			near := math.Float32frombits(b)
			if math.Abs(float64(near)-exact) > bound*exact {
				continue
			}
			if y := inverseRootFrom(x, near); y != want {
				t.Errorf("1/sqrt(%x) from %x: got %x, want %x", x, near, y, want)
			}
		}
	})
}

func TestFMAUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ x, y, z, want float32 }{
		{1, 1, 0, 1},
		{1, 0x1p-30, 1, 0x1.000002p0},
		{-1, 0x1p-30, 1, 1},
		{1, 0x1p-30, -1, -0x1.fffffep-1},
		{-1, 0x1p-30, -1, -1},
		{0x1.000002p0, 0x1.000002p0, 0, 0x1.000006p0},
		{0x1p-100, 0x1p-100, 0, 0x1p-149},
		{0x1p100, 0x1p100, 0, float32(math.Inf(1))},
		{0x1.fffffep127, 1, 0x1p-149, float32(math.Inf(1))},
	} {
		if got := FMAUp(test.x, test.y, test.z); got != test.want {
			t.Errorf("%x*%x + %x rounded up: got %x, want %x", test.x, test.y, test.z, got, test.want)
		}
	}
	if x := FMAUp(float32(math.NaN()), 1, 1); x == x {
		t.Errorf("NaN*1 + 1 is %v", x)
	}
}
