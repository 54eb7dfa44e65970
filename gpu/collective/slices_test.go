package collective_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/gpu/collective/internal/kernels"
	"github.com/gridstride/gridstride/gputest"
)

// TestTopK chooses from random values, from ascending ones, which are all candidates, from equal
// ones, and from fewer than k.
func TestTopK(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	module := loadText(t, dev, blockKernels)
	testTopK[float32](t, dev, module)
	testTopK[float64](t, dev, module)
	testTopK[int32](t, dev, module)
	testTopK[uint64](t, dev, module)
	testTopK[int8](t, dev, module)
}

func testTopK[T sortable](t *testing.T, dev *gridstride.Device, module *gridstride.Module) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	for _, cfg := range blocks {
		for _, c := range []struct{ n, k int }{{0, 1}, {1, 0}, {1, 1}, {31, 5}, {33, 40}, {600, 1}, {1300, 10}, {1300, collective.MaxTopK}} {
			if c.n > 100 && threadsOf(cfg) < 64 {
				continue
			}
			in := keysOf[T](r, c.n*blocksOf(cfg))
			if c.k == 10 { // each value is a candidate; of the small types many are equal
				slices.SortFunc(in, compareTotal[T])
			}
			launchTopK(t, dev, kernel(t, module, fmt.Sprintf("TopK_%T", T(0))), cfg, in, c.n, c.k)
		}
	}
}

func launchTopK[T sortable](t *testing.T, dev *gridstride.Device, kernel *gridstride.Kernel, cfg gridstride.Config, in []T, n, k int) {
	t.Helper()
	values, largest := copyOf(t, dev, in), room[T](t, dev, k*blocksOf(cfg))
	at, count := room[int32](t, dev, k*blocksOf(cfg)), room[int32](t, dev, threadsOf(cfg)*blocksOf(cfg))
	must(t, kernel.Launch(dev.Stream(), cfg, values, n, k, largest, at, count))
	counts := read(t, dev.Stream(), count)
	for b := range blocksOf(cfg) {
		want := best(in[b*n:][:n], k)
		for _, got := range counts[b*threadsOf(cfg):][:threadsOf(cfg)] {
			if int(got) != len(want) {
				t.Fatalf("%d of %d, blocks of %v: %d are chosen, want %d", k, n, cfg.BlockDim, got, len(want))
			}
		}
		if len(want) == 0 {
			continue
		}
		gotAt := read(t, dev.Stream(), at.Slice(b*k, b*k+len(want)))
		got := read(t, dev.Stream(), largest.Slice(b*k, b*k+len(want)))
		for i, j := range want {
			if gotAt[i] != j || bitsOf(got[i]) != bitsOf(in[b*n+int(j)]) {
				t.Fatalf("%d of %d, blocks of %v: number %d is %v at %d, want %v at %d", k, n, cfg.BlockDim, i, got[i],
					gotAt[i], in[b*n+int(j)], j)
			}
		}
	}
	freeAll(t, values, largest)
	freeAll(t, at, count)
}

// best is the indices of the k largest values in their order.
func best[T sortable](values []T, k int) []int32 {
	var at []int32
	for i, v := range values {
		if v == v {
			at = append(at, int32(i))
		}
	}
	slices.SortStableFunc(at, func(i, j int32) int {
		switch {
		case values[i] > values[j]:
			return -1
		case values[i] < values[j]:
			return 1
		}
		return 0
	})
	return at[:min(k, len(at))]
}

// TestHistogram counts even and skewed values, in one bin and in several.
func TestHistogram(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	kernel := kernel(t, loadText(t, dev, blockKernels), "Histogram")
	r := rand.New(rand.NewPCG(9, 10))
	for _, cfg := range blocks {
		for _, n := range lengths {
			for _, bins := range []int{1, 7, 300} {
				in := make([]uint32, n*blocksOf(cfg))
				for i := range in {
					in[i] = r.Uint32() >> (r.Uint32() % 31) // half of them are small
				}
				values := copyOf(t, dev, in)
				plain, matched := room[uint32](t, dev, bins*blocksOf(cfg)), room[uint32](t, dev, bins*blocksOf(cfg))
				must(t, kernel.Launch(dev.Stream(), cfg, values, n, bins, plain, matched))
				want := make([]uint32, bins*blocksOf(cfg))
				for i, v := range in {
					want[i/n*bins+int(v)%bins]++
				}
				for k, out := range []gridstride.Buffer[uint32]{plain, matched} {
					if got := read(t, dev.Stream(), out); !slices.Equal(got, want) {
						t.Errorf("%d values, blocks of %v, matched %v: %d, want %d", n, cfg.BlockDim, k == 1, got, want)
					}
				}
				freeAll(t, values, plain, matched)
			}
		}
	}
}

// TestRunLength finds short runs and long ones, in sorted values and in others.
func TestRunLength(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	module := loadText(t, dev, blockKernels)
	testRuns[float32](t, dev, kernel(t, module, "Runs_float32"))
	testRuns[uint64](t, dev, kernel(t, module, "Runs_uint64"))
}

func testRuns[T sortable](t *testing.T, dev *gridstride.Device, kernel *gridstride.Kernel) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	for _, cfg := range blocks {
		for _, n := range lengths {
			for _, different := range []int{1, 3, 1000} {
				in := make([]T, n*blocksOf(cfg))
				for i := range in {
					in[i] = T(r.IntN(different))
					if i%2 == 1 && r.IntN(2) == 0 {
						in[i] = in[i-1]
					}
				}
				if n == 33 {
					copy(in[n/2:], keysOf[T](r, n/2)) // with NaN, and zeros of both signs
				}
				launchRuns(t, dev, kernel, cfg, in, n)
			}
		}
	}
}

func launchRuns[T sortable](t *testing.T, dev *gridstride.Device, kernel *gridstride.Kernel, cfg gridstride.Config, in []T, n int) {
	t.Helper()
	values := copyOf(t, dev, in)
	starts, count := room[int32](t, dev, (n+1)*blocksOf(cfg)), room[int32](t, dev, threadsOf(cfg)*blocksOf(cfg))
	must(t, kernel.Launch(dev.Stream(), cfg, values, n, starts, count))
	counts := read(t, dev.Stream(), count)
	for b := range blocksOf(cfg) {
		var want []int32
		for i, v := range in[b*n:][:n] {
			if i == 0 || v != in[b*n+i-1] {
				want = append(want, int32(i))
			}
		}
		for _, got := range counts[b*threadsOf(cfg):][:threadsOf(cfg)] {
			if int(got) != len(want) {
				t.Fatalf("%d values, blocks of %v: %d runs, want %d", n, cfg.BlockDim, got, len(want))
			}
		}
		want = append(want, int32(n))
		if got := read(t, dev.Stream(), starts.Slice(b*(n+1), b*(n+1)+len(want))); !slices.Equal(got, want) {
			t.Fatalf("%d values, blocks of %v: runs begin at %d, want %d", n, cfg.BlockDim, got, want)
		}
	}
	freeAll(t, values)
	freeAll(t, starts, count)
}

// TestCommented runs the kernels in the comments of the functions.
func TestCommented(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	s := dev.Stream()
	r := rand.New(rand.NewPCG(13, 14))

	const rows, columns = 3, 33
	rowsKernel, err := kernels.LoadRows(dev)
	must(t, err)
	matrix := keysOf[float32](r, rows*columns)
	b := copyOf(t, dev, matrix)
	must(t, rowsKernel.Launch(s, gridstride.Grid(rows), b, columns))
	for i := 0; i < len(matrix); i += columns {
		slices.SortFunc(matrix[i:i+columns], compareTotal[float32])
	}
	if got := read(t, s, b); !slices.EqualFunc(got, matrix, func(x, y float32) bool { return bitsOf(x) == bitsOf(y) }) {
		t.Errorf("the rows are %v, want %v", got, matrix)
	}

	lettersKernel, err := kernels.LoadLetters(dev)
	must(t, err)
	text := copyOf(t, dev, []byte("a short text, and a long one"))
	counts := room[uint32](t, dev, 256)
	must(t, lettersKernel.Launch(s, gridstride.Grid(1), text, counts))
	if got := read(t, s, counts); got['a'] != 3 || got['t'] != 3 || got['z'] != 0 {
		t.Errorf("there are %d a, %d t and %d z", got['a'], got['t'], got['z'])
	}

	farthestKernel, err := kernels.LoadFarthest(dev)
	must(t, err)
	points, distances := make([]gpu.Float32x2, 1000), make([]float32, 1000)
	for i := range points {
		p := gpu.Float32x2{X: float32(r.NormFloat64()), Y: float32(r.NormFloat64())}
		points[i], distances[i] = p, gpu.FMA(p.X, p.X, p.Y*p.Y)
	}
	onDevice, at := copyOf(t, dev, points), room[int32](t, dev, 20)
	must(t, farthestKernel.Launch(s, gridstride.Grid(1), onDevice, at.Len(), at))
	if got, want := read(t, s, at), best(distances, at.Len()); !slices.Equal(got, want) {
		t.Errorf("the farthest are %d, want %d", got, want)
	}
	freeAll(t, b)
	freeAll(t, text)
	freeAll(t, counts)
	freeAll(t, onDevice)
	freeAll(t, at)
}
