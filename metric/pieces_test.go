package metric

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
)

// TestLongVectors compares metrics of several pieces with the same in float64, and checks that
// their bits are the same with one processor and with four. A single float32 sum over that number
// of equal elements would stop growing.
func TestLongVectors(t *testing.T) {
	n := 40*cores.Piece + 5
	if testing.Short() { // on a processor that is emulated
		n = 3*cores.Piece + 5
	}
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float32, n), make([]float32, n)
	x64, y64 := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = 1+0.01*r.Float32(), 2+0.01*r.Float32()
		x64[i], y64[i] = float64(x[i]), float64(y[i])
	}
	single, double := all(x, y), all(x64, y64)
	for i, want := range double {
		if off := math.Abs(float64(single[i]) - want); off > 2e-5*math.Abs(want)+1e-7 { // the correlation is near 0
			t.Errorf("metric %d: %v, want %v", i, single[i], want)
		}
	}
	for _, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		got := all(x, y)
		runtime.GOMAXPROCS(before)
		if !slices.Equal(got, single) {
			t.Errorf("with %d processors: %v, want %v", processors, got, single)
		}
	}
	y[n-1] = float32(math.NaN())
	for i, v := range all(x, y) {
		if v == v {
			t.Errorf("metric %d of a NaN in the last piece is %v", i, v)
		}
	}
}

func all[T float32 | float64](x, y []T) []T {
	c := Compare(x, y)
	return []T{MSE(x, y), RMSE(x, y), MAE(x, y), SquaredEuclidean(x, y), Euclidean(x, y), Manhattan(x, y),
		Chebyshev(x, y), CosineSimilarity(x, y), Pearson(x, y), c.MSE(), c.MAE(), c.CosineSimilarity()}
}
