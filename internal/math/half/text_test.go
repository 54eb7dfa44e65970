package half

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestTextRoundTrip prints all numbers and parses what was printed. No number needs more than five
// digits.
func TestTextRoundTrip(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		show, read := F16Shortest, F16Parse
		if f.inf == BF16Inf {
			show, read = BF16Shortest, BF16Parse
		}
		for i := range uint32(1 << 16) {
			h, want := uint16(i), uint16(i)
			if h&^sign > f.inf {
				want = NaN
			}
			text := strconv.FormatFloat(show(h), 'g', -1, 64)
			got, err := read(text)
			if got != want || err != nil {
				t.Fatalf("%s: %#04x is printed as %s, which is read as %#04x, %v", f.name, h, text, got, err)
			}
			if short := strconv.FormatFloat(show(h), 'e', -1, 64); len(short) > len("-1.2345e-12") {
				t.Fatalf("%s: %#04x is printed as %s", f.name, h, short)
			}
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]uint16{
		"1": {0x3c00, 0x3f80}, "-0": {0x8000, 0x8000}, "0.1": {0x2e66, 0x3dcd}, "65504": {0x7bff, 0x4780},
		"0x1p-24": {0x0001, 0x3380}, "Inf": {F16Inf, BF16Inf}, "-infinity": {F16Inf | sign, BF16Inf | sign}, "nan": {NaN, NaN},
		// In the middle of two, and by less than a float64 can show.
		"1.00048828125": {0x3c00, 0x3f80}, "1.00048828125000000000000000000000001": {0x3c01, 0x3f80},
		"1.00146484374999999999999999999999999": {0x3c01, 0x3f80}, "-1.00390625000000000000000000000000001": {0xbc04, 0xbf81},
		"65519.99999999999999999999999999": {0x7bff, 0x4780},
	} {
		a, err := F16Parse(text)
		b, err2 := BF16Parse(text)
		if a != want[0] || b != want[1] || err != nil || err2 != nil {
			t.Errorf("%s is read as %#04x (%v) and %#04x (%v), want %#04x", text, a, err, b, err2, want)
		}
	}
	for text, want := range map[string]error{"65520": strconv.ErrRange, "-1e999": strconv.ErrRange, "1.5x": strconv.ErrSyntax, "": strconv.ErrSyntax} {
		h, err := F16Parse(text)
		if !errors.Is(err, want) || want == strconv.ErrRange && h&^sign != F16Inf {
			t.Errorf("%q is read as %#04x, %v, want %v", text, h, err, want)
		}
	}
	if h, err := BF16Parse("3.39e38"); h != 0x7f7f || err != nil { // float32 has a larger one
		t.Errorf("3.39e38 is read as %#04x, %v", h, err)
	}
}

// TestParseExact reads random decimals near the middles of two numbers.
func TestParseExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for _, f := range formats {
		read := F16Parse
		if f.inf == BF16Inf {
			read = BF16Parse
		}
		for range 2000 {
			i := r.IntN(int(f.inf) - 1)
			x := new(big.Float).SetPrec(400).SetFloat64((f.numbers[i] + f.numbers[i+1]) / 2)
			x.Add(x, new(big.Float).SetFloat64(math.Ldexp(float64(r.IntN(3)-1), -160)))
			text := x.Text('g', 80)
			exact, _, err := big.ParseFloat(text, 10, 800, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := read(text); got != f.roundBig(exact, toNearest) || err != nil {
				t.Fatalf("%s: %s is read as %#04x (%v), want %#04x", f.name, text, got, err, f.roundBig(exact, toNearest))
			}
		}
	}
}
