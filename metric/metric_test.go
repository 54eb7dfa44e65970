package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride/blas"
)

var inf, nan = math.Inf(1), math.NaN()

func TestKnown(t *testing.T) {
	t.Run("float32", testKnown[float32])
	t.Run("float64", testKnown[float64])
}

func testKnown[T blas.Float](t *testing.T) {
	t.Parallel()
	type fn = func(x, y []T) T
	for _, c := range []struct {
		name string
		f    fn
		x, y []T
		want float64
	}{
		{"MSE", MSE[T], []T{1, 2, 3, 4}, []T{1, 0, 3, 8}, 5},
		{"RMSE", RMSE[T], []T{1, 2}, []T{4, -1}, 3},
		{"MAE", MAE[T], []T{1, 2, 3, 4}, []T{1, 0, 3, 8}, 1.5},
		{"SquaredEuclidean", SquaredEuclidean[T], []T{1, 2}, []T{4, 6}, 25},
		{"Euclidean", Euclidean[T], []T{1, 2}, []T{4, 6}, 5},
		{"Manhattan", Manhattan[T], []T{1, 2}, []T{4, -2}, 7},
		{"Chebyshev", Chebyshev[T], []T{1, 2}, []T{4, -2}, 4},
		{"CosineSimilarity", CosineSimilarity[T], []T{3, 4}, []T{4, 3}, 0.96},
		{"CosineSimilarity", CosineSimilarity[T], []T{1, 0}, []T{0, 1}, 0},
		{"CosineSimilarity", CosineSimilarity[T], []T{1, 2}, []T{-2, -4}, -1},
		{"CosineDistance", CosineDistance[T], []T{3, 4}, []T{4, -3}, 1},
		{"Pearson", Pearson[T], []T{1, 2, 3}, []T{5, 7, 9}, 1},
		{"Pearson", Pearson[T], []T{1, 2, 3}, []T{1, -1, -3}, -1},
		{"Pearson", Pearson[T], []T{1, 2, 3, 4}, []T{1, 3, 2, 4}, 0.8},

		// Nothing, zero vectors, constant ones.
		{"MSE", MSE[T], nil, nil, nan},
		{"RMSE", RMSE[T], nil, nil, nan},
		{"MAE", MAE[T], nil, nil, nan},
		{"Euclidean", Euclidean[T], nil, nil, 0},
		{"Chebyshev", Chebyshev[T], nil, nil, 0},
		{"CosineSimilarity", CosineSimilarity[T], nil, nil, 0},
		{"CosineSimilarity", CosineSimilarity[T], []T{0, 0}, []T{1, 2}, 0},
		{"CosineDistance", CosineDistance[T], []T{0, 0}, []T{0, 0}, 1},
		{"Pearson", Pearson[T], []T{1, 1}, []T{1, 2}, nan},
		{"Pearson", Pearson[T], nil, nil, nan},

		// NaN and infinities.
		{"MSE", MSE[T], []T{1, T(nan)}, []T{1, 1}, nan},
		{"MAE", MAE[T], []T{1, T(inf)}, []T{1, 1}, inf},
		{"Euclidean", Euclidean[T], []T{T(inf), 1}, []T{1, 1}, inf},
		{"Euclidean", Euclidean[T], []T{T(inf), 1}, []T{T(inf), 1}, nan},
		{"Chebyshev", Chebyshev[T], []T{T(nan), 1, 5}, []T{1, 1, 1}, nan},
		{"Chebyshev", Chebyshev[T], []T{T(inf), 1, 5}, []T{1, 1, 1}, inf},
		{"CosineSimilarity", CosineSimilarity[T], []T{T(inf), 1}, []T{1, 1}, nan},
		{"CosineSimilarity", CosineSimilarity[T], []T{T(nan), 0}, []T{0, 0}, nan},
		{"Pearson", Pearson[T], []T{T(nan), 1, 5}, []T{1, 1, 1}, nan},

		// Squares that are too large or too small.
		{"CosineSimilarity", CosineSimilarity[T], []T{3e30, 4e30}, []T{4e30, 3e30}, 0.96},
		{"CosineSimilarity", CosineSimilarity[T], []T{3e-30, 4e-30}, []T{4e30, 3e30}, 0.96},
		{"Euclidean", Euclidean[T], []T{3e30, 0}, []T{0, 4e30}, 5e30},
		{"Euclidean", Euclidean[T], []T{3e-30, 0}, []T{0, 4e-30}, 5e-30},
		{"Euclidean", Euclidean[T], []T{3e30, 3e-30}, []T{3e30, -1e-30}, 4e-30},
		{"Pearson", Pearson[T], []T{1e-30, -1e-30, 0}, []T{2e-30, -2e-30, 0}, 1},
	} {
		got := float64(c.f(c.x, c.y))
		if math.Abs(got-c.want) > 2e-7*math.Abs(c.want) && got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v, %v) is %v, want %v", c.name, c.x, c.y, got, c.want)
		}
	}
	if got := SquaredNorm([]T{3, 4}); got != 25 {
		t.Errorf("SquaredNorm is %v, want 25", got)
	}
}

func TestRangeFloat64(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"cosine of large vectors", CosineSimilarity([]float64{3e300, 4e300}, []float64{4e300, 3e300}), 0.96},
		{"cosine of small vectors", CosineSimilarity([]float64{3e-320, 4e-320}, []float64{4, 3}), 0.96},
		{"distance of large vectors", Euclidean([]float64{3e300, 0}, []float64{0, 4e300}), 5e300},
		{"distance too large", Euclidean([]float64{1.5e308}, []float64{-1.5e308}), inf},
		{"difference too large, half", Euclidean([]float64{1e308, 0}, []float64{0, 1e308}), math.Sqrt2 * 1e308},
		{"distance of the smallest", Euclidean([]float64{0x1p-1074}, []float64{0}), 0x1p-1074},
	} {
		if math.Abs(c.got-c.want) > 1e-3*c.want && c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestRandom compares with the definitions in float64, at lengths round the blocks' edges.
func TestRandom(t *testing.T) {
	t.Run("float32", testRandom[float32])
	t.Run("float64", testRandom[float64])
}

func testRandom[T blas.Float](t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 15, 16, 17, 31, 33, 64, 129, 1000, 2047, 2049, 5000} {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(r.NormFloat64() + 100)
			y[i] = x[i]/2 + T(r.NormFloat64())
		}
		var se, ae, xy, xx, yy, largest, sx, sy float64
		for i := range x {
			a, b := float64(x[i]), float64(y[i])
			se, ae, largest = se+(a-b)*(a-b), ae+math.Abs(a-b), max(largest, math.Abs(a-b))
			xy, xx, yy, sx, sy = xy+a*b, xx+a*a, yy+b*b, sx+a, sy+b
		}
		var cxy, cxx, cyy float64
		for i := range x {
			a, b := float64(x[i])-sx/float64(n), float64(y[i])-sy/float64(n)
			cxy, cxx, cyy = cxy+a*b, cxx+a*a, cyy+b*b
		}
		all := Compare(x, y)
		size := float64(n)
		for _, c := range []struct {
			name string
			got  T
			want float64
		}{
			{"MSE", MSE(x, y), se / size}, {"RMSE", RMSE(x, y), math.Sqrt(se / size)}, {"MAE", MAE(x, y), ae / size},
			{"SquaredEuclidean", SquaredEuclidean(x, y), se}, {"Euclidean", Euclidean(x, y), math.Sqrt(se)},
			{"Manhattan", Manhattan(x, y), ae}, {"Chebyshev", Chebyshev(x, y), largest},
			{"CosineSimilarity", CosineSimilarity(x, y), xy / math.Sqrt(xx*yy)},
			{"Pearson", Pearson(x, y), cxy / math.Sqrt(cxx*cyy)},
			{"Compare.MSE", all.MSE(), se / size}, {"Compare.RMSE", all.RMSE(), math.Sqrt(se / size)},
			{"Compare.MAE", all.MAE(), ae / size}, {"Compare.Euclidean", all.Euclidean(), math.Sqrt(se)},
			{"Compare.CosineSimilarity", all.CosineSimilarity(), xy / math.Sqrt(xx*yy)},
			{"Compare.Dot", all.Dot, xy}, {"Compare.SquaredNormX", all.SquaredNormX, xx}, {"Compare.SquaredNormY", all.SquaredNormY, yy},
		} {
			if n == 1 && c.name == "Pearson" {
				continue // not defined
			}
			if math.Abs(float64(c.got)-c.want) > 1e-4*math.Abs(c.want) {
				t.Errorf("%s of %d elements is %v, want %v", c.name, n, c.got, c.want)
			}
		}
	}
}

// TestPearsonShift: a mean that is large compared with the differences does not spoil the
// correlation.
func TestPearsonShift(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	x, y := make([]float32, 5000), make([]float32, 5000)
	for i := range x {
		x[i] = 10000 + float32(r.IntN(3))
		y[i] = x[i] - 20000
	}
	x[0], x[2048] = 0, 1e6 // the first elements of blocks, far from the others
	y[0], y[2048] = -20000, 1e6-20000
	if got := Pearson(x, y); got < 0.999999 {
		t.Errorf("the correlation is %v, want 1", got)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	a := blas.MatrixOf(3, 2, []float64{1, 2, 3, 4, 5, 6})
	b := blas.MatrixOf(3, 2, []float64{1, 2, 3, 5, 7, 6})
	out := make([]float64, 3)
	Rows(MSE, a, b, out)
	if out[0] != 0 || out[1] != 0.5 || out[2] != 2 {
		t.Errorf("MSE of the rows is %v", out)
	}
	Rows(Manhattan, a, b.Slice(0, 1, 0, 2), out)
	if out[0] != 0 || out[1] != 4 || out[2] != 8 {
		t.Errorf("the distances from one row are %v", out)
	}
}

// TestPairs compares all pairs with the metric of each, near and far, and rows of zeros.
func TestPairs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	const m, n, k = 21, 40, 130
	a, b := blas.MatrixOf[float32](m, k, nil), blas.MatrixOf[float32](n, k, nil)
	for i := range a.Data {
		a.Data[i] = float32(r.NormFloat64())
	}
	for i := range b.Data {
		b.Data[i] = float32(r.NormFloat64())
	}
	copy(b.Row(3), a.Row(5)) // equal rows
	copy(b.Row(4), a.Row(5))
	b.Row(4)[7] += 0.001 // close rows
	clear(a.Row(2))
	clear(b.Row(9))
	for i := range k {
		b.Row(11)[i] = 1e30
	}
	out := blas.MatrixOf[float32](m, n, nil)
	for _, c := range []struct {
		name  string
		pairs func(a, b, out blas.Matrix[float32])
		one   func(x, y []float32) float32
	}{
		{"Dot", DotPairs[float32], blas.Dot[float32]},
		{"CosineSimilarity", CosineSimilarityPairs[float32], CosineSimilarity[float32]},
		{"CosineDistance", CosineDistancePairs[float32], CosineDistance[float32]},
		{"SquaredEuclidean", SquaredEuclideanPairs[float32], SquaredEuclidean[float32]},
		{"Euclidean", EuclideanPairs[float32], Euclidean[float32]},
	} {
		c.pairs(a, b, out)
		for i := range m {
			for j := range n {
				got, want := float64(out.Row(i)[j]), float64(c.one(a.Row(i), b.Row(j)))
				size := 1e-5 // of rounding, for a sum of k products of numbers of the size of 1
				switch {
				case j == 11 && c.name == "Dot":
					size *= 1e30
				case c.name == "SquaredEuclidean" || c.name == "Euclidean":
					size *= want
				}
				if math.Abs(got-want) > 3*size && got != want {
					t.Errorf("%s of rows %d and %d is %v, want %v", c.name, i, j, got, want)
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	t.Parallel()
	x := make([]float32, 3)
	m := blas.MatrixOf[float32](1, 3, nil)
	for want, f := range map[string]func(){
		"metric: MSE: x has 3 elements and y has 2":                       func() { MSE(x, x[1:]) },
		"metric: Pearson: x has 2 elements and y has 3":                   func() { Pearson(x[1:], x) },
		"metric: Rows: a is 1 x 3, b is 1 x 3 and out has 2 elements":     func() { Rows(MSE, m, m, x[1:]) },
		"metric: EuclideanPairs: a is 1 x 3, b is 1 x 3 and out is 1 x 3": func() { EuclideanPairs(m, m, m) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}
