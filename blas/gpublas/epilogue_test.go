package gpublas_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/gputest"
)

// TestEpilogue holds a product with an epilogue to one without, whose elements get it on the
// host: with a bias and without, of products that have no terms too.
func TestEpilogue(t *testing.T) {
	t.Parallel()
	const m, n, k = 9, 21, 12
	b, r := newBench[float32](t, gputest.Device(t)), rand.New(rand.NewPCG(3, 4))
	x, y, c := integers[float32](r, m*k), integers[float32](r, k*n), integers[float32](r, m*n)
	bias := integers[float32](r, n)
	a1, b1 := gpublas.MatrixOf(m, k, bufferOf(t, b.dev, x)), gpublas.MatrixOf(k, n, bufferOf(t, b.dev, y))
	vector := gpublas.VectorOf(bufferOf(t, b.dev, bias))
	by := []gpublas.Compute[float32, float32]{gpublas.BF16x6, gpublas.FP32}
	for f := gpublas.NoActivation; f <= gpublas.GELUTanh; f++ {
		alpha := float32(f%3) / 64 // one alpha is 0
		plain, ended := gpublas.MatrixOf(m, n, bufferOf(t, b.dev, c)), gpublas.MatrixOf(m, n, bufferOf(t, b.dev, c))
		e := gpublas.Epilogue{Activation: f}
		if f != gpublas.GELU {
			e.Bias = vector
		}
		p := gpublas.ProductOf(by[f%2], a1, b1)
		p.Alpha, p.Beta = alpha, 1
		must(t, p.To(b.h, plain))
		p.Epilogue = e
		must(t, p.To(b.h, ended))
		want, err := plain.Data.Read(t.Context(), b.h.Stream(), nil)
		must(t, err)
		got, err := ended.Data.Read(t.Context(), b.h.Stream(), nil)
		must(t, err)
		for i := range want {
			if e.Bias.N > 0 {
				want[i] += bias[i%n]
			}
			want[i] = f.Of(want[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("activation %d, alpha %v: %v, want %v", f, alpha, got, want)
		}
	}
	z := gpublas.MatrixOf(m, n, bufferOf(t, b.dev, c))
	refused := func(e gpublas.Epilogue) error {
		p := gpublas.ProductOf(gpublas.TF32, a1, b1)
		p.Epilogue = e
		return p.To(b.h, z)
	}
	b.refused([]refusal{
		{refused(gpublas.Epilogue{Bias: gpublas.VectorOf(a1.Data)}), gpublas.ErrShape, "gpublas: Product.To: the bias has 108 elements and c has 21 columns"},
		{refused(gpublas.Epilogue{Activation: 4}), gpublas.ErrCompute, "gpublas: Product.To: unknown way to compute: there is no Activation 4"},
		{refused(gpublas.Epilogue{Bias: gpublas.VectorOf(z.Data.Slice(n, 2*n))}), gpublas.ErrOverlap,
			"gpublas: Product.To: c, 9 x 21 with a stride of 21, overlaps with the bias"},
	})
}

// TestActivations holds the functions to their definitions in float64.
func TestActivations(t *testing.T) {
	t.Parallel()
	for x := -12.0; x < 12; x += 0.01 {
		x = float64(float32(x))
		for f, want := range map[gpublas.Activation]float64{
			gpublas.NoActivation: x, gpublas.ReLU: max(x, 0), gpublas.GELU: x / 2 * (1 + math.Erf(x/math.Sqrt2)),
			gpublas.GELUTanh: x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))),
		} {
			if got := float64(f.Of(float32(x))); math.Abs(got-want) > 3e-7*max(1, math.Abs(x)) {
				t.Errorf("activation %d of %v is %v, want %v", f, x, got, want)
			}
		}
	}
	if nan := gpublas.ReLU.Of(float32(math.NaN())); nan == nan {
		t.Errorf("ReLU of NaN is %v", nan)
	}
}
