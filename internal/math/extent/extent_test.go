package extent

import (
	"math"
	"math/big"
	"testing"
)

// numbers are those at which a sum or a product may overflow, on 32 bits and on 64.
var numbers = []int{math.MinInt, math.MinInt + 1, -1 << 31, -3, -1, 0, 1, 2, 3, 7, 1 << 15, 1<<16 + 1, 1<<31 - 1,
	math.MaxInt>>1 + 1, math.MaxInt - 1, math.MaxInt}

func whole(n int) *big.Int { return big.NewInt(int64(n)) }

// exact is (n-1)*step + last in whole numbers, and whether it is an int.
func exact(n, step, last int) (*big.Int, bool) {
	v := new(big.Int).Mul(new(big.Int).Sub(whole(n), whole(1)), new(big.Int).Abs(whole(step)))
	v.Add(v, whole(last))
	return v, v.IsInt64() && v.Int64() <= math.MaxInt
}

func TestVector(t *testing.T) {
	t.Parallel()
	for _, n := range numbers {
		for _, inc := range numbers {
			want, fits := exact(n, inc, 1)
			if n == 0 {
				want, fits = whole(0), true
			}
			fits = fits && n >= 0 && inc != 0
			if got, ok := Vector(n, inc); ok != fits || ok && whole(got).Cmp(want) != 0 {
				t.Errorf("Vector(%d, %d) is %d, %v; want %v, %v", n, inc, got, ok, want, fits)
			}
		}
	}
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, rows := range numbers {
		for _, cols := range numbers {
			for _, stride := range numbers {
				want, fits := exact(rows, stride, cols)
				if rows == 0 || cols == 0 {
					want, fits = whole(0), true
				}
				fits = fits && rows >= 0 && cols >= 0 && stride >= max(1, cols)
				got, ok := Matrix(rows, cols, stride)
				if ok != fits || ok && whole(got).Cmp(want) != 0 {
					t.Errorf("Matrix(%d, %d, %d) is %d, %v; want %v, %v", rows, cols, stride, got, ok, want, fits)
				}
				for _, length := range numbers[5:] {
					holds := ok && got > 0 && got <= length
					if Holds(length, rows, cols, stride) != holds {
						t.Errorf("Holds(%d, %d, %d, %d) is %v", length, rows, cols, stride, !holds)
					}
					if fault := MatrixFault(length, rows, cols, stride); (fault == "") != (ok && got <= length) {
						t.Errorf("MatrixFault(%d, %d, %d, %d) is %q", length, rows, cols, stride, fault)
					}
				}
			}
		}
	}
}

func TestProduct(t *testing.T) {
	t.Parallel()
	for _, a := range numbers {
		for _, b := range numbers {
			for _, c := range numbers {
				want, fits, empty := whole(1), true, false
				for _, v := range []int{a, b, c} {
					fits = fits && v >= 0
					if empty = empty || v == 0; v != 0 {
						want.Mul(want, whole(v))
					}
				}
				fits = fits && want.Cmp(whole(math.MaxInt)) <= 0
				if empty {
					want = whole(0)
				}
				if got, ok := Product(a, b, c); ok != fits || ok && whole(got).Cmp(want) != 0 {
					t.Errorf("Product(%d, %d, %d) is %d, %v; want %v, %v", a, b, c, got, ok, want, fits)
				}
			}
		}
	}
	if n, ok := Product(); n != 1 || !ok {
		t.Errorf("the product of nothing is %d, %v", n, ok)
	}
}
