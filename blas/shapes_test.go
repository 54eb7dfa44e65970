package blas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// oneOf returns a factor that libraries have special code for.
func oneOf[T Float](r *rand.Rand) T {
	return []T{0, 1, -1, T(r.NormFloat64())}[r.IntN(4)]
}

// odd is a size up to most, often a small or an odd one, never 0.
func odd(r *rand.Rand, most int) int {
	return []int{1 + r.IntN(5), 1 + 2*r.IntN(most/2), 1 + r.IntN(most)}[r.IntN(3)]
}

// TestRandomShapesGonum holds Gemm to gonum's in the same way, which is there on every machine.
func TestRandomShapesGonum(t *testing.T) {
	t.Parallel()
	var g gonum.Implementation
	r := rand.New(rand.NewPCG(33, 34))
	for round := range 200 {
		m, n, k := odd(r, 70), odd(r, 70), odd(r, 70)
		alpha, beta := oneOf[float64](r), oneOf[float64](r)
		transA, transB := transs[r.IntN(2)], transs[r.IntN(2)]
		operand := func(trans Transpose, rows, cols int) Matrix[float64] {
			if trans {
				rows, cols = cols, rows
			}
			return randomMatrix[float64](r, rows, cols, r.IntN(9))
		}
		a, b, c := operand(transA, m, k), operand(transB, k, n), operand(NoTrans, m, n)
		want := slices.Clone(c.Data)
		g.Dgemm(gonumTrans(transA), gonumTrans(transB), m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, want, c.Stride)
		Gemm(transA, transB, alpha, a, b, beta, c)
		compare(t, fmt.Sprintf("%d: %d x %d x %d, alpha %v, beta %v", round, m, n, k, alpha, beta), c.Data, want, float64(k+40))
		y, _ := random[float64](r, a.Rows)
		x, _ := random[float64](r, a.Cols)
		want = slices.Clone(y)
		g.Dgemv(gonumblas.NoTrans, a.Rows, a.Cols, alpha, a.Data, a.Stride, x, 1, beta, want, 1)
		Gemv(NoTrans, alpha, a, x, beta, y)
		compare(t, fmt.Sprintf("%d: Gemv %d x %d", round, a.Rows, a.Cols), y, want, float64(a.Cols+40))
	}
}
