package products

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/machine/sim/tensor"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// sizes are m, n and k of the products.
var sizes = [][3]int{{1, 1, 1}, {3, 2, 0}, {16, 16, 16}, {8, 7, 31}, {17, 33, 32}, {33, 31, 65}}

// launcher launches a kernel of this package.
type launcher[T, U, S any] func(s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[T], b gridstride.Buffer[U], c gridstride.Buffer[S], m, n, k int) error

// product is a kernel, and what the host has in its place.
type product[T, U, S any] struct {
	load    func(dev *gridstride.Device) (launcher[T, U, S], error)
	rows    int // of a block
	numberA func(r *rand.Rand) T
	numberB func(r *rand.Rand) U
	// sum is the sum of products in order, from zero on.
	sum   func(a []T, b []U) S
	equal func(x, y S) bool
}

// run compares the product with the host's.
func (p *product[T, U, S]) run(t *testing.T, dev *gridstride.Device) {
	t.Helper()
	launch, err := p.load(dev)
	suitetest.Need(t, err)
	for _, size := range sizes {
		r := rand.New(rand.NewPCG(1, uint64(size[2])))
		m, n, k := size[0], size[1], size[2]
		a, b := make([]T, m*k), make([]U, k*n)
		for i := range a {
			a[i] = p.numberA(r)
		}
		for i := range b {
			b[i] = p.numberB(r)
		}
		got, err := suitetest.Combine(t.Context(), dev, a, b, m*n, func(x gridstride.Buffer[T], y gridstride.Buffer[U], z gridstride.Buffer[S]) error {
			return launch(dev.Stream(), gridstride.Grid((n+15)/16, (m+p.rows-1)/p.rows).Block(64), x, y, z, m, n, k)
		})
		if err != nil {
			t.Fatal(err)
		}
		column := make([]U, k)
		for i, x := range got {
			for j := range column {
				column[j] = b[j*n+i%n]
			}
			if want := p.sum(a[i/n*k:][:k], column); !p.equal(x, want) {
				t.Fatalf("%v: element %d, %d is %v, want %v", size, i/n, i%n, x, want)
			}
		}
	}
}

// TestFloat64 compares all shapes for float64 with a chain of fused multiplications and additions.
func TestFloat64(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	number := func(r *rand.Rand) float64 { return r.NormFloat64() * math.Ldexp(1, r.IntN(20)) }
	p := product[float64, float64, float64]{
		rows: 16, numberA: number, numberB: number,
		sum: func(a, b []float64) (sum float64) {
			for i := range a {
				sum = math.FMA(a[i], b[i], sum)
			}
			return sum
		},
		equal: func(x, y float64) bool { return x == y },
	}
	for name, load := range map[string]func(*gridstride.Device) (launcher[float64, float64, float64], error){
		"8x8x4": method(LoadK4F64x8, (*K4F64x8Kernel).Launch), "16x8x4": method(LoadK4F64, (*K4F64Kernel).Launch),
		"16x8x8": method(LoadK8F64, (*K8F64Kernel).Launch), "16x8x16": method(LoadK16F64, (*K16F64Kernel).Launch),
	} {
		p := p
		p.load = load
		if name == "8x8x4" {
			p.rows = 8
		}
		t.Run(name, func(t *testing.T) { p.run(t, dev) })
	}
}

// TestIntegers compares the products of integers.
func TestIntegers(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	signed := func(r *rand.Rand) int8 { return int8(r.Uint32()) }
	unsigned := func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }
	runIntegers(t, dev, "int8, 32", signed, method(LoadK32[int8], (*K32Kernel[int8]).Launch))
	runIntegers(t, dev, "uint8, 32", unsigned, method(LoadK32[uint8], (*K32Kernel[uint8]).Launch))
	runIntegers(t, dev, "int8, 16", signed, method(LoadK16S32[int8], (*K16S32Kernel[int8]).Launch))
	runIntegers(t, dev, "uint8, 16", unsigned, method(LoadK16S32[uint8], (*K16S32Kernel[uint8]).Launch))
}

func runIntegers[T int8 | uint8](
	t *testing.T, dev *gridstride.Device, name string, number func(*rand.Rand) T,
	load func(*gridstride.Device) (launcher[T, T, int32], error),
) {
	p := product[T, T, int32]{
		load: load, rows: 16, numberA: number, numberB: number, sum: dotOfIntegers[T], equal: same[int32],
	}
	t.Run(name, func(t *testing.T) { p.run(t, dev) })
}

func dotOfIntegers[T int8 | uint8](a, b []T) (sum int32) {
	for i := range a {
		sum += int32(a[i]) * int32(b[i])
	}
	return sum
}

func same[T comparable](x, y T) bool { return x == y }

// single compares floats by their bits, except a NaN.
func single(x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
}

// TestFloats compares the formats that are added up in float32, or in Float16, with the model of
// internal/machine/sim/tensor, bit for bit.
func TestFloats(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	if c := dev.Info().Capability; c != "" && c != "9.0" {
		t.Skipf("there is no model of the tensor cores of %s", c)
	}
	f16 := format[gpu.Float16]{tensor.F16, gpu.Float16Of[float64], func(x gpu.Float16) uint32 { return uint32(x.Bits()) }}
	bf16 := format[gpu.BFloat16]{tensor.BF16, gpu.BFloat16Of[float64], func(x gpu.BFloat16) uint32 { return uint32(x.Bits()) }}
	tf32 := format[gpu.TF32]{tensor.TF32, func(x float64) gpu.TF32 { return gpu.TF32Of(float32(x)) },
		func(x gpu.TF32) uint32 { return math.Float32bits(x.Float32()) }}
	e4m3 := format[gpu.E4M3]{tensor.E4M3, gpu.E4M3Of[float64], func(x gpu.E4M3) uint32 { return uint32(x.Bits()) }}
	e5m2 := format[gpu.E5M2]{tensor.E5M2, gpu.E5M2Of[float64], func(x gpu.E5M2) uint32 { return uint32(x.Bits()) }}
	runSingles(t, dev, f16, f16, 16, method(LoadK16[gpu.Float16], (*K16Kernel[gpu.Float16]).Launch))
	runSingles(t, dev, bf16, bf16, 16, method(LoadK16[gpu.BFloat16], (*K16Kernel[gpu.BFloat16]).Launch))
	runFloats(t, dev, f16, f16, tensor.F16, 16, method(LoadK16F16, (*K16F16Kernel).Launch),
		func(bits uint32) gpu.Float16 { return gpu.Float16FromBits(uint16(bits)) }, same[gpu.Float16])
	runSingles(t, dev, f16, f16, 8, method(LoadK8[gpu.Float16], (*K8Kernel[gpu.Float16]).Launch))
	runSingles(t, dev, bf16, bf16, 8, method(LoadK8[gpu.BFloat16], (*K8Kernel[gpu.BFloat16]).Launch))
	runSingles(t, dev, tf32, tf32, 8, method(LoadK8[gpu.TF32], (*K8Kernel[gpu.TF32]).Launch))
	runSingles(t, dev, tf32, tf32, 4, method(LoadK4TF32, (*K4TF32Kernel).Launch))
	runSingles(t, dev, e4m3, e4m3, 32, method(LoadK32F32[gpu.E4M3, gpu.E4M3], (*K32F32Kernel[gpu.E4M3, gpu.E4M3]).Launch))
	runSingles(t, dev, e4m3, e5m2, 32, method(LoadK32F32[gpu.E4M3, gpu.E5M2], (*K32F32Kernel[gpu.E4M3, gpu.E5M2]).Launch))
	runSingles(t, dev, e5m2, e4m3, 32, method(LoadK32F32[gpu.E5M2, gpu.E4M3], (*K32F32Kernel[gpu.E5M2, gpu.E4M3]).Launch))
	runSingles(t, dev, e5m2, e5m2, 32, method(LoadK32F32[gpu.E5M2, gpu.E5M2], (*K32F32Kernel[gpu.E5M2, gpu.E5M2]).Launch))
}

// format is a type of factors, and what the model has in its place.
type format[T any] struct {
	model tensor.Format
	of    func(float64) T
	bits  func(T) uint32
}

// number is any, some infinite or not numbers.
func (f format[T]) number(r *rand.Rand) T {
	switch r.IntN(2000) {
	case 0:
		return f.of(math.Inf(1))
	case 1:
		return f.of(math.NaN())
	}
	return f.of(r.NormFloat64() * math.Ldexp(1, r.IntN(8)-6))
}

// runSingles compares a product that is added up in float32.
func runSingles[T, U any](
	t *testing.T, dev *gridstride.Device, a format[T], b format[U], k int,
	load func(*gridstride.Device) (launcher[T, U, float32], error),
) {
	runFloats(t, dev, a, b, tensor.F32, k, load, math.Float32frombits, single)
}

// runFloats compares a product whose instruction adds k products at a time.
func runFloats[T, U, S any](
	t *testing.T, dev *gridstride.Device, first format[T], second format[U], sum tensor.Format, k int,
	load func(*gridstride.Device) (launcher[T, U, S], error), from func(bits uint32) S, equal func(x, y S) bool,
) {
	unit := tensor.UnitFor(tensor.MMA, 90, first.model, second.model, sum, k)
	p := product[T, U, S]{
		load: load, rows: 16, equal: equal, numberA: first.number, numberB: second.number,
		sum: func(a []T, b []U) S {
			sum := uint32(0)
			for len(a) > 0 {
				x, y := make([]uint32, k), make([]uint32, k)
				n := min(k, len(a))
				for i := range n {
					x[i], y[i] = first.bits(a[i]), second.bits(b[i])
				}
				sum = unit.Dot(x, y, sum)
				a, b = a[n:], b[n:]
			}
			return from(sum)
		},
	}
	t.Run(fmt.Sprintf("%s, %s, %d, in %s", first.model, second.model, k, sum), func(t *testing.T) { p.run(t, dev) })
}

// method is a kernel's launcher as a function.
func method[K, T, U, S any](
	load func(*gridstride.Device) (*K, error),
	launch func(k *K, s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[T], b gridstride.Buffer[U],
		c gridstride.Buffer[S], m, n, l int) error,
) func(*gridstride.Device) (launcher[T, U, S], error) {
	return func(dev *gridstride.Device) (launcher[T, U, S], error) {
		k, err := load(dev)
		if err != nil {
			return nil, err
		}
		return func(s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[T], b gridstride.Buffer[U],
			c gridstride.Buffer[S], m, n, l int) error {
			return launch(k, s, cfg, a, b, c, m, n, l)
		}, nil
	}
}
