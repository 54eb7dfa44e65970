package approx

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/abi"
)

var all = flag.Bool("all", false, "evaluate every float32, not 4096 of each exponent")

// TestSameBits compares a device's results with the host's: always the simulator's, and a GPU's if
// its bits are known.
func TestSameBits(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel, err := LoadEvaluate(dev)
	if err != nil {
		t.Fatal(err)
	}
	step := uint64(1 << 28)
	if dev.Info().Backend == "cuda" {
		step = 1 << 24
	}
	for i, f := range functions {
		different := 0
		for first := uint64(0); first < 1<<32; first += step {
			x := inputs(uint32(first))
			if dev.Info().Backend != "cuda" {
				x = x[:2000]
			}
			for n, y := range evaluate(t, dev, kernel, i, x) {
				if want := f.host(x[n]); math.Float32bits(y) != math.Float32bits(want) {
					if different++; different < 5 {
						t.Errorf("%s(%v): got %v (%#08[3]x), want %v (%#08[4]x)", f.name, x[n], y, want)
					}
				}
			}
		}
		if different > 0 {
			t.Errorf("%s: %d results differ from the host's", f.name, different)
		}
	}
}

// A function is an approximation, what the host gives for it, and its bound: how far it is from
// exact, in units of what the manual allows at x, so at most 1.
type function struct {
	name  string
	host  func(x float32) float32
	exact func(x float64) float64
	off   func(x, y float32, exact float64) float64
}

// functions are in the order of Evaluate's cases. The bounds are from the PTX ISA, "Floating Point
// Instructions".
var functions = []function{
	{"ApproxExp2", gpu.ApproxExp2, math.Exp2, ulps(2)},
	{"ApproxLog2", gpu.ApproxLog2, log2, func(x, y float32, exact float64) float64 {
		if x > 0.5 && x < 2 {
			return absolute(22)(x, y, exact)
		}
		return relative(22)(x, y, exact)
	}},
	{"ApproxSin", gpu.ApproxSin, math.Sin, angle},
	{"ApproxCos", gpu.ApproxCos, math.Cos, angle},
	{"ApproxTanh", gpu.ApproxTanh, math.Tanh, relative(11)},
	{"ApproxRsqrt", gpu.ApproxRsqrt, func(x float64) float64 {
		if x == 0 {
			return 1 / x
		}
		return 1 / math.Sqrt(x)
	}, relative(22.9)},
	{"ApproxRcp", gpu.ApproxRcp, func(x float64) float64 { return 1 / x }, ulps(1)},
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

// angle is the bound of ApproxSin and ApproxCos: there is none for large angles. The manual has
// 2^-20.5 from -2π to 2π, which an H200 exceeds by 3 % in cosines near 3π/2.
func angle(x, y float32, exact float64) float64 {
	switch size := math.Abs(float64(x)); {
	case size <= 2*math.Pi:
		return absolute(20.4)(x, y, exact)
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
			var all verdict
			for first := uint64(0); first < 1<<32; first += 1 << 24 {
				x := inputs(uint32(first))
				all.add(f.judge(x, evaluate(t, dev, kernel, i, x)))
			}
			worst := fmt.Sprintf("the worst of %d results is %v for %v (%#08x), %.3f of the bound from %v", all.n, all.y, all.x,
				math.Float32bits(all.x), all.off, f.exact(float64(all.x)))
			if all.over > 0 {
				t.Errorf("%d are over the bound: %s", all.over, worst)
			}
			t.Log(worst)
		})
	}
}

// inputs are the float32 values whose bits have the upper 8 of first: all, or 4096 of each of the
// two exponents, from the first to the last.
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
	if err := kernel.Launch(dev.Stream(), gridstride.Grid(264).Block(256), in, out, i); err != nil {
		t.Fatal(err)
	}
	y, err := out.Read(t.Context(), dev.Stream(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// verdict is how results compare with exact ones: how many there are, how many are over the bound,
// and which is farthest off.
type verdict struct {
	n, over int
	x, y    float32
	off     float64
}

func (v *verdict) add(u verdict) {
	v.n += u.n
	v.over += u.over
	if u.off > v.off {
		v.x, v.y, v.off = u.x, u.y, u.off
	}
}

// judge compares results, on all processors.
func (f *function) judge(x, y []float32) (all verdict) {
	parts := make([]verdict, runtime.NumCPU())
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() {
			for i := p * len(x) / len(parts); i < (p+1)*len(x)/len(parts); i++ {
				parts[p].add(f.judgeOne(x[i], y[i]))
			}
		})
	}
	wait.Wait()
	for _, part := range parts {
		all.add(part)
	}
	return all
}

// judgeOne compares one result. Those that are infinite or no numbers have no error.
func (f *function) judgeOne(x, y float32) verdict {
	v := verdict{n: 1, x: x, y: y}
	switch exact := f.exact(float64(x)); {
	case math.IsNaN(exact) && y != y, math.IsInf(exact, 0) && float64(y) == exact:
	case math.IsNaN(exact), math.IsInf(exact, 0), y != y:
		v.off = math.Inf(1)
	default:
		v.off = f.off(x, y, exact)
	}
	if v.off > 1 {
		v.over = 1
	}
	return v
}

// TestJudge judges results with known errors.
func TestJudge(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		function int
		x, y     float32
		want     float64
	}{
		{0, 3, 8, 0}, {0, 3, math.Nextafter32(8, 9), 0.5}, {0, 200, inf, 0}, {0, 200, nan, math.Inf(1)}, {0, -inf, 0, 0},
		{1, 1, 0x1p-22, 1}, {1, 4, 2 + 0x1p-20, 2}, {1, -1, nan, 0}, {1, -1, 0, math.Inf(1)}, {1, 0, -inf, 0}, {1, 0, inf, math.Inf(1)},
		{2, 0, 0x1p-20, math.Exp2(0.4)}, {2, 1000, 5, 0}, {2, inf, nan, 0}, {3, 0, 1, 0},
		{4, inf, 1, 0}, {4, 0x1p-140, 0x1p-140, 0}, {5, 4, 0.5, 0}, {5, inf, 0, 0}, {5, float32(math.Copysign(0, -1)), -inf, 0},
		{6, 3, 1.0 / 3, 0}, {6, 2, 0.5 + 0x1p-23, 2},
	} {
		f := functions[c.function]
		v := f.judge([]float32{c.x}, []float32{c.y})
		if !(math.Abs(v.off-c.want) < 1e-6 || v.off == c.want) || (v.over == 1) != (c.want > 1) || v.n != 1 {
			t.Errorf("%v for %s of %v: %+v, want %v of the bound", c.y, f.name, c.x, v, c.want)
		}
	}
	if in := inputs(0xff000000); len(in) != 2*4097 || math.Float32bits(in[0]) != 0xff000000 ||
		math.Float32bits(in[len(in)-1]) != math.MaxUint32 {
		t.Errorf("%d inputs from %v to %v", len(in), in[0], in[len(in)-1])
	}
}
