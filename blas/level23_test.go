package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// wide is a matrix or vector in float64.
func wide[T Float](x []T) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// compare checks every element, those round the operand too.
func compare[T Float](t *testing.T, name string, got []T, want []float64, size float64) {
	t.Helper()
	for i, v := range got {
		if !near(v, want[i], size) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, v, want[i])
		}
	}
}

func gonumUplo(u Uplo) gonumblas.Uplo {
	if u == Lower {
		return gonumblas.Lower
	}
	return gonumblas.Upper
}

func gonumTrans(t Transpose) gonumblas.Transpose {
	if t {
		return gonumblas.Trans
	}
	return gonumblas.NoTrans
}

func gonumDiag(d Diag) gonumblas.Diag {
	if d {
		return gonumblas.Unit
	}
	return gonumblas.NonUnit
}

func gonumSide(s Side) gonumblas.Side {
	if s {
		return gonumblas.Right
	}
	return gonumblas.Left
}

// randomMatrix has numbers of the size of 1, and a large diagonal, so that triangles of it can be
// solved with.
func randomMatrix[T Float](r *rand.Rand, rows, cols, extra int) Matrix[T] {
	m := Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols) + extra}
	m.Data = make([]T, rows*m.Stride+7)
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64() / 8)
	}
	for i := range min(rows, cols) {
		m.Data[i*m.Stride+i] = T(2 + r.Float64())
	}
	return m
}

var (
	uplos  = []Uplo{Upper, Lower}
	transs = []Transpose{NoTrans, Trans}
	diags  = []Diag{NonUnit, Unit}
	sides  = []Side{Left, Right}
)

func TestLevel2(t *testing.T) {
	t.Run("float32", testLevel2[float32])
	t.Run("float64", testLevel2[float64])
}

func testLevel2[T Float](t *testing.T) {
	t.Parallel()
	var g gonum.Implementation
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 15, 16, 17, 31, 33, 64, 70, 401} {
		for _, inc := range [][2]int{{1, 1}, {2, -1}, {-3, 2}} {
			for _, beta := range []float64{0, 1, -0.5} {
				m := 1 + r.IntN(2*n)
				incX, incY, extra := inc[0], inc[1], r.IntN(3)
				x, _ := random[T](r, max(m, n)*3+2)
				y, _ := random[T](r, max(m, n)*3+2)
				a := randomMatrix[T](r, m, n, extra)
				s := randomMatrix[T](r, n, n, extra)
				wx, wy, wa, ws := wide(x), wide(y), wide(a.Data), wide(s.Data)
				size := float64(4 * max(m, n))
				for _, trans := range transs {
					GemvInc(trans, 0.5, a, x, incX, T(beta), y, incY)
					plainGemv(trans, m, n, wa, a.Stride, wx, incX, beta, wy, incY)
					compare(t, "GemvInc", y, wy, size)
					if incX == 1 && incY == 1 {
						rows, cols := a.shape(trans)
						Gemv(trans, 0.5, a, x[:cols], T(beta), y[:rows])
						plainGemv(trans, m, n, wa, a.Stride, wx, 1, beta, wy, 1)
						compare(t, "Gemv", y, wy, size)
					}
				}
				for _, uplo := range uplos {
					SymvInc(uplo, -0.5, s, x, incX, T(beta), y, incY)
					g.Dsymv(gonumUplo(uplo), n, -0.5, ws, s.Stride, wx, incX, beta, wy, incY)
					compare(t, "SymvInc", y, wy, size*4)
					for _, trans := range transs {
						for _, diag := range diags {
							v := slices.Clone(x)
							wv := wide(v)
							TrmvInc(uplo, trans, diag, s, v, incX)
							g.Dtrmv(gonumUplo(uplo), gonumTrans(trans), gonumDiag(diag), n, ws, s.Stride, wv, incX)
							compare(t, "TrmvInc", v, wv, size)
							if diag == NonUnit {
								v, wv = slices.Clone(x), wide(x)
								TrsvInc(uplo, trans, diag, s, v, incX)
								g.Dtrsv(gonumUplo(uplo), gonumTrans(trans), gonumDiag(diag), n, ws, s.Stride, wv, incX)
								compare(t, "TrsvInc", v, wv, size)
							}
						}
					}
				}
				GerInc(0.25, x, incX, y, incY, a)
				for i := range m { // gonum's Dger leaves a as it is for some increments
					for j := range n {
						wa[i*a.Stride+j] += 0.25 * wx[first(m, incX)+i*incX] * float64(y[first(n, incY)+j*incY])
					}
				}
				compare(t, "GerInc", a.Data, wa, size*100)
			}
		}
	}
}

// plainGemv computes y = 0.5*A*x + beta*y, or with A transposed. gonum's Dgemv without assembly
// leaves y as it is for some increments, as its Dger does.
func plainGemv(trans Transpose, m, n int, a []float64, stride int, x []float64, incX int, beta float64, y []float64, incY int) {
	if trans {
		m, n = n, m
	}
	for i := range m {
		sum := 0.0
		for j := range n {
			at := i*stride + j
			if trans {
				at = j*stride + i
			}
			sum += a[at] * x[first(n, incX)+j*incX]
		}
		k := first(m, incY) + i*incY
		y[k] = 0.5*sum + beta*y[k]
	}
}

func TestLevel3(t *testing.T) {
	t.Run("float32", testLevel3[float32])
	t.Run("float64", testLevel3[float64])
}

func testLevel3[T Float](t *testing.T) {
	t.Parallel()
	var g gonum.Implementation
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 5, 16, 31, 32, 33, 47, 64, 65, 97, 130} {
		m, extra := 1+r.IntN(n+20), r.IntN(3)
		for i, beta := range []float64{0, 1, -0.5} {
			alpha := []float64{1, -1, 0.75}[i]
			size := float64(8 * n)
			for _, uplo := range uplos {
				for _, trans := range transs {
					a := randomMatrix[T](r, n, m, extra)
					if trans {
						a = randomMatrix[T](r, m, n, extra)
					}
					c := randomMatrix[T](r, n, n, extra)
					wc := wide(c.Data)
					Syrk(uplo, trans, T(alpha), a, T(beta), c)
					g.Dsyrk(gonumUplo(uplo), gonumTrans(trans), n, m, alpha, wide(a.Data), a.Stride, beta, wc, c.Stride)
					compare(t, "Syrk", c.Data, wc, size)
				}
				for _, side := range sides {
					a, b, c := randomMatrix[T](r, n, n, extra), randomMatrix[T](r, n, m, extra), randomMatrix[T](r, n, m, extra)
					if side == Right {
						b, c = randomMatrix[T](r, m, n, extra), randomMatrix[T](r, m, n, extra)
					}
					wc := wide(c.Data)
					Symm(side, uplo, T(alpha), a, b, T(beta), c)
					g.Dsymm(gonumSide(side), gonumUplo(uplo), b.Rows, b.Cols, alpha, wide(a.Data), a.Stride,
						wide(b.Data), b.Stride, beta, wc, c.Stride)
					compare(t, "Symm", c.Data, wc, size)
					for _, trans := range transs {
						for _, diag := range diags {
							x := b
							x.Data = slices.Clone(b.Data)
							wx := wide(x.Data)
							Trmm(side, uplo, trans, diag, T(alpha), a, x)
							g.Dtrmm(gonumSide(side), gonumUplo(uplo), gonumTrans(trans), gonumDiag(diag), b.Rows, b.Cols, alpha,
								wide(a.Data), a.Stride, wx, b.Stride)
							compare(t, "Trmm", x.Data, wx, size)
							if diag == Unit && n > 20 {
								continue // which grows beyond all bounds
							}
							x.Data = slices.Clone(b.Data)
							wx = wide(x.Data)
							Trsm(side, uplo, trans, diag, T(alpha), a, x)
							g.Dtrsm(gonumSide(side), gonumUplo(uplo), gonumTrans(trans), gonumDiag(diag), b.Rows, b.Cols, alpha,
								wide(a.Data), a.Stride, wx, b.Stride)
							compare(t, "Trsm", x.Data, wx, size)
						}
					}
				}
			}
		}
	}
}

// TestUnread: what a routine does not read may be NaN, and what it does not write stays.
func TestUnread(t *testing.T) {
	t.Parallel()
	const n = 70
	r := rand.New(rand.NewPCG(3, 3))
	for _, uplo := range uplos {
		tri := randomMatrix[float64](r, n, n, 2)
		for i := range n {
			for j := range tri.Stride {
				if at := i*tri.Stride + j; j >= n || uplo == Upper && j <= i || uplo == Lower && j >= i {
					tri.Data[at] = guard
				}
			}
		}
		b := randomMatrix[float64](r, n, n, 0)
		Trmm(Left, uplo, NoTrans, Unit, 1, tri, b)
		Trsm(Right, uplo, Trans, Unit, 0.001, tri, b)
		for i, v := range b.Data {
			if v != v {
				t.Fatalf("element %d of the product is NaN", i)
			}
		}
		c := MatrixOf[float64](n, n, nil)
		for i := range c.Data {
			c.Data[i] = guard
		}
		Syrk(uplo, NoTrans, 1, b, 0, c)
		for i := range n {
			for j, v := range c.Row(i) {
				if in := uplo == Upper && j >= i || uplo == Lower && j <= i; in != (v == v) {
					t.Fatalf("element %d, %d of the product is %v", i, j, v)
				}
			}
		}
	}
}

func TestLevel23Panics(t *testing.T) {
	t.Parallel()
	x := make([]float32, 3)
	a, b := MatrixOf[float32](2, 3, nil), MatrixOf[float32](3, 3, nil)
	for want, f := range map[string]func(){
		"blas: Gemv: x has 2 elements and y has 2 for 2 x 3":                    func() { Gemv(NoTrans, 1, a, x[:2], 0, x[1:]) },
		"blas: Ger: x has 3 elements and y has 3 for 2 x 3":                     func() { Ger(1, x, x, a) },
		"blas: Trsv: a is 2 x 3 and not square":                                 func() { Trsv(Upper, NoTrans, Unit, a, x) },
		"blas: Trsm: a is 3 x 3 and b is 2 x 3":                                 func() { Trsm(Left, Upper, NoTrans, Unit, 1, b, a) },
		"blas: Syrk: c is 3 x 3 for a product of 2 x 3 and its transpose":       func() { Syrk(Upper, NoTrans, 1, a, 0, b) },
		"blas: SymvInc: x has 3 elements, too few for 3 with an increment of 2": func() { SymvInc(Upper, 1, b, x, 2, 0, x, 1) },
	} {
		wantPanic(t, want, f)
	}
}
