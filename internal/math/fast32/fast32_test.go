package fast32

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var step = flag.Uint("step", 1<<14, "test one of so many numbers, about: all, if 1")

// TestErrors holds each function to the error that its comment states. The reference is the function
// of float64, whose own error does not show.
func TestErrors(t *testing.T) {
	t.Parallel()
	ulp := func(y float64) float64 { return math.Ldexp(1, max(math.Ilogb(y), -126)-23) }
	relative := func(y, bound float64) float64 { return math.Abs(y) * bound }
	nearOne := func(absolute, bound float64) func(x float32, y float64) float64 {
		return func(x float32, y float64) float64 {
			if x >= 0.5 && x <= 2 {
				return absolute
			}
			return relative(y, bound)
		}
	}
	normal := float32(0x1p-126)
	most := float32(math.MaxFloat32)
	angle := func(x float32, _ float64) float64 {
		if math.Abs(float64(x)) <= 2*math.Pi {
			return 0x1p-20 / 1.3195 // 2^-20.4
		}
		return 0x1p-14 / 1.6245 // 2^-14.7
	}
	for _, f := range []struct {
		name      string
		of        func(x float32) float32
		want      func(x float64) float64
		low, high float32
		bound     func(x float32, y float64) float64
	}{
		{"Exp", Exp, math.Exp, -87.3, 88.7, func(x float32, y float64) float64 { return (2 + 1.18*math.Abs(float64(x))) * ulp(y) }},
		{"Exp2", Exp2, math.Exp2, -126, 127.99, func(x float32, y float64) float64 { return 2.2 * ulp(y) }},
		{"Exp10", Exp10, func(x float64) float64 { return math.Pow(10, x) }, -37.9, 38.5,
			func(x float32, y float64) float64 { return (2 + 2.97*math.Abs(float64(x))) * ulp(y) }},
		{"Log", Log, math.Log, normal, most, nearOne(0x1p-21/1.3195, 0x1p-21/1.414)},
		{"Log2", Log2, math.Log2, normal, most, nearOne(0x1p-22, 0x1p-22)},
		{"Log10", Log10, math.Log10, normal, most, nearOne(0x1p-22, 0x1p-21/1.414)},
		{"Rsqrt", Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, normal, most,
			func(_ float32, y float64) float64 { return relative(y, 0x1p-22/1.866) }},
		{"Tanh", Tanh, math.Tanh, -20, 20, func(_ float32, y float64) float64 { return 3 * ulp(y) }},
		{"Erfc", Erfc, math.Erfc, -10, 9.19, func(_ float32, y float64) float64 { return relative(y, 0x1p-20) }},
		{"Sin", Sin, math.Sin, -100 * math.Pi, 100 * math.Pi, angle},
		{"Cos", Cos, math.Cos, -100 * math.Pi, 100 * math.Pi, angle},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			worst, at := 0.0, float32(0)
			each(f.low, f.high, func(x float32) {
				y := f.want(float64(x))
				got := float64(f.of(x))
				if off := math.Abs(got-y) / f.bound(x, y); off > worst || off != off {
					worst, at = off, x
				}
			})
			if !(worst <= 1) {
				t.Errorf("at %x (%g) it is %g, want %g: the error is %.3f of the bound", at, at, f.of(at), f.want(float64(at)), worst)
			}
			t.Logf("the error is up to %.3f of the bound, at %x", worst, at)
		})
	}
}

// each calls f with numbers from low to high: all, or some of each exponent.
func each(low, high float32, f func(x float32)) {
	r := rand.New(rand.NewPCG(1, 2))
	next := uint32(1)
	try := func(bits uint32) {
		if x := math.Float32frombits(bits); x >= low && x <= high {
			f(x)
		}
	}
	for bits := uint32(0); bits < 0x7f800000; bits += next {
		try(bits)
		try(bits | 1<<31)
		if *step > 1 {
			next = 1 + r.Uint32N(uint32(2**step-2))
		}
	}
	f(low)
	f(high)
}

// TestSpecial are the results at the ends, and what subnormal numbers become.
func TestSpecial(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"Exp(1000)", Exp(1000), inf},
		{"Exp(-1000)", Exp(-1000), 0},
		{"Exp(-88)", Exp(-88), 0}, // which is subnormal
		{"Exp(0)", Exp(0), 1},
		{"Exp10(0)", Exp10(0), 1},
		{"Log(1)", Log(1), 0},
		{"Log(0)", Log(0), -inf},
		{"Log(1e-40)", Log(1e-40), -inf},
		{"Log(+Inf)", Log(inf), inf},
		{"Pow(2, 10)", Pow(2, 10), 1024},
		{"Pow(4, 0.5)", Pow(4, 0.5), 2},
		{"Rsqrt(1e-40)", Rsqrt(1e-40), inf},
		{"Tanh(100)", Tanh(100), 1},
		{"Tanh(-100)", Tanh(-100), -1},
		{"Tanh(0)", Tanh(0), 0},
		{"Tanh(1e-42)", Tanh(1e-42), 1e-42},
		{"Erfc(20)", Erfc(20), 0},
		{"Erfc(+Inf)", Erfc(inf), 0},
		{"Erfc(-Inf)", Erfc(-inf), 2},
		{"Erfc(9.4)", Erfc(9.4), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s is %g, want %g", c.name, c.got, c.want)
		}
	}
	if y := Pow(-2, 2); y == y {
		t.Errorf("Pow(-2, 2) is %g, want NaN", y)
	}
	s, c := Sincos(0.5)
	if s != Sin(0.5) || c != Cos(0.5) {
		t.Errorf("Sincos(0.5) is %g, %g; want Sin and Cos", s, c)
	}
	if y := float64(Tan(0.5)); math.Abs(y-math.Tan(0.5)) > 1e-6 {
		t.Errorf("Tan(0.5) is %g", y)
	}
	if y := float64(Pow(1.5, -20.25)); math.Abs(y/math.Pow(1.5, -20.25)-1) > 1e-5 {
		t.Errorf("Pow(1.5, -20.25) is %g", y)
	}
}
