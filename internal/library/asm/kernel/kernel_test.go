package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/f32"
	"github.com/gridstride/gridstride/internal/library/asm/f64"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// run does everything there is with x and y and returns all results.
func run[T asm.Float](x, y []T) []T {
	x, y = slices.Clone(x), slices.Clone(y)
	out := []T{Dot(x, y), Dot(x, x), Sum(x), Asum(x), SquaredDistance(x, y)}
	var two [2]T
	Differences(x, y, &two)
	var three [3]T
	Cosine(x, y, &three)
	var five [5]T
	Compare(x, y, &five)
	out = append(append(append(out, two[:]...), three[:]...), five[:]...)
	if len(x) > 0 {
		Moments(x, y, &five)
		out = append(out, five[:]...)
	}
	if Single[T]() {
		n := len(x) &^ 7
		out = append(out, T(f32.DotExact(As32(x)[:n], As32(y)[:n])))
	} else {
		sums := [32]float64{3: 5}
		f64.DotExact(As64(x), As64(y), &sums)
		for _, s := range sums {
			out = append(out, T(s))
		}
	}
	Axpy(T(0.3), x, y)
	Rot(x, y, T(0.8), T(-0.6))
	Scal(T(1.7), x)
	return append(append(out, x...), y...)
}

// TestBits: all instruction sets give the bits of the kernels in Go, at all lengths and alignments,
// and write nothing but the vectors.
func TestBits(t *testing.T) {
	t.Run("float32", testBits[float32])
	t.Run("float64", testBits[float64])
}

func testBits[T asm.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	special := []float64{0, math.Copysign(0, -1), 1e-30, -1e-42, math.Inf(1), math.NaN(), 3e38}
	for n := range 300 {
		for _, kind := range []string{"normal", "tiny", "special"} {
			x, y := make([]T, n+n%7)[n%7:], make([]T, n+n%5)[n%5:]
			for i := range x {
				x[i], y[i] = T(r.NormFloat64()), T(r.NormFloat64())
				if kind == "tiny" {
					x[i], y[i] = T(r.NormFloat64()*1e-23), T(r.NormFloat64()*1e-22)
				}
				if kind == "special" && r.IntN(10) == 0 {
					x[i] = T(special[r.IntN(len(special))])
				}
			}
			var want []T
			levels := asm.Levels()
			for i := len(levels) - 1; i >= 0; i-- {
				restore := asm.Force(levels[i])
				got := run(x, y)
				restore()
				if want == nil {
					want = got
				}
				for j := range want {
					if bits(got[j]) != bits(want[j]) && !(got[j] != got[j] && want[j] != want[j]) {
						t.Fatalf("%d elements, %s, %v: result %d is %v, want %v", n, kind, levels[i], j, got[j], want[j])
					}
				}
			}
		}
	}
}

func bits[T asm.Float](v T) uint64 {
	if Single[T]() {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// TestGuards: the elements before and after the vectors do not change.
func TestGuards(t *testing.T) {
	t.Run("float32", testGuards[float32])
	t.Run("float64", testGuards[float64])
}

func testGuards[T asm.Float](t *testing.T) {
	for _, level := range asm.Levels() {
		defer asm.Force(level)()
		for n := range 150 {
			all := make([]T, n+64)
			for i := range all {
				all[i] = 7
			}
			x := all[32 : 32+n]
			Scal(2, x)
			Axpy(1, x, x)
			Rot(x, x, 0, 1)
			for i, v := range all {
				if (i < 32 || i >= 32+n) != (v == 7) {
					t.Fatalf("%v, %d elements: element %d is %v", level, n, i-32, v)
				}
			}
		}
	}
}

// TestExtrema: whole units, with the extreme element and NaN at every place.
func TestExtrema(t *testing.T) {
	t.Run("float32", testExtrema[float32])
	t.Run("float64", testExtrema[float64])
}

func testExtrema[T asm.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, level := range asm.Levels() {
		defer asm.Force(level)()
		for _, n := range []int{16, 32, 48, 64, 80} {
			for at := range n {
				x := make([]T, n)
				for i := range x {
					x[i] = T(r.Float64() - 0.5)
				}
				x[at] = 2
				check := func(name string, f func([]T) (T, bool), want T, wantNaN bool) {
					got, nan := f(x)
					if nan != wantNaN || !nan && got != want {
						t.Fatalf("%v: %s of %d, element %d: %v, %v; want %v, %v", level, name, n, at, got, nan, want, wantNaN)
					}
				}
				check("Max", Max[T], 2, false)
				check("MaxAbs", MaxAbs[T], 2, false)
				x[at] = -2
				check("Min", Min[T], -2, false)
				check("MaxAbs", MaxAbs[T], 2, false)
				x[at] = T(math.NaN())
				check("Min", Min[T], 0, true)
				check("Max", Max[T], 0, true)
				check("MaxAbs", MaxAbs[T], 0, true)
			}
		}
	}
}

// TestDeposits: the sums of the slices and the largest magnitude equal the results of the kernels
// in Go, at all lengths. A NaN or an infinity shows in the magnitude, and the sums say nothing
// then.
func TestDeposits(t *testing.T) {
	t.Run("float32", testDeposits[float32, uint32, binned.Single])
	t.Run("float64", testDeposits[float64, uint64, binned.Double])
}

func testDeposits[T asm.Float, U binned.Word, F binned.Format[T, U]](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	lengths := []int{DepositLength[T]() - 1, DepositLength[T]()}
	for n := range 70 {
		lengths = append(lengths, n)
	}
	type result struct {
		words   binned.Words
		largest uint64
	}
	for _, n := range lengths {
		x, y := make([]T, n), make([]T, n)
		var magnitude U
		for i := range x {
			x[i], y[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(60)-50)), T(r.Float64()*2-1)
			magnitude = max(magnitude, binned.Magnitude[T, U, F](x[i]))
		}
		scale := binned.Scale[T, U, F](binned.Bin[T, U, F](magnitude))
		var want [3]result
		levels := asm.Levels()
		for i := len(levels) - 1; i >= 0; i-- {
			restore := asm.Force(levels[i])
			var got [3]result
			got[0].words, got[0].largest = Deposit(x, scale)
			got[1].words, got[1].largest = DepositProducts(x, y, scale)
			if n > 0 {
				special := slices.Clone(x)
				special[r.IntN(n)] = T(math.Inf(-1))
				_, got[2].largest = Deposit(special, scale)
			}
			restore()
			if i == len(levels)-1 {
				want = got
			}
			if got != want {
				t.Fatalf("%d elements, %v: %v, want %v", n, levels[i], got, want)
			}
		}
	}
}

// TestTranspose: columns become rows at all sizes, and nothing is written after the end of a row.
func TestTranspose(t *testing.T) {
	t.Run("float32", testTranspose[float32])
	t.Run("float64", testTranspose[float64])
}

func testTranspose[T asm.Float](t *testing.T) {
	const room = 8
	for _, level := range asm.Levels() {
		defer asm.Force(level)()
		for rows := 1; rows <= 17; rows++ {
			for cols := range 20 {
				srcStride, dstStride := cols+3, rows+rows%3
				src, dst := make([]T, rows*srcStride), make([]T, cols*dstStride+2*room)
				for i := range src {
					src[i] = T(i + 1)
				}
				Transpose(dst, dstStride, src, srcStride, rows, cols)
				for i := range rows {
					for j := range cols {
						if got, want := dst[j*dstStride+i], src[i*srcStride+j]; got != want {
							t.Fatalf("%v, %d x %d: element (%d, %d) is %v, want %v", level, rows, cols, j, i, got, want)
						}
					}
				}
				for _, v := range dst[cols*dstStride+room:] {
					if v != 0 {
						t.Fatalf("%v, %d x %d: %v is written far behind the last row", level, rows, cols, v)
					}
				}
			}
		}
	}
}

// BenchmarkDot measures vectors in the cache.
func BenchmarkDot(b *testing.B) {
	for _, n := range []int{4, 64, 768, 1536} {
		x := make([]float32, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var sum float32
			for b.Loop() {
				sum += Dot(x, x)
			}
			if sum != 0 {
				b.Fatal(sum)
			}
		})
	}
}
