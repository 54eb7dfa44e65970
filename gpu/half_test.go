package gpu_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/gridstride/gridstride/gpu"
)

func ExampleFloat16() {
	x, y := gpu.Float16Of(0.1), gpu.Float16Of(3)
	fmt.Println(x, y, x.Add(y), x.Mul(y), y.Sqrt())
	fmt.Printf("%.8f is the Float16 nearest to %v\n", x, x)
	fmt.Println(gpu.RoundFloat16(65519, gpu.ToPositiveInf), gpu.Float16Of(65519))
	// Output:
	// 0.1 3 3.1 0.2998 1.732
	// 0.09997559 is the Float16 nearest to 0.1
	// +Inf 65500
}

// TestHalfOf converts numbers of all kinds. A conversion rounds once, also where float32 is on the
// way.
func TestHalfOf(t *testing.T) {
	t.Parallel()
	type named int32
	for _, test := range []struct {
		got  gpu.Float16
		want uint16
	}{
		{gpu.Float16Of(1), 0x3c00}, {gpu.Float16Of(-2.5), 0xc100}, {gpu.Float16Of(int8(-128)), 0xd800},
		{gpu.Float16Of(uint64(math.MaxUint64)), 0x7c00}, {gpu.Float16Of(int64(math.MinInt64)), 0xfc00},
		{gpu.Float16Of(named(2049)), 0x6800}, {gpu.Float16Of(2051), 0x6802}, {gpu.Float16Of(65519), 0x7bff},
		{gpu.Float16Of(1 + 0x1p-11 + 0x1p-40), 0x3c01}, {gpu.Float16Of(float32(1 + 0x1p-11)), 0x3c00},
		{gpu.RoundFloat16(70000, gpu.ToZero), 0x7bff}, {gpu.RoundFloat16(-0x1p-30, gpu.ToNegativeInf), 0x8001},
		{gpu.RoundFloat16(uint8(255), gpu.ToPositiveInf), 0x5bf8}, {gpu.Float16Of(math.NaN()), 0x7fff},
		{gpu.FromFloat32[gpu.Float16](0.5), 0x3800}, {gpu.FromFloat64[gpu.Float16](-math.MaxFloat64), 0xfc00},
	} {
		if test.got.Bits() != test.want {
			t.Errorf("got %#04x (%v), want %#04x", test.got.Bits(), test.got, test.want)
		}
	}
	for _, test := range []struct {
		got  gpu.BFloat16
		want uint16
	}{
		{gpu.BFloat16Of(1), 0x3f80}, {gpu.BFloat16Of(0x1010001), 0x4b81}, {gpu.BFloat16Of(-0x1010000), 0xcb80},
		{gpu.BFloat16Of(0x10100000001), 0x5381}, {gpu.BFloat16Of(uint64(0x8080000000000001)), 0x5f01},
		{gpu.RoundBFloat16(int64(-0x10000000001), gpu.ToNegativeInf), 0xd381}, {gpu.RoundBFloat16(int32(257), gpu.ToZero), 0x4380},
		{gpu.BFloat16Of(1 + 0x1p-8 + 0x1p-50), 0x3f81}, {gpu.BFloat16Of(math.MaxFloat32), 0x7f80},
		{gpu.FromFloat32[gpu.BFloat16](float32(math.Inf(-1))), 0xff80}, {gpu.FromFloat64[gpu.BFloat16](0x1p-133), 0x0001},
	} {
		if test.got.Bits() != test.want {
			t.Errorf("got %#04x (%v), want %#04x", test.got.Bits(), test.got, test.want)
		}
	}
}

// TestReal converts through the functions for all floating-point types, named ones too.
func TestReal(t *testing.T) {
	t.Parallel()
	type single float32
	type double float64
	x := 1.5
	got := []float64{
		float64(gpu.ToFloat32(gpu.Float16Of(x))), float64(gpu.ToFloat32(gpu.BFloat16Of(x))), float64(gpu.ToFloat32(single(x))),
		float64(gpu.ToFloat32(double(x))), gpu.ToFloat64(gpu.Float16Of(x)), gpu.ToFloat64(gpu.BFloat16Of(x)),
		gpu.ToFloat64(single(x)), gpu.ToFloat64(double(x)), float64(gpu.FromFloat32[single](1.5)), float64(gpu.FromFloat32[double](1.5)),
		float64(gpu.FromFloat64[single](x)), float64(gpu.FromFloat64[double](x)),
	}
	if slices.ContainsFunc(got, func(y float64) bool { return y != x }) {
		t.Errorf("got %v", got)
	}
}

// halfMethods tests the methods that both types share, with 2 and 0.75, and with special
// values.
func halfMethods[H gpu.Half[H]](t *testing.T, of func(float64) H) {
	t.Helper()
	x, y, nan, inf, zero := of(2), of(0.75), of(math.NaN()), of(math.Inf(1)), of(0)
	for i, test := range []struct {
		got  H
		want float64
	}{
		{x.Add(y), 2.75}, {x.Sub(y), 1.25}, {x.Mul(y), 1.5}, {y.Div(x), 0.375}, {x.FMA(y, x), 3.5}, {x.Neg(), -2}, {y.Neg().Abs(), 0.75},
		{of(6.25).Sqrt(), 2.5}, {x.Min(y), 0.75}, {x.Max(y), 2}, {zero.Div(zero), math.NaN()}, {x.Neg().Sqrt(), math.NaN()},
		{inf.Min(nan), math.NaN()}, {nan.Max(inf), math.NaN()}, {zero.Neg().Max(zero), 0}, {zero.Min(zero.Neg()), math.Copysign(0, -1)},
		{x.Div(zero.Neg()), math.Inf(-1)},
	} {
		if got := test.got.Float64(); math.Float64bits(got) != math.Float64bits(test.want) && !(got != got && test.want != test.want) {
			t.Errorf("%T %d: got %v, want %v", x, i, got, test.want)
		}
		if got := test.got; got.IsNaN() && got.Bits() != 0x7fff {
			t.Errorf("%T %d: NaN is %#04x", x, i, got.Bits())
		}
	}
	flags := []bool{
		x.Equal(x), y.Less(x), y.LessEqual(x), x.LessEqual(x), zero.Equal(zero.Neg()), nan.IsNaN(), inf.IsInf(1), inf.Neg().IsInf(-1),
		inf.Neg().IsInf(0), zero.Neg().Signbit(), nan.Compare(x) < 0, x.Compare(nan) > 0, nan.Compare(nan) == 0, zero.Compare(zero.Neg()) == 0,
		!x.Equal(y), !x.Less(x), !x.LessEqual(y), !nan.Equal(nan), !nan.Less(x), !x.LessEqual(nan), !inf.IsNaN(), !inf.IsInf(-1), !nan.IsInf(0), !x.Signbit(),
	}
	if i := slices.Index(flags, false); i >= 0 {
		t.Errorf("%T: comparison %d is wrong", x, i)
	}
}

func TestHalfMethods(t *testing.T) {
	t.Parallel()
	halfMethods(t, gpu.Float16Of[float64])
	halfMethods(t, gpu.BFloat16Of[float64])
}

// TestHalfVectors calls the methods of pairs and of eights.
func TestHalfVectors(t *testing.T) {
	t.Parallel()
	f := gpu.Float16Of[float64]
	v, w := gpu.Float32x2{X: 1, Y: -2}.Float16x2(), gpu.Float16x2{X: f(0.5), Y: f(4)}
	for i, test := range []struct{ got, want gpu.Float16x2 }{
		{v.Add(w), gpu.Float16x2{X: f(1.5), Y: f(2)}}, {v.Sub(w), gpu.Float16x2{X: f(0.5), Y: f(-6)}},
		{v.Mul(w), gpu.Float16x2{X: f(0.5), Y: f(-8)}}, {v.FMA(w, w), gpu.Float16x2{X: f(1), Y: f(-4)}},
		{v.Neg(), gpu.Float16x2{X: f(-1), Y: f(2)}}, {v.Abs(), gpu.Float16x2{X: f(1), Y: f(2)}},
		{v.Min(w), gpu.Float16x2{X: f(0.5), Y: f(-2)}}, {v.Max(w), gpu.Float16x2{X: f(1), Y: f(4)}},
		{v.With(1, f(7)), gpu.Float16x2{X: f(1), Y: f(7)}},
	} {
		if test.got != test.want {
			t.Errorf("%d: got %v, want %v", i, test.got, test.want)
		}
	}
	if got := v.Float32x2(); got != (gpu.Float32x2{X: 1, Y: -2}) || v.Sum() != f(-1) || v.Lane(0) != f(1) || v.Lanes() != 2 {
		t.Errorf("got %v, sum %v", got, v.Sum())
	}
	var eight gpu.BFloat16x8
	for i := range eight.Lanes() {
		eight = eight.With(i, gpu.BFloat16Of(i+1))
	}
	if got := eight.FMA(eight, eight); got.Lane(7).Float32() != 72 || got.Lane(0).Float32() != 2 || got.Sum().Float32() != 240 {
		t.Errorf("got %v, sum %v", got, got.Sum())
	}
}

// TestHalfText prints and parses.
func TestHalfText(t *testing.T) {
	t.Parallel()
	x, b := gpu.Float16Of(-0.1), gpu.BFloat16Of(3.14159)
	for _, test := range [][2]string{
		{fmt.Sprint(x, b), "-0.1 3.14"}, {fmt.Sprintf("%v|%8.3f|%-8v|%+v", b, b, x, b), "3.14|   3.141|-0.1    |3.14"},
		{fmt.Sprintf("%g %.2e %s %q", x, b, b, x), `-0.1 3.14e+00 3.14 "-0.1"`},
		{fmt.Sprint([]gpu.Float16{x, gpu.Float16Of(math.Inf(-1)), gpu.Float16Of(math.NaN())}), "[-0.1 -Inf NaN]"},
		{fmt.Sprint(gpu.Float16x2{X: x, Y: gpu.Float16Of(60000)}), "{-0.1 60000}"}, {fmt.Sprintf("%d", b), "%!d(float64=3.140625)"},
		{x.String() + " " + b.String(), "-0.1 3.14"},
	} {
		if test[0] != test[1] {
			t.Errorf("got %s, want %s", test[0], test[1])
		}
	}
	text, err := json.Marshal(map[string]any{"x": x, "b": b})
	var back struct {
		X gpu.Float16
		B gpu.BFloat16
	}
	if err := json.Unmarshal(text, &back); err != nil || back.X != x || back.B != b {
		t.Errorf("%s is read as %v, %v", text, back, err)
	}
	if string(text) != `{"b":"3.14","x":"-0.1"}` || err != nil {
		t.Errorf("got %s, %v", text, err)
	}
	if y, err := gpu.ParseBFloat16("1e39"); !errors.Is(err, strconv.ErrRange) || !y.IsInf(1) {
		t.Errorf("got %v, %v", y, err)
	}
	if _, err := gpu.ParseFloat16("one"); !errors.Is(err, strconv.ErrSyntax) {
		t.Error(err)
	}
}

func ExampleE4M3() {
	x := gpu.E4M3Of(0.3)
	fmt.Println(x, x.Float32(), gpu.E4M3Of(1000), gpu.E5M2Of(1000))
	fmt.Printf("%.4f\n", gpu.E5M2Of(0.3))
	// Output:
	// 0.3 0.3125 450 1000
	// 0.3125
}

// TestBytesOf converts numbers of all kinds to numbers of 8 bits, once each.
func TestBytesOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		got  gpu.E4M3
		want uint8
	}{
		{gpu.E4M3Of(1), 0x38}, {gpu.E4M3Of(-2.5), 0xc2}, {gpu.E4M3Of(int8(-128)), 0xf0}, {gpu.E4M3Of(uint64(math.MaxUint64)), 0x7e},
		{gpu.E4M3Of(1 + 0x1p-4), 0x38}, {gpu.E4M3Of(1 + 0x1p-4 + 0x1p-50), 0x39}, {gpu.E4M3Of(0x1p-10), 0x00},
		{gpu.E4M3Of(0x1p-10 + 0x1p-60), 0x01}, {gpu.E4M3Of(math.Inf(-1)), 0xfe}, {gpu.E4M3Of(math.NaN()), 0x7f},
		{gpu.E4M3Of(math.Copysign(0, -1)), 0x80},
	} {
		if test.got.Bits() != test.want {
			t.Errorf("got %#02x (%v), want %#02x", test.got.Bits(), test.got, test.want)
		}
	}
	for _, test := range []struct {
		got  gpu.E5M2
		want uint8
	}{
		{gpu.E5M2Of(1), 0x3c}, {gpu.E5M2Of(float32(-1e6)), 0xfb}, {gpu.E5M2Of(int64(math.MinInt64)), 0xfb},
		{gpu.E5M2Of(1 + 0x1p-3), 0x3c}, {gpu.E5M2Of(float32(1 + 0x1p-3 + 0x1p-20)), 0x3d}, {gpu.E5M2Of(0x1p-16), 0x01},
		{gpu.E5M2Of(float32(math.NaN())), 0x7f},
	} {
		if test.got.Bits() != test.want {
			t.Errorf("got %#02x (%v), want %#02x", test.got.Bits(), test.got, test.want)
		}
	}
	if x := gpu.E5M2FromBits(0xfc); !x.IsInf(-1) || !x.IsInf(0) || x.IsInf(1) || x.IsNaN() || x.String() != "-Inf" {
		t.Errorf("-Inf of E5M2 is %v", x)
	}
	if x := gpu.E4M3FromBits(0xff); !x.IsNaN() || x.String() != "NaN" {
		t.Errorf("NaN of E4M3 is %v", x)
	}
}
