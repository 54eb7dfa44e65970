package half

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// A byteFormat describes a format of 8 bits to the tests.
type byteFormat struct {
	name     string
	toF32    func(uint8) float32
	from32   func(float32) uint8
	from64   func(float64) uint8
	infinity uint8     // its bits, 0 if there is none
	numbers  []float64 // the finite ones that are not negative; number i has the bits i
}

func byteFormats() []*byteFormat {
	list := []*byteFormat{
		{name: "E4M3", toF32: E4M3ToF32, from32: E4M3Nearest[float32], from64: E4M3Nearest[float64]},
		{name: "E5M2", toF32: E5M2ToF32, from32: E5M2Nearest[float32], from64: E5M2Nearest[float64], infinity: 0x7c},
	}
	for i, shape := range []struct{ digits, least, last int }{{3, -9, 0x7e}, {2, -16, 0x7b}} {
		for bits := range shape.last + 1 {
			exponent, fraction := bits>>shape.digits, bits&(1<<shape.digits-1)
			if exponent > 0 {
				exponent, fraction = exponent-1, fraction|1<<shape.digits
			}
			list[i].numbers = append(list[i].numbers, math.Ldexp(float64(fraction), exponent+shape.least))
		}
	}
	return list
}

// round is the definition: of the two numbers next to x the nearer, or the even one.
func (f *byteFormat) round(x float64) uint8 {
	if x != x {
		return ByteNaN
	}
	sign, magnitude, last := uint8(0), math.Abs(x), len(f.numbers)-1
	if math.Signbit(x) {
		sign = 0x80
	}
	i, exact := slices.BinarySearch(f.numbers, magnitude)
	if !exact && i > 0 {
		i--
		if i < last {
			middle := (f.numbers[i] + f.numbers[i+1]) / 2
			if magnitude > middle || magnitude == middle && i&1 == 1 {
				i++
			}
		}
	}
	return sign | uint8(i)
}

// TestBytesToF32 compares the values of all numbers with the definition of the formats.
func TestBytesToF32(t *testing.T) {
	t.Parallel()
	for _, f := range byteFormats() {
		for bits := range 256 {
			want := math.NaN()
			switch magnitude := bits & 0x7f; {
			case magnitude < len(f.numbers):
				want = f.numbers[magnitude]
			case magnitude == int(f.infinity):
				want = math.Inf(1)
			}
			if bits > 0x7f {
				want = -want
			}
			got := float64(f.toF32(uint8(bits)))
			if got != want && (got == got || want == want) || got == 0 && math.Signbit(got) != math.Signbit(want) {
				t.Errorf("%sToF32(%#02x) = %v, want %v", f.name, bits, got, want)
			}
		}
	}
}

// TestBytesNearest compares the conversions of numbers, of the middles between two, of their
// neighbours, and of random ones.
func TestBytesNearest(t *testing.T) {
	t.Parallel()
	for _, f := range byteFormats() {
		inputs := []float64{math.Inf(1), math.NaN(), 1e300, math.MaxFloat32, 1e-300, math.SmallestNonzeroFloat32}
		for i, x := range f.numbers {
			inputs = append(inputs, x)
			if i > 0 {
				inputs = append(inputs, (f.numbers[i-1]+x)/2)
			}
		}
		r := rand.New(rand.NewPCG(7, 8))
		for range 20000 {
			inputs = append(inputs, float64(math.Float32frombits(r.Uint32())), r.NormFloat64()*math.Ldexp(1, r.IntN(40)-24))
		}
		for _, x := range inputs {
			for _, y := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1))} {
				f.check(t, y)
				f.check(t, -y)
			}
			single := float32(x)
			f.check(t, float64(ieee.Float32frombits(math.Float32bits(single)+1)))
			f.check(t, float64(ieee.Float32frombits(max(math.Float32bits(single), 1)-1)))
		}
	}
}

func (f *byteFormat) check(t *testing.T, x float64) {
	t.Helper()
	if got, want := f.from64(x), f.round(x); got != want {
		t.Errorf("%sNearest(%v) = %#02x, want %#02x", f.name, x, got, want)
	}
	single := float32(x)
	if got, want := f.from32(single), f.round(float64(single)); got != want {
		t.Errorf("%sNearest(float32 %v) = %#02x, want %#02x", f.name, single, got, want)
	}
}

// TestBytesText compares the text of all finite numbers with what it reads as.
func TestBytesText(t *testing.T) {
	t.Parallel()
	for bits := range uint8(0x7b) {
		if x := E4M3Shortest(bits); E4M3Nearest(x) != bits {
			t.Errorf("E4M3 %#02x is written %v", bits, x)
		}
		if x := E5M2Shortest(bits); E5M2Nearest(x) != bits {
			t.Errorf("E5M2 %#02x is written %v", bits, x)
		}
	}
	if got := E4M3Shortest(0x35); got != 0.8 {
		t.Errorf("E4M3 0x35, 0.8125, is written %v", got)
	}
}
