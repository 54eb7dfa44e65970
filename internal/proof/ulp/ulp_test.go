package ulp

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestError(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	const tiny, least = 0x1p-1074, 0x1p-1022
	for _, test := range []struct {
		name  string
		got   float64
		exact Real
		want  float64
	}{
		{"right", 1, Of(1), 0},
		{"the next number", 1 + 0x1p-52, Of(1), 1},
		{"the one before, in the unit of the exact value", 1 - 0x1p-53, Of(1), 0.5},
		{"half way", 1, Real{High: 1, Low: 0x1p-53}, 0.5},
		{"beyond the bits of float64", 3, Real{High: 1.5, Low: 0x1p-80, Exponent: 1}, 0x1p-28},
		{"negative", -1, Real{High: -1, Low: -0x1p-54}, 0.25},
		{"the wrong sign", -1, Of(1), 0x1p53},
		{"subnormal", 3 * tiny, Of(tiny), 2},
		{"below the subnormal", 0, Real{High: 1, Exponent: -1075}, 0.5},
		{"far below", tiny, Real{High: 1, Exponent: -5000}, 1},
		{"below the least normal number", least, Of(least - tiny), 1},
		{"zero", 0, Of(0), 0},
		{"not zero", 2 * tiny, Of(0), 2},
		{"infinite", inf, Of(inf), 0},
		{"NaN", nan, Of(nan), 0},
		{"NaN for a number", nan, Of(1), inf},
		{"a number for NaN", 1, Of(nan), inf},
		{"a number for an infinity", 1, Of(inf), inf},
		{"the other infinity", -inf, Of(inf), inf},
		{"rounded to an infinity", inf, Real{High: 2 - 0x1p-52, Low: 0x1p-53, Exponent: 1023}, 0},
		{"not yet rounded to it", inf, Real{High: 2 - 0x1p-52, Low: 0x1p-53 - 0x1p-90, Exponent: 1023}, 0.5 + 0x1p-38},
		{"far above", inf, Real{High: 1, Exponent: 5000}, 0},
		{"not infinite", math.MaxFloat64, Real{High: 1, Exponent: 1024}, 1},
		{"infinite below the greatest", inf, Of(math.MaxFloat64), 1},
		{"the wrong infinity", -inf, Real{High: 1, Exponent: 1024}, 0x1p54},
	} {
		if got := Error(test.got, test.exact); got != test.want {
			t.Errorf("%s: %v for %v is off by %v, want %v", test.name, test.got, test.exact, got, test.want)
		}
	}
}

func TestErrorSingle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		got   float32
		exact Real
		want  float64
	}{
		{1, Of(1 + 0x1p-24), 0.5},
		{1, Of(1 + 0x1p-24 + 0x1p-52), 0.5 + 0x1p-29},
		{0, Of(0x1p-150), 0.5},
		{0x1p-126, Of(0x1p-126 + 0x1p-148), 2},
		{float32(math.Inf(1)), Of(0x1p128 - 0x1p103), 0},
		{float32(math.Inf(1)), Of(0x1p128 - 0x1p104), 1},
		{math.MaxFloat32, Of(0x1p129), 0x1p24 + 1},
	} {
		if got := Error(test.got, test.exact); math.Abs(got-test.want) > 0x1p-40 && got != test.want {
			t.Errorf("%v for %v is off by %v, want %v", test.got, test.exact, got, test.want)
		}
	}
}

func TestErrorSingleOfDouble(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		exact := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			exact = float64(math.Float32frombits(r.Uint32())) * (1 + r.Float64()*0x1p-20)
		}
		got := math.Float32frombits(math.Float32bits(float32(exact)) + uint32(r.IntN(5)-2))
		if e, want := ErrorSingle(got, exact), Error(got, Of(exact)); e != want && math.Abs(e-want) > 0x1p-40*want {
			t.Fatalf("%v for %v is off by %v, want %v", got, exact, e, want)
		}
	}
}
