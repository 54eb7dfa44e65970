package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/proof/openblas"
)

// openBLAS is the library, or skips the test. It is compared with on amd64 alone: a program that
// loads libraries needs the loader of its system, which qemu does not have for arm64.
func openBLAS(t *testing.T) *openblas.Library {
	t.Helper()
	l, err := openblas.Load()
	if err != nil {
		t.Skip(err)
	}
	return l
}

// TestRandomShapes holds levels 2 and 3, and sums of level 1, to OpenBLAS at random shapes,
// transposes, factors and leading dimensions.
func TestRandomShapes(t *testing.T) {
	t.Run("float32", testRandomShapes[float32])
	t.Run("float64", testRandomShapes[float64])
}

func testRandomShapes[T Float](t *testing.T) {
	t.Parallel()
	lib := openBLAS(t)
	r := rand.New(rand.NewPCG(31, 32))
	for round := range 400 {
		p := randomShape[T](r, round)
		p.gemm(t, lib)
		p.vectors(t, lib)
		p.symmetric(t, lib)
		p.triangles(t, lib)
		p.sums(t, lib)
	}
}

// randomCase is the random input of a round.
type randomCase[T Float] struct {
	r              *rand.Rand
	what           string
	m, n, k        int
	alpha, beta    T
	transA, transB Transpose
	uplo           Uplo
	side           Side
	diag           Diag
	a              Matrix[T] // of m by k once it is transposed
}

func randomShape[T Float](r *rand.Rand, round int) randomCase[T] {
	p := randomCase[T]{
		r: r, m: odd(r, 120), n: odd(r, 120), k: odd(r, 120), alpha: oneOf[T](r), beta: oneOf[T](r),
		transA: transs[r.IntN(2)], transB: transs[r.IntN(2)], uplo: uplos[r.IntN(2)], side: sides[r.IntN(2)], diag: diags[r.IntN(2)],
	}
	if round%50 == 0 { // several blocks of k, and packed operands
		p.k += 700
	}
	p.what = fmt.Sprintf("%d: %d x %d x %d, %v, %v, %v, %v, %v, alpha %v, beta %v",
		round, p.m, p.n, p.k, p.transA, p.transB, p.uplo, p.side, p.diag, p.alpha, p.beta)
	p.a = p.operand(p.transA, p.m, p.k)
	return p
}

// operand is a matrix of that size once it is transposed.
func (p *randomCase[T]) operand(trans Transpose, rows, cols int) Matrix[T] {
	if trans {
		rows, cols = cols, rows
	}
	return randomMatrix[T](p.r, rows, cols, p.r.IntN(9))
}

func (p *randomCase[T]) gemm(t *testing.T, lib *openblas.Library) {
	b, c := p.operand(p.transB, p.k, p.n), p.operand(NoTrans, p.m, p.n)
	want := slices.Clone(c.Data)
	openblas.Gemm(lib, bool(p.transA), bool(p.transB), p.m, p.n, p.k, p.alpha, p.a.Data, p.a.Stride, b.Data, b.Stride, p.beta, want, c.Stride)
	Gemm(p.transA, p.transB, p.alpha, p.a, b, p.beta, c)
	compare(t, "Gemm "+p.what, c.Data, wide(want), float64(p.k+40))
}

func (p *randomCase[T]) vectors(t *testing.T, lib *openblas.Library) {
	rows, cols := p.a.Rows, p.a.Cols
	x, _ := random[T](p.r, max(rows, cols))
	y, _ := random[T](p.r, 2*max(rows, cols))
	used, written := p.a.shape(p.transA)
	want := slices.Clone(y)
	openblas.Gemv(lib, bool(p.transA), rows, cols, p.alpha, p.a.Data, p.a.Stride, x, 1, p.beta, want, 2)
	GemvInc(p.transA, p.alpha, p.a, x, 1, p.beta, y, 2)
	compare(t, "Gemv "+p.what, y, wide(want), float64(used+written))

	c := p.a
	c.Data, want = slices.Clone(p.a.Data), slices.Clone(p.a.Data)
	openblas.Ger(lib, rows, cols, p.alpha, x[:rows], y[:cols], want, c.Stride)
	Ger(p.alpha, x[:rows], y[:cols], c)
	compare(t, "Ger "+p.what, c.Data, wide(want), 40)
}

func (p *randomCase[T]) symmetric(t *testing.T, lib *openblas.Library) {
	s, x := p.operand(NoTrans, p.m, p.m), p.operand(NoTrans, p.m, p.n)
	y, _ := random[T](p.r, p.m)
	v, _ := random[T](p.r, p.m)
	want := slices.Clone(y)
	openblas.Symv(lib, bool(p.uplo), p.m, p.alpha, s.Data, s.Stride, v, p.beta, want)
	Symv(p.uplo, p.alpha, s, v, p.beta, y)
	compare(t, "Symv "+p.what, y, wide(want), float64(4*p.m+40))

	order, right := p.m, p.operand(NoTrans, p.n, p.n)
	if p.side == Left {
		right = s
	} else {
		order = p.n
	}
	c := p.operand(NoTrans, p.m, p.n)
	want = slices.Clone(c.Data)
	openblas.Symm(lib, bool(p.side), bool(p.uplo), p.m, p.n, p.alpha, right.Data, right.Stride, x.Data, x.Stride, p.beta, want, c.Stride)
	Symm(p.side, p.uplo, p.alpha, right, x, p.beta, c)
	compare(t, "Symm "+p.what, c.Data, wide(want), float64(order+40))

	c = p.operand(NoTrans, p.m, p.m)
	want = slices.Clone(c.Data)
	openblas.Syrk(lib, bool(p.uplo), bool(p.transA), p.m, p.k, p.alpha, p.a.Data, p.a.Stride, p.beta, want, c.Stride)
	Syrk(p.uplo, p.transA, p.alpha, p.a, p.beta, c)
	compare(t, "Syrk "+p.what, c.Data, wide(want), float64(p.k+40))
}

func (p *randomCase[T]) triangles(t *testing.T, lib *openblas.Library) {
	order := p.m
	if p.side == Right {
		order = p.n
	}
	l, b := solvable[T](p.r, order), p.operand(NoTrans, p.m, p.n)
	size := float64(8*order + 40)
	v, _ := random[T](p.r, order)
	for _, f := range []struct {
		name   string
		theirs func(v, b []T)
		ours   func(v []T, b Matrix[T])
	}{
		{"Trmv, Trmm", func(v, data []T) {
			openblas.Trmv(lib, bool(p.uplo), bool(p.transA), bool(p.diag), order, l.Data, l.Stride, v)
			openblas.Trmm(lib, bool(p.side), bool(p.uplo), bool(p.transA), bool(p.diag), p.m, p.n, p.alpha, l.Data, l.Stride, data, b.Stride)
		}, func(v []T, b Matrix[T]) {
			Trmv(p.uplo, p.transA, p.diag, l, v)
			Trmm(p.side, p.uplo, p.transA, p.diag, p.alpha, l, b)
		}},
		{"Trsv, Trsm", func(v, data []T) {
			openblas.Trsv(lib, bool(p.uplo), bool(p.transA), bool(p.diag), order, l.Data, l.Stride, v)
			openblas.Trsm(lib, bool(p.side), bool(p.uplo), bool(p.transA), bool(p.diag), p.m, p.n, p.alpha, l.Data, l.Stride, data, b.Stride)
		}, func(v []T, b Matrix[T]) {
			Trsv(p.uplo, p.transA, p.diag, l, v)
			Trsm(p.side, p.uplo, p.transA, p.diag, p.alpha, l, b)
		}},
	} {
		wantV, wantB := slices.Clone(v), slices.Clone(b.Data)
		f.theirs(wantV, wantB)
		f.ours(v, b)
		compare(t, f.name+" "+p.what, v, wide(wantV), size)
		compare(t, f.name+" "+p.what, b.Data, wide(wantB), size)
	}
}

func (p *randomCase[T]) sums(t *testing.T, lib *openblas.Library) {
	n := p.m * p.k
	v, _ := random[T](p.r, n)
	w, _ := random[T](p.r, n)
	if got, theirs := Dot(v, w), openblas.Dot(lib, v, w); !near(got, float64(theirs), float64(n+40)) {
		t.Fatalf("Dot of %d elements is %v, OpenBLAS's %v", n, got, theirs)
	}
	if got, theirs := Nrm2(v), openblas.Nrm2(lib, v); !near(got, float64(theirs), math.Sqrt(float64(n))+40) {
		t.Fatalf("Nrm2 of %d elements is %v, OpenBLAS's %v", n, got, theirs)
	}
	if got, theirs := Asum(v), openblas.Asum(lib, v); !near(got, float64(theirs), float64(4*n+40)) {
		t.Fatalf("Asum of %d elements is %v, OpenBLAS's %v", n, got, theirs)
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
