package blas

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/gridstride/gridstride/internal/library/asm"
)

// sizes are lengths round the vectors', the units' and the blocks' edges.
var sizes = []int{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 200, 513, 4095, 4097, 9000}

// near reports whether two results differ by rounding at most, of sums of numbers of a size.
func near[T Float](got T, want, size float64) bool {
	eps := 0x1p-20
	if bitsOf(T(1)) > 1<<32 {
		eps = 0x1p-46
	}
	return math.Abs(float64(got)-want) <= eps*(size+1) || math.IsNaN(want) && got != got
}

func random[T Float](r *rand.Rand, n int) (narrow []T, wide []float64) {
	for range n {
		v := T(r.NormFloat64())
		narrow, wide = append(narrow, v), append(wide, float64(v))
	}
	return narrow, wide
}

// TestLevel1 compares with gonum, with increments of both signs.
func TestLevel1(t *testing.T) {
	t.Run("float32", testLevel1[float32])
	t.Run("float64", testLevel1[float64])
}

func testLevel1[T Float](t *testing.T) {
	var g gonum.Implementation
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range sizes {
		for _, inc := range [][2]int{{1, 1}, {2, 1}, {1, -3}, {-2, 3}, {-1, -1}} {
			incX, incY := inc[0], inc[1]
			room := func(inc int) int { return max(0, (n-1)*max(inc, -inc)+1) + 3 }
			x, wideX := random[T](r, room(incX))
			y, wideY := random[T](r, room(incY))
			size := float64(n)
			check := func(name string, got T, want float64) {
				t.Helper()
				if !near(got, want, size) {
					t.Errorf("%s of %d with increments %v is %v, want %v", name, n, inc, got, want)
				}
			}
			vectors := func(name string) {
				t.Helper()
				for i, v := range x {
					if !near(v, wideX[i], 1) {
						t.Fatalf("%s of %d with increments %v: x[%d] is %v, want %v", name, n, inc, i, v, wideX[i])
					}
				}
				for i, v := range y {
					if !near(v, wideY[i], 1) {
						t.Fatalf("%s of %d with increments %v: y[%d] is %v, want %v", name, n, inc, i, v, wideY[i])
					}
				}
			}
			check("DotInc", DotInc(n, x, incX, y, incY), g.Ddot(n, wideX, incX, wideY, incY))
			if incX > 0 { // gonum does nothing otherwise
				check("AsumInc", AsumInc(n, x, incX), g.Dasum(n, wideX, incX))
				check("Nrm2Inc", Nrm2Inc(n, x, incX), g.Dnrm2(n, wideX, incX))
				if got, want := IamaxInc(n, x, incX), g.Idamax(n, wideX, incX); got != want {
					t.Errorf("IamaxInc of %d with increment %d is %d, want %d", n, incX, got, want)
				}
				ScalInc(n, 0.5, x, incX)
				g.Dscal(n, 0.5, wideX, incX)
				vectors("ScalInc")
			}
			AxpyInc(n, 0.25, x, incX, y, incY)
			g.Daxpy(n, 0.25, wideX, incX, wideY, incY)
			vectors("AxpyInc")
			SwapInc(n, x, incX, y, incY)
			g.Dswap(n, wideX, incX, wideY, incY)
			vectors("SwapInc")
			RotInc(n, x, incX, y, incY, 0.75, -0.5)
			g.Drot(n, wideX, incX, wideY, incY, 0.75, -0.5)
			vectors("RotInc")
			CopyInc(n, x, incX, y, incY)
			g.Dcopy(n, wideX, incX, wideY, incY)
			vectors("CopyInc")
		}
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	x := []float32{3, -4, 0.5}
	y := []float32{1, 2, 4}
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"Dot", Dot(x, y), -3},
		{"Sum", Sum(x), -0.5},
		{"SumSquares", SumSquares(x), 25.25},
		{"Asum", Asum(x), 7.5},
		{"Nrm2", Nrm2([]float32{3, -4}), 5},
		{"Sum of nothing", Sum([]float32{}), 0},
		{"Nrm2 of nothing", Nrm2[float32](nil), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestNrm2Range: squares that are too large or too small for the type do not matter.
func TestNrm2Range(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{3e300, 4e300}, 5e300},
		{[]float64{3e-300, -4e-300}, 5e-300},
		{[]float64{3 * 0x1p-1074, 4 * 0x1p-1074}, 5 * 0x1p-1074},
		{[]float64{math.MaxFloat64, 0}, math.MaxFloat64},
		{[]float64{0, 0}, 0},
		{[]float64{1, -inf}, inf},
		{[]float64{inf, math.NaN()}, math.NaN()},
	} {
		if got := Nrm2(c.x); math.Abs(got-c.want) > 1e-15*c.want && !(got != got && c.want != c.want) {
			t.Errorf("Nrm2(%v) is %v, want %v", c.x, got, c.want)
		}
	}
	if got := Nrm2([]float32{3e38, 1e38}); got != float32(math.Hypot(3e38, 1e38)) {
		t.Errorf("Nrm2 of large float32 is %v", got)
	}
	if got := Nrm2([]float32{3e-44, 4e-44}); got == 0 {
		t.Error("Nrm2 of small float32 is 0")
	}
}

func TestExtrema(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	nan := float32(math.NaN())
	for _, n := range sizes[1:] {
		for range 20 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.IntN(2*n) - n)
			}
			if got, want := Min(x), slices.Min(x); got != want || ArgMin(x) != slices.Index(x, want) {
				t.Errorf("the smallest of %d is %v at %d, want %v at %d", n, got, ArgMin(x), want, slices.Index(x, want))
			}
			if got, want := Max(x), slices.Max(x); got != want || ArgMax(x) != slices.Index(x, want) {
				t.Errorf("the largest of %d is %v at %d, want %v at %d", n, got, ArgMax(x), want, slices.Index(x, want))
			}
			at := r.IntN(n)
			x[at] = nan
			if ArgMin(x) != at || ArgMax(x) != at || Iamax(x) != at || Min(x) == Min(x) || Max(x) == Max(x) {
				t.Errorf("NaN at %d of %d is not found", at, n)
			}
		}
	}
	if ArgMin[float64](nil) != -1 || ArgMax[float64](nil) != -1 || Iamax[float64](nil) != -1 {
		t.Error("the index in an empty vector is not -1")
	}
	if got := IamaxInc(3, []float32{1, 9, -5, 9, 5}, -2); got != 0 {
		t.Errorf("IamaxInc is %d, want 0", got)
	}
	wantPanic(t, "blas: Min: the vector is empty", func() { Min[float64](nil) })
}

func TestRotg(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]float64{{3, 4}, {-4, 3}, {0, 2}, {2, 0}, {1e300, -1e300}, {1e-310, 1e-310}, {0, 0}} {
		cos, sin, r, z := Rotg(c[0], c[1])
		gc, gs, gr, gz := gonum.Implementation{}.Drotg(c[0], c[1])
		if cos != gc || sin != gs || r != gr || z != gz {
			t.Errorf("Rotg%v is %v, %v, %v, %v, want %v, %v, %v, %v", c, cos, sin, r, z, gc, gs, gr, gz)
		}
	}
	if c, s, r, _ := Rotg[float32](3, 4); c != 0.6 || s != 0.8 || r != 5 {
		t.Errorf("Rotg(3, 4) is %v, %v, %v", c, s, r)
	}
}

// TestDotExact holds the error to its bound, for sums that cancel to almost nothing.
func TestDotExact(t *testing.T) {
	t.Run("float32", testDotExact[float32])
	t.Run("float64", testDotExact[float64])
}

func testDotExact[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	eps := 0x1p-23
	if bitsOf(T(1)) > 1<<32 {
		eps = 0x1p-52
	}
	worse := 0
	for _, n := range sizes[2:] {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))
			y[i] = T(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))
			if i >= (n+1)/2 { // cancel the first half, except for a little
				j := i - (n+1)/2
				x[i], y[i] = -x[j], y[j]*T(1+4*eps)
			}
		}
		exact, size := new(big.Float).SetPrec(2000), 0.0
		for i := range x {
			p := new(big.Float).SetPrec(2000).SetFloat64(float64(x[i]))
			exact.Add(exact, p.Mul(p, big.NewFloat(float64(y[i]))))
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		want, _ := exact.Float64()
		bound := eps*math.Abs(want) + float64(n)*float64(n)*eps*eps*size
		if err := math.Abs(float64(DotExact(x, y)) - want); err > bound {
			t.Errorf("%d elements: the error is %g, at most %g is allowed", n, err, bound)
		}
		err := math.Abs(float64(Dot(x, y)) - want)
		if err > bound {
			worse++
		}
		if bound := float64(n/32+8) * eps * size; err > bound {
			t.Errorf("%d elements: the error of Dot is %g, at most %g is allowed", n, err, bound)
		}
	}
	if worse == 0 {
		t.Error("Dot is as good: the sums do not cancel")
	}
}

func TestDotExactOverflow(t *testing.T) {
	t.Parallel()
	if got := DotExact([]float64{1e300, 1}, []float64{1e300, 1}); !math.IsInf(got, 1) {
		t.Errorf("DotExact is %v, want +Inf", got)
	}
}

func TestLevel1Panics(t *testing.T) {
	t.Parallel()
	x := make([]float32, 5)
	for want, f := range map[string]func(){
		"blas: Dot: x has 5 elements and y has 4":                               func() { Dot(x, x[1:]) },
		"blas: Axpy: x has 4 elements and y has 5":                              func() { Axpy(1, x[1:], x) },
		"blas: DotInc: y has 5 elements, too few for 3 with an increment of -3": func() { DotInc(3, x, 1, x, -3) },
		"blas: ScalInc: the increment of x is 0":                                func() { ScalInc(3, 2, x, 0) },
		"blas: AsumInc: n is -1":                                                func() { AsumInc(-1, x, 1) },
	} {
		wantPanic(t, want, f)
	}
}

func TestNoAllocations(t *testing.T) {
	if asm.CPU == asm.Portable {
		t.Skip("the kernels in Go may allocate")
	}
	x := make([]float64, 2000)
	if n := testing.AllocsPerRun(10, func() {
		Dot(x, x)
		DotInc(500, x, 2, x, -3)
		DotExact(x, x)
		Nrm2(x)
		Iamax(x)
		Axpy(2, x, x)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
