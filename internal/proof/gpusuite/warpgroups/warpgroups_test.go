package warpgroups

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

// launcher launches a kernel of this package.
type launcher[T, U, S any] func(
	s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[T], b gridstride.Buffer[U], c gridstride.Buffer[S], k int,
) error

// product is a kernel of n columns, and what the host has in its place.
type product[T, U, S any] struct {
	load    func(dev *gridstride.Device) (launcher[T, U, S], error)
	n       int
	numberA func(r *rand.Rand) T
	numberB func(r *rand.Rand) U
	// sum is the sum of the products of a row and a column, from zero on.
	sum        func(a []T, b []U) S
	equal      func(x, y S) bool
	transposed bool // a is by columns, and b by rows
}

// run compares products of 64 by k and k by n elements with the host's.
func (p *product[T, U, S]) run(t *testing.T, dev *gridstride.Device, k int) {
	t.Helper()
	launch, err := p.load(dev)
	suitetest.Need(t, err)
	r := rand.New(rand.NewPCG(1, uint64(k)))
	a, b := make([]T, 64*k), make([]U, k*p.n)
	for i := range a {
		a[i] = p.numberA(r)
	}
	for i := range b {
		b[i] = p.numberB(r)
	}
	got, err := suitetest.Combine(t.Context(), dev, a, b, 64*p.n, func(x gridstride.Buffer[T], y gridstride.Buffer[U], z gridstride.Buffer[S]) error {
		return launch(dev.Stream(), gridstride.Grid(1).Block(128), x, y, z, k)
	})
	if err != nil {
		t.Fatal(err)
	}
	row, column := make([]T, k), make([]U, k)
	for i, x := range got {
		for j := range row {
			row[j], column[j] = a[i/p.n*k+j], b[i%p.n*k+j]
			if p.transposed {
				row[j], column[j] = a[j*64+i/p.n], b[j*p.n+i%p.n]
			}
		}
		if want := p.sum(row, column); !p.equal(x, want) {
			t.Fatalf("k %d: element %d, %d is %v, want %v", k, i/p.n, i%p.n, x, want)
		}
	}
}

// format is a type of factors, and what the model has in its place.
type format[T any] struct {
	model tensor.Format
	of    func(float64) T
	bits  func(T) uint32
	k     int // of a product
}

// number is any, some infinite or not numbers.
func (f format[T]) number(r *rand.Rand) T {
	switch r.IntN(4000) {
	case 0:
		return f.of(math.Inf(1))
	case 1:
		return f.of(math.NaN())
	}
	return f.of(r.NormFloat64() * math.Ldexp(1, r.IntN(8)-6))
}

var (
	f16  = format[gpu.Float16]{tensor.F16, gpu.Float16Of[float64], func(x gpu.Float16) uint32 { return uint32(x.Bits()) }, 16}
	bf16 = format[gpu.BFloat16]{tensor.BF16, gpu.BFloat16Of[float64], func(x gpu.BFloat16) uint32 { return uint32(x.Bits()) }, 16}
	tf32 = format[gpu.TF32]{tensor.TF32, func(x float64) gpu.TF32 { return gpu.TF32Of(float32(x)) },
		func(x gpu.TF32) uint32 { return math.Float32bits(x.Float32()) }, 8}
	e4m3 = format[gpu.E4M3]{tensor.E4M3, gpu.E4M3Of[float64], func(x gpu.E4M3) uint32 { return uint32(x.Bits()) }, 32}
	e5m2 = format[gpu.E5M2]{tensor.E5M2, gpu.E5M2Of[float64], func(x gpu.E5M2) uint32 { return uint32(x.Bits()) }, 32}
)

// sumOf is the model's sum, in steps of a product, with the signs of the factors.
func sumOf[T, U, S any](first format[T], second format[U], sum tensor.Format, from func(uint32) S, negate uint32) func(a []T, b []U) S {
	unit := tensor.UnitFor(tensor.WGMMA, 90, first.model, second.model, sum, first.k)
	return func(a []T, b []U) S {
		sum := uint32(0)
		for ; len(a) > 0; a, b = a[first.k:], b[first.k:] {
			x, y := make([]uint32, first.k), make([]uint32, first.k)
			for i := range x {
				x[i], y[i] = first.bits(a[i]), second.bits(b[i])^negate
			}
			sum = unit.Dot(x, y, sum)
		}
		return from(sum)
	}
}

// single compares floats by their bits, except a NaN.
func single(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y }

func same[T comparable](x, y T) bool { return x == y }

func open(t *testing.T) *gridstride.Device {
	t.Helper()
	dev := suitetest.Open(t)
	if c := dev.Info().Capability; c != "" && c != "9.0" {
		t.Skipf("%s has no wgmma", c)
	}
	return dev
}

// runSingles compares a product that is added up in float32.
func runSingles[T, U any](
	t *testing.T, dev *gridstride.Device, a format[T], b format[U], n int, name string,
	load func(*gridstride.Device) (launcher[T, U, float32], error),
) {
	p := product[T, U, float32]{load: load, n: n, numberA: a.number, numberB: b.number, equal: single,
		sum: sumOf(a, b, tensor.F32, math.Float32frombits, 0)}
	switch name {
	case "Negated":
		p.sum = sumOf(a, b, tensor.F32, math.Float32frombits, 1<<15)
	case "Transposed":
		p.transposed = true
	}
	t.Run(fmt.Sprintf("%s/%s, %s", name, a.model, b.model), func(t *testing.T) {
		p.run(t, dev, 0)
		p.run(t, dev, 3*a.k*4)
	})
}

// TestProducts compares products of each format with the model of tensor cores, bit for bit.
func TestProducts(t *testing.T) {
	t.Parallel()
	dev := open(t)
	runSingles(t, dev, f16, f16, 64, "Single", method(LoadSingle[gpu.Float16], (*SingleKernel[gpu.Float16]).Launch))
	runSingles(t, dev, bf16, bf16, 64, "Single", method(LoadSingle[gpu.BFloat16], (*SingleKernel[gpu.BFloat16]).Launch))
	runSingles(t, dev, tf32, tf32, 64, "Single", method(LoadSingle[gpu.TF32], (*SingleKernel[gpu.TF32]).Launch))
	runSingles(t, dev, f16, f16, 8, "Plain", method(LoadPlain[gpu.Float16], (*PlainKernel[gpu.Float16]).Launch))
	runSingles(t, dev, bf16, bf16, 8, "Plain", method(LoadPlain[gpu.BFloat16], (*PlainKernel[gpu.BFloat16]).Launch))
	runSingles(t, dev, tf32, tf32, 8, "Plain", method(LoadPlain[gpu.TF32], (*PlainKernel[gpu.TF32]).Launch))
	runSingles(t, dev, e4m3, e4m3, 40, "Eight", method(LoadEight[gpu.E4M3, gpu.E4M3], (*EightKernel[gpu.E4M3, gpu.E4M3]).Launch))
	runSingles(t, dev, e4m3, e5m2, 40, "Eight", method(LoadEight[gpu.E4M3, gpu.E5M2], (*EightKernel[gpu.E4M3, gpu.E5M2]).Launch))
	runSingles(t, dev, e5m2, e4m3, 40, "Eight", method(LoadEight[gpu.E5M2, gpu.E4M3], (*EightKernel[gpu.E5M2, gpu.E4M3]).Launch))
	runSingles(t, dev, e5m2, e5m2, 40, "Eight", method(LoadEight[gpu.E5M2, gpu.E5M2], (*EightKernel[gpu.E5M2, gpu.E5M2]).Launch))
	runSingles(t, dev, bf16, bf16, 16, "Negated", method(LoadNegated, (*NegatedKernel).Launch))
	runSingles(t, dev, f16, f16, 32, "Registers", method(LoadRegisters[gpu.Float16], (*RegistersKernel[gpu.Float16]).Launch))
	runSingles(t, dev, bf16, bf16, 32, "Registers", method(LoadRegisters[gpu.BFloat16], (*RegistersKernel[gpu.BFloat16]).Launch))
	runSingles(t, dev, tf32, tf32, 32, "RegistersTF32", method(LoadRegistersTF32, (*RegistersTF32Kernel).Launch))
	runSingles(t, dev, e5m2, e4m3, 32, "RegistersEight", method(LoadRegistersEight, (*RegistersEightKernel).Launch))
	runSingles(t, dev, f16, f16, 128, "Transposed", method(LoadTransposed, (*TransposedKernel).Launch))
	runSingles(t, dev, bf16, bf16, 256, "Pipelined", method(LoadPipelined, (*PipelinedKernel).Launch))
	half := product[gpu.Float16, gpu.Float16, gpu.Float16]{
		load: method(LoadHalf, (*HalfKernel).Launch), n: 24, numberA: f16.number, numberB: f16.number, equal: same[gpu.Float16],
		sum: sumOf(f16, f16, tensor.F16, func(bits uint32) gpu.Float16 { return gpu.Float16FromBits(uint16(bits)) }, 0),
	}
	t.Run("Half", func(t *testing.T) { half.run(t, dev, 192) })
	runIntegers(t, dev, "RegistersIntegers", 32, signed, unsigned, method(LoadRegistersIntegers, (*RegistersIntegersKernel).Launch))
	runIntegers(t, dev, "Integers", 128, signed, signed, method(LoadIntegers[int8, int8], (*IntegersKernel[int8, int8]).Launch))
	runIntegers(t, dev, "Integers", 128, signed, unsigned, method(LoadIntegers[int8, uint8], (*IntegersKernel[int8, uint8]).Launch))
	runIntegers(t, dev, "Integers", 128, unsigned, signed, method(LoadIntegers[uint8, int8], (*IntegersKernel[uint8, int8]).Launch))
	runIntegers(t, dev, "Integers", 128, unsigned, unsigned, method(LoadIntegers[uint8, uint8], (*IntegersKernel[uint8, uint8]).Launch))
}

func signed(r *rand.Rand) int8    { return int8(r.Uint32()) }
func unsigned(r *rand.Rand) uint8 { return uint8(r.Uint32()) }

func runIntegers[T, U int8 | uint8](
	t *testing.T, dev *gridstride.Device, name string, n int, a func(*rand.Rand) T, b func(*rand.Rand) U,
	load func(*gridstride.Device) (launcher[T, U, int32], error),
) {
	p := product[T, U, int32]{load: load, n: n, numberA: a, numberB: b, equal: same[int32], sum: func(a []T, b []U) (sum int32) {
		for i := range a {
			sum += int32(a[i]) * int32(b[i])
		}
		return sum
	}}
	t.Run(fmt.Sprintf("%s/%T, %T", name, *new(T), *new(U)), func(t *testing.T) { p.run(t, dev, 256) })
}

// method is a kernel's launcher as a function.
func method[K, T, U, S any](
	load func(*gridstride.Device) (*K, error),
	launch func(k *K, s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[T], b gridstride.Buffer[U],
		c gridstride.Buffer[S], n int) error,
) func(*gridstride.Device) (launcher[T, U, S], error) {
	return func(dev *gridstride.Device) (launcher[T, U, S], error) {
		kernel, err := load(dev)
		if err != nil {
			return nil, err
		}
		return func(s *gridstride.Stream, cfg gridstride.Config, a gridstride.Buffer[T], b gridstride.Buffer[U],
			c gridstride.Buffer[S], k int) error {
			return launch(kernel, s, cfg, a, b, c, k)
		}, nil
	}
}
