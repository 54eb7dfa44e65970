package copies

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// launcher launches a kernel that makes one buffer of another.
type launcher[T any] func(s *gridstride.Stream, cfg gridstride.Config, a, out gridstride.Buffer[T]) error

// load loads a kernel, or skips the test where the device lacks its target.
func load[K any](t *testing.T, from func(*gridstride.Device) (K, error), dev *gridstride.Device) K {
	t.Helper()
	k, err := from(dev)
	suitetest.Need(t, err)
	return k
}

// run gives what a kernel makes of a.
func run[T any](ctx context.Context, dev *gridstride.Device, cfg gridstride.Config, a []T, n int, launch launcher[T]) ([]T, error) {
	in, err := gridstride.CopyOf(dev, a)
	if err != nil {
		return nil, err
	}
	defer in.Free()
	out, err := gridstride.Make[T](dev, n)
	if err != nil {
		return nil, err
	}
	defer out.Free()
	if err := launch(dev.Stream(), cfg, in, out); err != nil {
		return nil, err
	}
	return out.Read(ctx, dev.Stream(), nil)
}

// same runs a kernel that copies n elements.
func same[T comparable](t *testing.T, dev *gridstride.Device, cfg gridstride.Config, n int, number func(r *rand.Rand) T, launch launcher[T]) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	a := make([]T, n)
	for i := range a {
		a[i] = number(r)
	}
	out, err := run(t.Context(), dev, cfg, a, n, launch)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		if out[i] != a[i] {
			t.Fatalf("%d elements: element %d is %v, want %v", n, i, out[i], a[i])
		}
	}
}

func half(r *rand.Rand) gpu.Float16       { return gpu.Float16FromBits(uint16(r.Uint32())) }
func brainHalf(r *rand.Rand) gpu.BFloat16 { return gpu.BFloat16FromBits(uint16(r.Uint32())) }

// TestLdMatrix takes matrices through fragments of each kind that shared memory gives.
func TestLdMatrix(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	warp := gridstride.Grid(1).Block(32)
	same(t, dev, warp, loadedHalves, half, load(t, LoadLoadHalves[gpu.Float16], dev).Launch)
	same(t, dev, warp, loadedHalves, brainHalf, load(t, LoadLoadHalves[gpu.BFloat16], dev).Launch)
	same(t, dev, warp, loadedWords, func(r *rand.Rand) gpu.TF32 { return gpu.TF32Of(r.Float32()) }, load(t, LoadLoadWords[gpu.TF32], dev).Launch)
	same(t, dev, warp, loadedWords, (*rand.Rand).Float32, load(t, LoadLoadWords[float32], dev).Launch)
	same(t, dev, warp, loadedWords, (*rand.Rand).Int32, load(t, LoadLoadWords[int32], dev).Launch)
	same(t, dev, warp, loadedBytes, func(r *rand.Rand) int8 { return int8(r.Uint32()) }, load(t, LoadLoadBytes[int8], dev).Launch)
	same(t, dev, warp, loadedBytes, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }, load(t, LoadLoadBytes[uint8], dev).Launch)
}

// TestStMatrix takes fragments to shared memory.
func TestStMatrix(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	warp := gridstride.Grid(1).Block(32)
	same(t, dev, warp, storedHalves, half, load(t, LoadStoreHalves[gpu.Float16], dev).Launch)
	same(t, dev, warp, storedHalves, brainHalf, load(t, LoadStoreHalves[gpu.BFloat16], dev).Launch)
}

// TestCpAsync streams vectors through tiles, with some in flight.
func TestCpAsync(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	words := load(t, LoadStream[uint32], dev)
	pairs := load(t, LoadStream[[2]uint32], dev)
	quads := load(t, LoadStream[[4]uint32], dev)
	for _, n := range []int{0, 1, 31, 64, 65, 1000} {
		for _, blocks := range []int{1, 3} {
			cfg := gridstride.Grid(blocks).Block(64)
			same(t, dev, cfg, n, (*rand.Rand).Uint32, words.Launch)
			same(t, dev, cfg, n, func(r *rand.Rand) [2]uint32 { return [2]uint32{r.Uint32(), r.Uint32()} }, pairs.Launch)
			same(t, dev, cfg, n, func(r *rand.Rand) [4]uint32 { return [4]uint32{r.Uint32(), 1, r.Uint32(), 2} }, quads.Launch)
		}
	}
}

// TestCpAsyncZeroFill pads the rows of matrices. Where rows begin at multiples of 16 bytes.
func TestCpAsyncZeroFill(t *testing.T) {
	t.Parallel()
	dev := suitetest.Open(t)
	k := load(t, LoadRows, dev)
	for _, size := range [][3]int{{1, 0, 8}, {1, 1, 8}, {3, 8, 16}, {5, 24, 24}, {1, 37, 48}, {4, 40, 304}} {
		rows, width, wide := size[0], size[1], size[2]
		r := rand.New(rand.NewPCG(2, uint64(wide)))
		a, want := make([]gpu.Float16, rows*width), make([]gpu.Float16, rows*wide)
		for i := range a {
			a[i] = half(r)
			want[i/width*wide+i%width] = a[i]
		}
		got, err := run(t.Context(), dev, gridstride.Grid(rows).Block(32), a, rows*wide,
			func(s *gridstride.Stream, cfg gridstride.Config, a, out gridstride.Buffer[gpu.Float16]) error {
				return k.Launch(s, cfg, a, out, width, wide)
			})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", size, got, want)
		}
	}
}
