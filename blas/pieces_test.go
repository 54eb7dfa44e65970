package blas

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
	"github.com/gridstride/gridstride/internal/proof/accuracy"
)

// long is everything that shares long vectors and large matrices among goroutines.
func long[T Float](x, y []T) []T {
	y = slices.Clone(y)
	out := []T{Dot(x, y), Sum(x), SumSquares(x), Asum(x), Nrm2(x), DotExact(x, y), SumReproducible(x), DotReproducible(x, y)}
	Axpy(0.5, x, y)
	Scal(0.75, y)
	Rot(slices.Clone(x), y, 0.6, 0.8)
	cols := 300
	a := Matrix[T]{Rows: len(x) / cols, Cols: cols, Stride: cols, Data: slices.Clone(x)}
	z := slices.Clone(y)
	Gemv(NoTrans, 1, a, z[:cols], 2, z[cols:cols+a.Rows])
	Gemv(Trans, 1, a, z[:a.Rows], 2, z[a.Rows:a.Rows+cols])
	Ger(0.5, z[:a.Rows], z[a.Rows:a.Rows+cols], a)
	Symv(Upper, 0.3, a.Slice(0, 100, 0, 100), z[:100], 0.7, z[100:200])
	return slices.Concat(out, extremes(x), y, z, a.Data, square(x))
}

// extremes is the searches and the exchanges.
func extremes[T Float](x []T) []T {
	copied, other := make([]T, len(x)), slices.Clone(x)
	Copy(x, copied)
	Scal(2, other)
	Swap(copied, other)
	out := []T{Min(x), Max(x), T(ArgMin(x)), T(ArgMax(x)), T(Iamax(x))}
	return slices.Concat(out, copied, other)
}

// square is level 2 on a matrix of 401 by 401.
func square[T Float](x []T) []T {
	const n = 401
	a := Matrix[T]{Rows: n, Cols: n, Stride: n + 3}
	for len(a.Data) < n*a.Stride {
		a.Data = append(a.Data, x...)
	}
	v := slices.Clone(x[:5*n])
	for i, uplo := range uplos {
		Symv(uplo, 0.02, a, v[:n], 0.7, v[n:2*n])
		for j, trans := range transs {
			part := v[(2*i+j+1)*n:][:n]
			Trmv(uplo, trans, diags[j], a, part)
			Scal(0.05, part)
		}
	}
	return v
}

// TestExtremaOfPieces: the first extreme element counts, and the first NaN, wherever it is.
func TestExtremaOfPieces(t *testing.T) {
	t.Run("float32", testExtremaOfPieces[float32])
	t.Run("float64", testExtremaOfPieces[float64])
}

func testExtremaOfPieces[T Float](t *testing.T) {
	n := 3*cores.Piece + 7
	places := []int{0, 5, 4097, cores.Piece - 1, cores.Piece, 2*cores.Piece + 4095, n - 8, n - 1}
	for _, at := range places {
		for _, second := range places {
			x := make([]T, n)
			check := func(what string, value T, f func([]T) int) {
				x[at], x[second] = value, value
				if got := f(x); got != min(at, second) {
					t.Fatalf("%s with %v at %d and %d: element %d", what, value, at, second, got)
				}
			}
			check("ArgMin", -1, ArgMin[T])
			check("ArgMax", 1, ArgMax[T])
			check("Iamax", -1, Iamax[T])
			check("ArgMin", T(math.NaN()), ArgMin[T])
			check("ArgMax", T(math.NaN()), ArgMax[T])
			if v := Max(x); v == v {
				t.Fatalf("Max with NaN at %d and %d: %v", at, second, v)
			}
		}
	}
}

// TestBitsEverywhere: the results have the bits that they had on an amd64 with AVX-512, whatever
// this processor is, and whatever its compiler fuses.
func TestBitsEverywhere(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testBitsEverywhere[float32](t, 0x2161a0bcb5b2051d) })
	t.Run("float64", func(t *testing.T) { testBitsEverywhere[float64](t, 0x98aea3d56f4f3164) })
}

func testBitsEverywhere[T Float](t *testing.T, want uint64) {
	r := rand.New(rand.NewPCG(9, 10))
	x, y := make([]T, cores.Piece+77), make([]T, cores.Piece+77)
	for i := range x {
		x[i], y[i] = T(r.Float64()-0.5), T(r.Float64()-0.5)
	}
	hash := fnv.New64a()
	if err := binary.Write(hash, binary.LittleEndian, long(x, y)); err != nil {
		t.Fatal(err)
	}
	if got := hash.Sum64(); got != want {
		t.Errorf("the results' hash is %#x, want %#x", got, want)
	}
}

// TestPieces: the bits do not depend on the number of goroutines or callers, and equal the sum over
// the pieces.
func TestPieces(t *testing.T) {
	t.Run("float32", testPieces[float32])
	t.Run("float64", testPieces[float64])
}

func testPieces[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{cores.Piece, 2*cores.Piece + 5} {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = T(r.NormFloat64()), T(r.NormFloat64())
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		want := long(x, y)
		runtime.GOMAXPROCS(4)
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(func() {
				if got := long(x, y); !slices.Equal(got, want) {
					t.Errorf("%d elements: the bits depend on the number of goroutines", n)
				}
			})
		}
		callers.Wait()
		var sum T
		for from := 0; from < n; from += cores.Piece {
			to := min(from+cores.Piece, n)
			sum += kernel.Dot(x[from:to], y[from:to])
		}
		if n <= cores.Piece {
			sum = kernel.Dot(x, y)
		}
		if sum != want[0] {
			t.Errorf("%d elements: the product is %v, the sum over pieces %v", n, want[0], sum)
		}
		exact, magnitude := accuracy.Dot(x, y)
		if off := math.Abs(float64(want[0]) - exact); off > accuracy.Bound[T](n/32+8, n, magnitude) {
			t.Errorf("%d elements: the product is off by %g", n, off)
		}
		if off := math.Abs(float64(want[5]) - exact); off > 2*accuracy.Unit[T]()*math.Abs(exact)+1e-28*magnitude {
			t.Errorf("%d elements: the exact product is off by %g", n, off)
		}
	}
	if cores.Busy() != 0 {
		t.Errorf("%d goroutines are still counted", cores.Busy())
	}
}
