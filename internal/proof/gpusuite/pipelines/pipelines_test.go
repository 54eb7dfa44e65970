package pipelines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// sizes are m, n and k of the products.
var sizes = [][3]int{{1, 1, 1}, {3, 2, 0}, {64, 64, 32}, {65, 63, 33}, {33, 72, 200}, {130, 8, 40}, {31, 100, 97}}

// launcher launches a kernel of this package.
type launcher[T, S any] func(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[T], c gridstride.Buffer[S], m, n, k int) error

// kernel is a kernel of this package, and how many threads its blocks have.
type kernel[T, S any] struct {
	launch  launcher[T, S]
	threads int
}

// compare compares a kernel's products with what the host has in its place: the sum of products of
// a row and a column, whose length is a multiple of depth, in order from zero on.
func compare[T any, S comparable](t *testing.T, depth int, by kernel[T, S], err error, dev *gridstride.Device,
	number func(r *rand.Rand) T, sum func(row, column []T) S,
) {
	t.Helper()
	suitetest.Need(t, err)
	for _, size := range sizes {
		r := rand.New(rand.NewPCG(1, uint64(size[2])))
		m, n, k := size[0], size[1], size[2]
		a, b := make([]T, m*k), make([]T, k*n)
		for i := range a {
			a[i] = number(r)
		}
		for i := range b {
			b[i] = number(r)
		}
		got, err := suitetest.Combine(t.Context(), dev, a, b, m*n, func(x, y gridstride.Buffer[T], z gridstride.Buffer[S]) error {
			cfg := gridstride.Grid((n+tileCols-1)/tileCols, (m+tileRows-1)/tileRows).Block(by.threads)
			return by.launch(dev.Stream(), cfg, x, y, z, m, n, k)
		})
		if err != nil {
			t.Fatal(err)
		}
		padded := (k + depth - 1) / depth * depth
		row, column := make([]T, padded), make([]T, padded)
		for i, x := range got {
			copy(row, a[i/n*k:][:k])
			for j := range k {
				column[j] = b[j*n+i%n]
			}
			if want := sum(row, column); x != want {
				t.Fatalf("%v: element %d, %d is %v, want %v", size, i/n, i%n, x, want)
			}
		}
	}
}

// dot computes like the tensor cores of an H200 on numbers of 16 bits, 16 products at a time.
func dot[T interface{ Bits() uint16 }](format tensor.Format) func(row, column []T) float32 {
	unit := tensor.UnitFor(tensor.MMA, 90, format, format, tensor.F32, 16)
	return func(row, column []T) float32 {
		sum := uint32(0)
		for ; len(row) > 0; row, column = row[16:], column[16:] {
			var x, y [16]uint32
			for i := range x {
				x[i], y[i] = uint32(row[i].Bits()), uint32(column[i].Bits())
			}
			sum = unit.Dot(x[:], y[:], sum)
		}
		return math.Float32frombits(sum)
	}
}

// TestHalves compares products of both formats with the model of tensor cores.
func TestHalves(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	if c := dev.Info().Capability; c != "" && c != "9.0" {
		t.Skipf("there is no model of the tensor cores of %s", c)
	}
	number := func(r *rand.Rand) float64 { return r.NormFloat64() * math.Ldexp(1, r.IntN(8)-6) }
	half := func(r *rand.Rand) gpu.Float16 { return gpu.Float16Of(number(r)) }
	brain := func(r *rand.Rand) gpu.BFloat16 { return gpu.BFloat16Of(number(r)) }
	h, err := LoadMultiplyHalves[gpu.Float16](dev)
	compare(t, halfDepth, kernel[gpu.Float16, float32]{h.Launch, 128}, err, dev, half, dot[gpu.Float16](tensor.F16))
	b, err := LoadMultiplyHalves[gpu.BFloat16](dev)
	compare(t, halfDepth, kernel[gpu.BFloat16, float32]{b.Launch, 128}, err, dev, brain, dot[gpu.BFloat16](tensor.BF16))
	hr, err := LoadMultiplyByRoles[gpu.Float16](dev)
	compare(t, halfDepth, kernel[gpu.Float16, float32]{hr.Launch, 160}, err, dev, half, dot[gpu.Float16](tensor.F16))
	br, err := LoadMultiplyByRoles[gpu.BFloat16](dev)
	compare(t, halfDepth, kernel[gpu.BFloat16, float32]{br.Launch, 160}, err, dev, brain, dot[gpu.BFloat16](tensor.BF16))
}

// TestDoubles compares products with a chain of fused multiplications and additions.
func TestDoubles(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	k, err := LoadMultiplyDoubles(dev)
	compare(t, doubleDepth, kernel[float64, float64]{k.Launch, 128}, err, dev, (*rand.Rand).NormFloat64, func(row, column []float64) (sum float64) {
		for i := range row {
			sum = math.FMA(row[i], column[i], sum)
		}
		return sum
	})
}
