package perf

import (
	"testing"

	"github.com/gridstride/gridstride"
)

// multiplyAdder is the launch of OneOperand, TwoOperands or ThreeOperands.
type multiplyAdder[T float32 | float64] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, x, sums gridstride.Buffer[T], rounds int) error
}

// multiplyAdders loads the three.
func multiplyAdders[T float32 | float64](t testing.TB, dev *gridstride.Device) map[string]multiplyAdder[T] {
	t.Helper()
	one, err := LoadOneOperand[T](dev)
	must(t, err)
	two, err := LoadTwoOperands[T](dev)
	must(t, err)
	three, err := LoadThreeOperands[T](dev)
	must(t, err)
	return map[string]multiplyAdder[T]{"one": one, "two": two, "three": three}
}

// factors are small integers: sums of their products are exact.
func factors[T float32 | float64]() []T {
	x := make([]T, 32)
	for i := range x {
		x[i] = T(i%7) - 2
	}
	return x
}

// TestMultiplyAdd holds the kernels to sums that were added up here.
func TestMultiplyAdd(t *testing.T) {
	t.Run("float32", testMultiplyAdd[float32])
	t.Run("float64", testMultiplyAdd[float64])
}

func testMultiplyAdd[T float32 | float64](t *testing.T) {
	const rounds, threads = 3, 2 * blockSize
	dev := open(t)
	host := factors[T]()
	x, err := gridstride.CopyOf(dev, host)
	must(t, err)
	sums, err := gridstride.Make[T](dev, threads)
	must(t, err)
	s := dev.Stream()
	want := map[string]T{}
	for r := range tileSide {
		for c := range tileSide {
			n := tileSide*r + c
			want["one"] += rounds * host[0] * host[16]
			want["two"] += rounds * host[r] * host[16+c]
			want["three"] += rounds * host[n%16] * host[16+5*n%16]
		}
	}
	for name, k := range multiplyAdders[T](t, dev) {
		must(t, k.Launch(s, gridstride.Grid(2), x, sums, rounds))
		got, err := sums.Read(t.Context(), s, nil)
		must(t, err)
		for i, v := range got {
			if v != want[name] {
				t.Fatalf("%s: thread %d has %v, want %v", name, i, v, want[name])
			}
		}
	}
	must(t, x.Free())
	must(t, sums.Free())
}

// BenchmarkMultiplyAdd measures multiply-adds that read one, two or three new operands from
// registers. Two are the bound of a matrix product from registers.
func BenchmarkMultiplyAdd(b *testing.B) {
	b.Run("float32", benchmarkMultiplyAdd[float32])
	b.Run("float64", benchmarkMultiplyAdd[float64])
}

func benchmarkMultiplyAdd[T float32 | float64](b *testing.B) {
	const rounds = 20_000
	dev := open(b)
	if dev.Info().Backend != "cuda" {
		b.Skipf("needs a GPU; this is the %s", dev.Info().Name)
	}
	blocks := 2 * dev.Info().Multiprocessors
	x, err := gridstride.CopyOf(dev, factors[T]())
	must(b, err)
	defer x.Free()
	sums, err := gridstride.Make[T](dev, blocks*blockSize)
	must(b, err)
	defer sums.Free()
	s := dev.Stream()
	for name, k := range multiplyAdders[T](b, dev) {
		b.Run(name, func(b *testing.B) {
			must(b, k.Launch(s, gridstride.Grid(blocks), x, sums, rounds))
			start, launches := s.Record(), 0
			for b.Loop() {
				must(b, k.Launch(s, gridstride.Grid(blocks), x, sums, rounds))
				launches++
			}
			took, err := s.Record().Since(b.Context(), start)
			must(b, err)
			operations := 2 * rounds * tileSide * tileSide * float64(blocks*blockSize) * float64(launches)
			b.ReportMetric(operations/float64(took.Nanoseconds()), "GFLOP/s")
		})
	}
}
