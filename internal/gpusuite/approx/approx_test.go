package approx

import (
	"errors"
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/abi"
)

var all = flag.Bool("all", false, "evaluate every float32, not 4096 of each exponent")

// TestRefused launches the kernel on the simulator, with checks and without: the error names the
// functions and their lines.
func TestRefused(t *testing.T) {
	t.Parallel()
	plain, err := gridstride.Open(gridstride.Use("sim"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plain.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, dev := range map[string]*gridstride.Device{"plain": plain, "checked": gputest.Device(t)} {
		if dev.Info().Backend == "cuda" {
			continue
		}
		x, err := gridstride.CopyOf(dev, make([]float32, 33))
		if err != nil {
			t.Fatal(err)
		}
		defer x.Free()
		kernel, err := LoadEvaluate(dev)
		if err != nil {
			t.Fatal(err)
		}
		err = kernel.Launch(dev.Stream(), gridstride.Grid(2).Block(32), x, x, 0)
		if !errors.Is(err, gridstride.ErrApprox) {
			t.Fatalf("%s: %v is no ErrApprox", name, err)
		}
		lines := strings.Split(err.Error(), "\n")
		want := "launch approx.Evaluate: github.com/gridstride/gridstride/internal/gpusuite/approx/kernels.go:14:11: " +
			"only a GPU knows the bits of gpu.ApproxExp2: launch the kernel on one, or call a function that has the same bits everywhere"
		if len(lines) != len(functions) || lines[0] != want {
			t.Errorf("%s: got\n%v\nwant %d lines, the first\n%s", name, err, len(functions), want)
		}
		if err := dev.Stream().Wait(t.Context()); err != nil {
			t.Errorf("%s: the refused launch left %v behind", name, err)
		}
	}
}

// A function is an approximation with its bound: how far it is from exact, in units of what the
// manual allows at x, so at most 1.
type function struct {
	name  string
	exact func(x float64) float64
	off   func(x, y float32, exact float64) float64
}

// functions are in the order of Evaluate's cases. The bounds are those of the PTX ISA, "Floating Point
// Instructions".
var functions = []function{
	{"ApproxExp2", math.Exp2, ulps(2)},
	{"ApproxLog2", log2, func(x, y float32, exact float64) float64 {
		if x > 0.5 && x < 2 {
			return absolute(22)(x, y, exact)
		}
		return relative(22)(x, y, exact)
	}},
	{"ApproxSin", math.Sin, angle},
	{"ApproxCos", math.Cos, angle},
	{"ApproxTanh", math.Tanh, relative(11)},
	{"ApproxRsqrt", func(x float64) float64 {
		if x == 0 {
			return 1 / x
		}
		return 1 / math.Sqrt(x)
	}, relative(22.9)},
	{"ApproxRcp", func(x float64) float64 { return 1 / x }, ulps(1)},
}

// log2 is math.Log2 without the sum in it that loses digits near 1.
func log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log1p(x-1) / math.Ln2
	}
	return math.Log2(x)
}

func absolute(bits float64) func(x, y float32, exact float64) float64 {
	return func(_, y float32, exact float64) float64 {
		return math.Abs(float64(y)-exact) * math.Exp2(bits)
	}
}

func relative(bits float64) func(x, y float32, exact float64) float64 {
	return func(_, y float32, exact float64) float64 {
		if float64(y) == exact {
			return 0
		}
		return math.Abs(float64(y)-exact) / math.Abs(exact) * math.Exp2(bits)
	}
}

// ulps counts the float32 values between y and the one nearest to exact.
func ulps(most float64) func(x, y float32, exact float64) float64 {
	order := func(x float32) float64 {
		n := float64(math.Float32bits(x) &^ (1 << 31))
		if x < 0 {
			return -n
		}
		return n
	}
	return func(_, y float32, exact float64) float64 {
		return math.Abs(order(y)-order(float32(exact))) / most
	}
}

// angle is the bound of ApproxSin and ApproxCos: there is none for large angles.
func angle(x, y float32, exact float64) float64 {
	switch size := math.Abs(float64(x)); {
	case size <= 2*math.Pi:
		return absolute(20.5)(x, y, exact)
	case size <= 100*math.Pi:
		return absolute(14.7)(x, y, exact)
	case math.IsInf(size, 0):
		return absolute(0)(x, y, exact)
	}
	return 0
}

// TestFunctions holds the table to the intrinsics.
func TestFunctions(t *testing.T) {
	t.Parallel()
	i := 0
	for _, in := range abi.Intrinsics {
		if in.Approximates == "" {
			continue
		}
		if i == len(functions) || functions[i].name != in.Name {
			t.Fatalf("%s is not function %d of the table", in.Name, i)
		}
		i++
	}
}

// TestBounds evaluates every function on a GPU, over all exponents, and compares with float64.
func TestBounds(t *testing.T) {
	dev := gputest.Device(t)
	if dev.Info().Backend != "cuda" {
		t.Skip("no GPU")
	}
	kernel, err := LoadEvaluate(dev)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			worst := worstInput{}
			for first := uint64(0); first < 1<<32; first += 1 << 24 {
				x := inputs(uint32(first))
				worst.among(t, f, x, evaluate(t, dev, kernel, i, x))
			}
			t.Logf("worst at %g (%#08x): %g for %g, %.3f of the bound", worst.x, math.Float32bits(worst.x), worst.y,
				f.exact(float64(worst.x)), worst.off)
		})
	}
}

// inputs are the float32 values whose bits have the upper 8 of first: all, or 4096 of each of the two
// exponents, from the first to the last.
func inputs(first uint32) []float32 {
	const each = 1 << 23
	step := uint32(each / 4096)
	if *all {
		step = 1
	}
	var x []float32
	for _, exponent := range []uint32{first, first + each} {
		for at := uint32(0); at < each; at += step {
			x = append(x, math.Float32frombits(exponent+at))
		}
		x = append(x, math.Float32frombits(exponent+each-1))
	}
	return x
}

// evaluate has the GPU compute function number i of x.
func evaluate(t *testing.T, dev *gridstride.Device, kernel *EvaluateKernel, i int, x []float32) []float32 {
	t.Helper()
	in, err := gridstride.CopyOf(dev, x)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Free()
	out, err := gridstride.CopyOf(dev, x)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	if err := kernel.Launch(dev.Stream(), gridstride.Grid(1024).Block(256), in, out, i); err != nil {
		t.Fatal(err)
	}
	y, err := out.Read(t.Context(), dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// worstInput is where a function is farthest from exact.
type worstInput struct {
	x, y float32
	off  float64
}

// among looks at results, and reports those that are over the bound.
func (w *worstInput) among(t *testing.T, f function, x, y []float32) {
	t.Helper()
	over := 0
	for i := range x {
		exact := f.exact(float64(x[i]))
		e := 0.0
		switch special := math.IsNaN(exact) || math.IsInf(exact, 0); {
		case special && !math.IsNaN(exact) && float64(y[i]) != exact || math.IsNaN(exact) != (y[i] != y[i]):
			e = math.Inf(1)
		case !special:
			e = f.off(x[i], y[i], exact)
		}
		if e > w.off {
			*w = worstInput{x[i], y[i], e}
		}
		if e > 1 {
			over++
		}
	}
	if over > 0 {
		t.Errorf("%d of %d results from %g on are over the bound; the worst so far is %g for %g, %.3f of it", over, len(x), x[0],
			w.y, w.x, w.off)
	}
}
