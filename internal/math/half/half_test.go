package half

import (
	"cmp"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

var all = flag.Bool("all", false, "compare all pairs of operands, and all float32: hours")

// A format describes one to the tests: its functions, and its numbers in order.
type format struct {
	name     string
	inf      uint16
	toF32    func(uint16) float32
	from32   [4]func(float32) uint16
	from64   [4]func(float64) uint16
	numbers  []float64 // the finite ones that are not negative; number i has the bits i
	overflow float64   // what would follow the largest
}

var formats = []*format{
	{name: "F16", inf: F16Inf, toF32: F16ToF32, overflow: 0x1p16,
		from32: [4]func(float32) uint16{F16Nearest[float32], F16Zero[float32], F16Down[float32], F16Up[float32]},
		from64: [4]func(float64) uint16{F16Nearest[float64], F16Zero[float64], F16Down[float64], F16Up[float64]}},
	{name: "BF16", inf: BF16Inf, toF32: BF16ToF32, overflow: 0x1p128,
		from32: [4]func(float32) uint16{BF16Nearest[float32], BF16Zero[float32], BF16Down[float32], BF16Up[float32]},
		from64: [4]func(float64) uint16{BF16Nearest[float64], BF16Zero[float64], BF16Down[float64], BF16Up[float64]}},
}

// The modes, as indices of from32 and from64.
const (
	toNearest = iota
	toZero
	toDown
	toUp
)

func init() {
	for _, f := range formats {
		digits := map[string]int{"F16": 10, "BF16": 7}[f.name]
		least := map[string]int{"F16": -24, "BF16": -133}[f.name]
		for i := range int(f.inf) { // IEEE 754-2019, 3.4
			exponent, fraction := i>>digits, i&(1<<digits-1)
			if exponent > 0 {
				exponent, fraction = exponent-1, fraction|1<<digits
			}
			f.numbers = append(f.numbers, math.Ldexp(float64(fraction), exponent+least))
		}
	}
}

// round is the definition of rounding: of the two numbers next to x the one that the mode wants.
// compare says how the magnitude of x compares with a number.
func (f *format) round(negative bool, mode int, compare func(n float64) int) uint16 {
	signed := uint16(0)
	if negative {
		signed = sign
	}
	i, exact := slices.BinarySearchFunc(f.numbers, 0, func(n float64, _ int) int { return -compare(n) })
	if exact {
		return signed | uint16(i)
	}
	lower, upper := i-1, f.overflow
	if i < len(f.numbers) {
		upper = f.numbers[i]
	}
	up := false
	switch mode {
	case toDown, toUp:
		up = (mode == toDown) == negative
	case toNearest:
		c := compare((f.numbers[lower] + upper) / 2)
		up = c > 0 || c == 0 && lower&1 == 1
	}
	if up {
		lower++
	}
	return signed | uint16(lower)
}

// roundBig is round of a finite number.
func (f *format) roundBig(x *big.Float, mode int) uint16 {
	magnitude := new(big.Float).Abs(x)
	return f.round(x.Signbit(), mode, func(n float64) int { return magnitude.Cmp(big.NewFloat(n)) })
}

// round64 is round of a float64, of Inf and NaN too.
func (f *format) round64(x float64, mode int) uint16 {
	switch {
	case x != x:
		return NaN
	case math.IsInf(x, 0):
		return f.inf | uint16(math.Float64bits(x)>>63)<<15
	}
	return f.round(math.Signbit(x), mode, func(n float64) int { return cmp.Compare(math.Abs(x), n) })
}

// TestToF32 compares the value of all 2^16 numbers with the definition of the formats.
func TestToF32(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		for i := range uint32(1 << 16) {
			h := uint16(i)
			got := f.toF32(h)
			want := math.NaN()
			switch m := h &^ sign; {
			case m < f.inf:
				want = f.numbers[m]
			case m == f.inf:
				want = math.Inf(1)
			}
			if h&sign != 0 {
				want = -want
			}
			if float64(got) != want && (want == want || got == got) || math.Signbit(float64(got)) != (h&sign != 0) {
				t.Fatalf("%s: %#04x is %g, want %g", f.name, h, got, want)
			}
		}
	}
}

// beside returns the float64 values near a number of a format and near the middle between it and
// the next, which are hard to convert.
func (f *format) beside(i int) []float64 {
	x, next := f.numbers[i], f.overflow
	if i+1 < len(f.numbers) {
		next = f.numbers[i+1]
	}
	var list []float64
	for _, x := range []float64{x, (x + next) / 2} {
		single := float32(x)
		list = append(list, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)),
			float64(math.Nextafter32(single, float32(math.Inf(1)))), float64(math.Nextafter32(single, 0)))
	}
	for _, x := range list {
		list = append(list, -x)
	}
	return list
}

// TestRound compares all conversions with the definition of rounding, near each number and near the
// middle between it and the next, and outside of the numbers.
func TestRound(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		values := []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 1e300, -1e300, 0x1p-149, 0x1p-1074, -0x1p-1074,
			math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64}
		for i := range f.numbers {
			values = append(values, f.beside(i)...)
		}
		for _, x := range values {
			for mode := range 4 {
				if got, want := f.from64[mode](x), f.round64(x, mode); got != want {
					t.Fatalf("%s, mode %d: %g (%x) of float64 becomes %#04x, want %#04x", f.name, mode, x, x, got, want)
				}
				single := float32(x)
				if got, want := f.from32[mode](single), f.round64(float64(single), mode); got != want {
					t.Fatalf("%s, mode %d: %g of float32 becomes %#04x, want %#04x", f.name, mode, single, got, want)
				}
			}
		}
	}
}

// TestRoundTrip converts all numbers to float32 and float64 and back: no mode changes any.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		for i := range uint32(1 << 16) {
			h, want := uint16(i), uint16(i)
			if h&^sign > f.inf {
				want = NaN
			}
			x := f.toF32(h)
			for mode := range 4 {
				if got := f.from32[mode](x); got != want {
					t.Fatalf("%s, mode %d: %#04x becomes %#04x", f.name, mode, h, got)
				}
				if got := f.from64[mode](float64(x)); got != want {
					t.Fatalf("%s, mode %d: %#04x becomes %#04x by float64", f.name, mode, h, got)
				}
			}
		}
	}
}

// TestOddInteger rounds integers by way of float32 and directly.
func TestOddInteger(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 30000 {
		n := r.Uint64() >> r.IntN(64)
		if r.IntN(2) == 0 { // the middle of two numbers, or near it
			low := r.IntN(56)
			n = n>>low<<low + 1<<low>>1 + uint64(r.IntN(3)) - 1
		}
		exact := new(big.Float).SetUint64(n)
		for _, f := range formats {
			for mode := range 4 {
				if got, want := f.from32[mode](ieee.OddInteger(n)), f.roundBig(exact, mode); got != want {
					t.Fatalf("%s, mode %d: %d becomes %#04x, want %#04x", f.name, mode, n, got, want)
				}
			}
		}
	}
}

// TestFromF32All converts every float32.
func TestFromF32All(t *testing.T) {
	if !*all {
		t.Skip("2^32 numbers; run with -all")
	}
	for _, f := range formats {
		i := 0 // the number below x
		for b := range uint32(0x7f800001) {
			x := math.Float32frombits(b)
			for i+1 < len(f.numbers) && f.numbers[i+1] <= float64(x) {
				i++
			}
			above := f.overflow
			if i+1 < len(f.numbers) {
				above = f.numbers[i+1]
			}
			want := [4]uint16{uint16(i), uint16(i), uint16(i), uint16(i)}
			if float64(x) != f.numbers[i] {
				want[toUp]++
			}
			if middle := (f.numbers[i] + above) / 2; float64(x) > middle || float64(x) == middle && i&1 == 1 {
				want[toNearest]++
			}
			if b == 0x7f800000 {
				want = [4]uint16{f.inf, f.inf, f.inf, f.inf}
			}
			for mode := range 4 {
				mirror := []int{toNearest, toZero, toUp, toDown}[mode]
				if got := f.from32[mode](x); got != want[mode] {
					t.Fatalf("%s, mode %d: %g becomes %#04x, want %#04x", f.name, mode, x, got, want[mode])
				}
				if got := f.from32[mirror](-x); got != want[mode]|sign {
					t.Fatalf("%s, mode %d: %g becomes %#04x, want %#04x", f.name, mirror, -x, got, want[mode]|sign)
				}
			}
		}
	}
}
