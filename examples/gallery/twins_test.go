package main

import (
	"math"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/gpu"
)

// The tests of this file hold the twins to what is known of their results. TestExhibits holds the
// kernels to the twins.

// near reports whether two numbers agree to within some rounding.
func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestSoftmax(t *testing.T) {
	t.Parallel()
	x := []float32{0, 1, 2, 1000, 1000, 1000}
	for i, want := range []float64{0.09003057, 0.24472847, 0.66524096, 1. / 3, 1. / 3, 1. / 3} {
		if got := softmaxOnHost(x, 3)[i]; !near(float64(got), want, 1e-7) {
			t.Errorf("share %d is %v, want %v", i, got, want)
		}
	}
}

func TestLayerNorm(t *testing.T) {
	t.Parallel()
	const n = 777
	gain, bias := slices.Repeat([]float32{2}, n), slices.Repeat([]float32{5}, n)
	y := layerNormOnHost(uniform[float32](n, 10, 20), gain, bias, Norm{Columns: n})
	var sum, squares float64
	for _, v := range y {
		sum += float64(v) / n
	}
	for _, v := range y {
		squares += (float64(v) - sum) * (float64(v) - sum) / n
	}
	if !near(sum, 5, 1e-5) || !near(math.Sqrt(squares), 2, 1e-5) {
		t.Errorf("the mean is %v and the deviation %v, want 5 and 2", sum, math.Sqrt(squares))
	}
}

// TestLayerNormGrad holds the gradients to differences of LayerNorm's results, in float32.
func TestLayerNormGrad(t *testing.T) {
	t.Parallel()
	const rows, n = 2, 300
	norm := Norm{Columns: n, Epsilon: 1e-5}
	x, grad := uniform[float32](rows*n, -3, 5), uniform[float32](rows*n, -1, 1)
	gain, bias := uniform[float32](n, 0.5, 2), make([]float32, n)
	gradX, gradGain, gradBias := layerNormGradOnHost(x, gain, grad, norm)
	loss := func() (sum float64) {
		for i, y := range layerNormOnHost(x, gain, bias, norm) {
			sum += float64(y) * float64(grad[i])
		}
		return sum
	}
	for name, part := range map[string]struct{ numbers, grad []float32 }{
		"x": {x, gradX}, "gain": {gain, gradGain}, "bias": {bias, gradBias},
	} {
		for _, i := range []int{0, 17, n - 1} {
			was := part.numbers[i]
			part.numbers[i] = was + 0.125
			above := loss()
			part.numbers[i] = was - 0.125
			slope := (above - loss()) / 0.25
			part.numbers[i] = was
			if got := float64(part.grad[i]); !near(got, slope, 1e-3) {
				t.Errorf("the gradient of %s %d is %v; the loss rises by %v", name, i, got, slope)
			}
		}
	}
}

func TestGELU(t *testing.T) {
	t.Parallel()
	// x times the normal distribution function: of -10 it is 7.619853024160526e-24.
	for x, want := range map[float64]float64{0: 0, 1: 0.8413447460685429, -1: -0.15865525393145707,
		10: 10, -10: -7.619853024160526e-23, 0.5: 0.34573123063700656} {
		got := []float64{geluOnHost([]float64{x})[0], float64(geluOnHost([]float32{float32(x)})[0])}
		if !near(got[0], want, 1e-14*math.Abs(want)) || !near(got[1], want, 1e-5*math.Abs(want)) {
			t.Errorf("GELU of %v is %v, want %v", x, got, want)
		}
	}
}

// TestBlackScholes has the example of J. Hull, "Options, Futures, and Other Derivatives", and holds
// other options to the parity of calls and puts.
func TestBlackScholes(t *testing.T) {
	t.Parallel()
	got := blackScholesOnHost([]Option{{Spot: 42, Strike: 40, Years: 0.5, Volatility: 0.2}}, 0.1)[0]
	if !near(got.Call, 4.759422, 1e-6) || !near(got.Put, 0.808599, 1e-6) {
		t.Errorf("Hull's option costs %v", got)
	}
	for _, o := range []Option{{1, 100, 0.25, 0.1}, {100, 1, 10, 0.6}, {10, 10, 1, 0.3}} {
		p := o.price(0.02)
		if want := o.Spot - o.Strike*math.Exp(-0.02*o.Years); !near(p.Call-p.Put, want, 1e-12) || p.Call < 0 || p.Put < 0 {
			t.Errorf("%+v costs %v, whose difference should be %v", o, p, want)
		}
	}
}

// TestFFT compares with the sums of the definition.
func TestFFT(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 8, 128} {
		x := uniform[float32](2*n, -1, 1)
		signal := make([]gpu.Float32x2, n)
		for i := range signal {
			signal[i] = gpu.Float32x2{X: x[2*i], Y: x[2*i+1]}
		}
		for k, got := range fftOnHost(signal) {
			var want complex128
			for i, v := range signal {
				sin, cos := math.Sincos(-2 * math.Pi * float64(k*i%n) / float64(n))
				want += complex(float64(v.X), float64(v.Y)) * complex(cos, sin)
			}
			if !near(float64(got.X), real(want), 1e-5) || !near(float64(got.Y), imag(want), 1e-5) {
				t.Errorf("number %d of %d is %v, want %v", k, n, got, want)
			}
		}
	}
}

func TestMandelbrot(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		re, im float64
		want   int32
	}{{0, 0, most}, {-1, 0, most}, {-2, 0, most}, {0, 1, most}, {2, 0, 2}, {1, 0, 3}, {3, 0, 1}, {0.26, 0, 30}} {
		view := View{Left: p.re, Top: p.im}
		if got := view.escape(0, 0); got != p.want {
			t.Errorf("%v%+vi escapes in %d steps, want %d", p.re, p.im, got, p.want)
		}
	}
}

// TestNBody has two bodies that pull each other, and keeps their momentum.
func TestNBody(t *testing.T) {
	t.Parallel()
	after := nbodyOnHost([]Body{{At: gpu.Float32x4{X: -1, W: 3}}, {At: gpu.Float32x4{X: 1, W: 1}}})
	a, b := after[0].Speed, after[1].Speed
	if want := timeStep * 3. / 4; !near(float64(-b.X), want, 1e-5) || !near(float64(3*a.X+b.X), 0, 1e-8) || a.Y != 0 {
		t.Errorf("the speeds are %v and %v, want %v and %v", a.X, b.X, want/3, -want)
	}
	if got := after[0].At; got.W != 3 || got.X <= -1 {
		t.Errorf("the heavy body is at %v", got)
	}
}

func TestPi(t *testing.T) {
	t.Parallel()
	const samples = 3000
	if got := 4 * float64(piOnHost(5, samples)) / (samples * points); !near(got, math.Pi, 0.01) {
		t.Errorf("π is %v", got)
	}
}

func TestRadixSort(t *testing.T) {
	t.Parallel()
	keys := make([]uint32, 1000)
	for i, x := range uniform[float64](len(keys), 0, 1<<32) {
		keys[i] = uint32(x)
	}
	want := slices.Clone(keys)
	slices.Sort(want)
	if got := radixSortOnHost(keys); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestSpMV(t *testing.T) {
	t.Parallel()
	// The rows (1 0 2), (0 0 0) and (0 -3 0).
	got := spmvOnHost([]int32{0, 2, 2, 3}, []int32{0, 2, 1}, []float64{1, 2, -3}, []float64{5, 7, 11})
	if want := []float64{27, 0, -21}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBFS(t *testing.T) {
	t.Parallel()
	// 0 to 1 and 2, 1 to 3, 2 to 3, 3 to 0. Nothing leads to 4.
	got := bfsOnHost([]int32{0, 2, 3, 4, 5, 6}, []int32{1, 2, 3, 3, 0, 0}, 0)
	if want := []int32{0, 1, 1, 2, unseen}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKMeans(t *testing.T) {
	t.Parallel()
	points := []gpu.Float32x2{{X: 0, Y: 0}, {X: 2, Y: 0}, {X: 10, Y: 10}, {X: 12, Y: 10}}
	centres := []gpu.Float32x2{{X: 1, Y: 1}, {X: 9, Y: 9}, {X: 100, Y: 100}}
	cluster := assignOnHost(points, centres)
	updateOnHost(points, cluster, centres)
	want := []gpu.Float32x2{{X: 1, Y: 0}, {X: 11, Y: 10}, {X: 100, Y: 100}}
	if !slices.Equal(cluster, []int32{0, 0, 1, 1}) || !slices.Equal(centres, want) {
		t.Errorf("the clusters are %d, the centres %v, want %v", cluster, centres, want)
	}
}
