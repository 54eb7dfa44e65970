package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/openblas"
)

// openBLAS is the library, or skips the test. It is compared with on amd64 alone: a program that loads
// libraries needs the loader of its system, which qemu does not have for arm64.
func openBLAS(t *testing.T) *openblas.Library {
	t.Helper()
	l, err := openblas.Load()
	if err != nil {
		t.Skip(err)
	}
	return l
}

// TestRandomShapes holds level 3, Gemv and Dot to OpenBLAS at random shapes, transposes, factors and
// leading dimensions.
func TestRandomShapes(t *testing.T) {
	t.Run("float32", testRandomShapes[float32])
	t.Run("float64", testRandomShapes[float64])
}

func testRandomShapes[T Float](t *testing.T) {
	t.Parallel()
	lib := openBLAS(t)
	r := rand.New(rand.NewPCG(31, 32))
	for round := range 400 {
		m, n, k := odd(r, 120), odd(r, 120), odd(r, 120)
		if round%50 == 0 { // several blocks of k, and packed operands
			k += 700
		}
		alpha, beta := oneOf[T](r), oneOf[T](r)
		transA, transB := transs[r.IntN(2)], transs[r.IntN(2)]
		what := fmt.Sprintf("%d: %d x %d x %d, %v, %v, alpha %v, beta %v", round, m, n, k, transA, transB, alpha, beta)
		operand := func(trans Transpose, rows, cols int) Matrix[T] {
			if trans {
				rows, cols = cols, rows
			}
			return randomMatrix[T](r, rows, cols, r.IntN(9))
		}
		a, b, c := operand(transA, m, k), operand(transB, k, n), operand(NoTrans, m, n)
		size := float64(k + 40)

		want := slices.Clone(c.Data)
		openblas.Gemm(lib, bool(transA), bool(transB), m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, want, c.Stride)
		Gemm(transA, transB, alpha, a, b, beta, c)
		compare(t, "Gemm "+what, c.Data, wide(want), size)

		rows, cols := a.Rows, a.Cols
		x, _ := random[T](r, max(rows, cols))
		y, _ := random[T](r, 2*max(rows, cols))
		used, written := a.shape(transA)
		want = slices.Clone(y)
		openblas.Gemv(lib, bool(transA), rows, cols, alpha, a.Data, a.Stride, x, 1, beta, want, 2)
		GemvInc(transA, alpha, a, x, 1, beta, y, 2)
		compare(t, "Gemv "+what, y, wide(want), float64(used+written))

		uplo, side, diag := uplos[r.IntN(2)], sides[r.IntN(2)], diags[r.IntN(2)]
		s := randomMatrix[T](r, m, m, r.IntN(5))
		want = slices.Clone(s.Data)
		openblas.Syrk(lib, bool(uplo), bool(transA), m, k, alpha, a.Data, a.Stride, beta, want, s.Stride)
		Syrk(uplo, transA, alpha, a, beta, s)
		compare(t, "Syrk "+what, s.Data, wide(want), size)

		order := m
		if side == Right {
			order = n
		}
		l, solved := solvable[T](r, order), randomMatrix[T](r, m, n, r.IntN(5))
		want = slices.Clone(solved.Data)
		openblas.Trsm(lib, bool(side), bool(uplo), bool(transA), bool(diag), m, n, alpha, l.Data, l.Stride, want, solved.Stride)
		Trsm(side, uplo, transA, diag, alpha, l, solved)
		compare(t, "Trsm "+what, solved.Data, wide(want), float64(8*order+40))

		v, _ := random[T](r, m*k)
		w, _ := random[T](r, m*k)
		if got, theirs := Dot(v, w), openblas.Dot(lib, v, w); !near(got, float64(theirs), float64(m*k+40)) {
			t.Fatalf("Dot of %d elements is %v, OpenBLAS's %v", m*k, got, theirs)
		}
		if got, theirs := Nrm2(v), openblas.Nrm2(lib, v); !near(got, float64(theirs), math.Sqrt(float64(m*k))+40) {
			t.Fatalf("Nrm2 of %d elements is %v, OpenBLAS's %v", m*k, got, theirs)
		}
		if got, theirs := Asum(v), openblas.Asum(lib, v); !near(got, float64(theirs), float64(4*m*k+40)) {
			t.Fatalf("Asum of %d elements is %v, OpenBLAS's %v", m*k, got, theirs)
		}
	}
}

// solvable is a triangle whose inverse is not large, with or without its diagonal.
func solvable[T Float](r *rand.Rand, n int) Matrix[T] {
	m := randomMatrix[T](r, n, n, r.IntN(5))
	for i := range n {
		for j := range n {
			if i != j {
				m.Data[i*m.Stride+j] /= T(n)
			}
		}
	}
	return m
}
