package spread_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/parallel"
	"github.com/gridstride/gridstride/parallel/internal/suite"
	"github.com/gridstride/gridstride/parallel/spread"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func onGPU() bool { return strings.HasPrefix(os.Getenv("GRIDSTRIDE_DEVICE"), "cuda") }

// open is a handle for simulated devices, or for as many GPUs as the machine has.
func open(t testing.TB, ranks int) *spread.Handle {
	t.Helper()
	var streams []*gridstride.Stream
	for i := range ranks {
		use := "sim"
		if onGPU() {
			use = fmt.Sprintf("cuda:%d", i)
		}
		dev, err := gridstride.Open(gridstride.Use(use))
		if i > 0 && errors.Is(err, gridstride.ErrNoDevice) {
			break
		}
		must(t, err)
		t.Cleanup(func() { must(t, dev.Close()) })
		streams = append(streams, dev.Stream())
	}
	g, err := comm.New(streams...)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	h, err := spread.New(g)
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return h
}

// deal gives the ranks consecutive parts of x, of random lengths.
func deal[T any](t testing.TB, h *spread.Handle, x []T, random *rand.Rand) (parts []gridstride.Buffer[T]) {
	t.Helper()
	ranks := h.Group().Ranks()
	ends := []int{0, len(x)}
	for range ranks - 1 {
		ends = append(ends, random.IntN(len(x)+1))
	}
	slices.Sort(ends)
	for r := range ranks {
		b, err := gridstride.CopyOf(h.Group().Stream(r).Device(), x[ends[r]:ends[r+1]])
		must(t, err)
		t.Cleanup(func() { must(t, b.Free()) })
		parts = append(parts, b)
	}
	return parts
}

// collect reads the parts of a vector.
func collect[T any](t testing.TB, h *spread.Handle, parts []gridstride.Buffer[T]) (all []T) {
	t.Helper()
	for r, b := range parts {
		part, err := b.Read(t.Context(), h.Group().Stream(r), nil)
		must(t, err)
		all = append(all, part...)
	}
	return all
}

func bytes[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

// lengths of vectors: around tiles and samples too.
var lengths = []int{0, 1, 2, 7, 100, 1023, 5003, 20011}

// TestSort holds sorts to the bits of package parallel's on one device.
func TestSort(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			h := open(t, ranks)
			testSort(t, h, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
			testSort(t, h, func(r *rand.Rand) uint64 { return r.Uint64N(3) })
			testSort(t, h, func(r *rand.Rand) int { return -r.IntN(1000) })
			testSort(t, h, func(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32() & 0xff80_0001) })
			testSort(t, h, func(r *rand.Rand) float64 {
				special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, math.Copysign(math.NaN(), -1)}
				return special[r.IntN(len(special))]
			})
			testSort(t, h, func(r *rand.Rand) float32 { return 1 })
		})
	}
}

func testSort[K parallel.Number](t *testing.T, h *spread.Handle, key func(r *rand.Rand) K) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(h.Group().Ranks()), 1))
	for _, n := range lengths {
		if n > 6000 && h.Group().Ranks() != 2 {
			continue
		}
		x := make([]K, n)
		for i := range x {
			x[i] = key(random)
		}
		if random.IntN(3) == 0 { // nearly sorted already, or the other way round
			slices.Sort(x)
		}
		parts := deal(t, h, x, random)
		must(t, spread.Sort(t.Context(), h, parts))
		got, want := collect(t, h, parts), sorted(t, h, x)
		if !slices.Equal(bytes(got), bytes(want)) {
			t.Fatalf("%d of %T on %d ranks are sorted as %v, want %v", n, *new(K), h.Group().Ranks(), got, want)
		}
	}
}

// sorted is x after package parallel has sorted it on one device.
func sorted[K parallel.Number](t *testing.T, h *spread.Handle, x []K) []K {
	t.Helper()
	s := h.Group().Stream(0)
	w, err := parallel.New(s)
	must(t, err)
	b, err := gridstride.CopyOf(s.Device(), x)
	must(t, err)
	defer func() { must(t, errors.Join(w.Close(), b.Free())) }()
	must(t, parallel.Sort(w, b))
	got, err := b.Read(t.Context(), s, nil)
	must(t, err)
	return got
}

// TestSortBy: records with few different keys stay in their order, also across devices.
func TestSortBy(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			h := open(t, ranks)
			random := rand.New(rand.NewPCG(uint64(ranks), 2))
			for i, n := range lengths {
				by := suite.ByKey{Descending: i%2 == 1}
				x := make([]suite.Record, n)
				for i := range x {
					x[i] = suite.Record{Key: uint16(random.IntN(5)), ID: int32(i)}
				}
				parts := deal(t, h, x, random)
				must(t, spread.SortBy(t.Context(), h, parts, by))
				got := collect(t, h, parts)
				slices.SortStableFunc(x, func(a, b suite.Record) int {
					switch {
					case by.Less(a, b):
						return -1
					case by.Less(b, a):
						return 1
					}
					return 0
				})
				if !slices.Equal(got, x) {
					t.Fatalf("%d records are sorted as %v, want %v", n, got, x)
				}
			}
		})
	}
}

// TestReduce compares reductions with loops.
func TestReduce(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			t.Parallel()
			h := open(t, ranks)
			random := rand.New(rand.NewPCG(uint64(ranks), 3))
			for _, n := range lengths {
				x, y := make([]int64, n), make([]uint8, n)
				sum, low, high, xor := int64(0), int64(math.MaxInt64), int64(math.MinInt64), uint8(0)
				for i := range x {
					x[i], y[i] = int64(random.Uint64()), uint8(random.Uint32())
					sum, low, high, xor = sum+x[i], min(low, x[i]), max(high, x[i]), xor^y[i]
				}
				parts, bits := deal(t, h, x, random), deal(t, h, y, random)
				a, err := spread.Sum(t.Context(), h, parts)
				must(t, err)
				b, err := spread.Min(t.Context(), h, parts)
				must(t, err)
				c, err := spread.Max(t.Context(), h, parts)
				must(t, err)
				if a != sum || b != low || c != high {
					t.Errorf("%d elements: sum %d, min %d, max %d; want %d, %d, %d", n, a, b, c, sum, low, high)
				}
				d, err := spread.Reduce(t.Context(), h, bits, suite.Xor[uint8]{})
				must(t, err)
				out := deal(t, h, make([]uint8, 0), random)
				for r := range out {
					out[r], err = gridstride.Make[uint8](h.Group().Stream(r).Device(), 2)
					must(t, err)
					defer out[r].Free()
					must(t, out[r].Zero(h.Group().Stream(r)))
				}
				must(t, spread.ReduceTo(h, bits, suite.Xor[uint8]{}, out))
				if got := collect(t, h, out); d != xor || !slices.Equal(got, slices.Repeat([]uint8{xor, 0}, h.Group().Ranks())) {
					t.Errorf("%d elements: %d and %d, want %d", n, d, got, xor)
				}
			}
		})
	}
}

// TestFloats: the sum of floats is the parts' sums in the order of the ranks, and NaN is the largest.
func TestFloats(t *testing.T) {
	t.Parallel()
	h := open(t, 2)
	if h.Group().Ranks() < 2 {
		t.Skip("one GPU")
	}
	random := rand.New(rand.NewPCG(5, 5))
	x := []float32{1e8, 1, -1e8, 1, float32(math.NaN())}
	parts := deal(t, h, x, random)
	got, err := spread.Max(t.Context(), h, parts)
	if err != nil || got == got {
		t.Errorf("the largest is %v, %v; want NaN", got, err)
	}
	parts = deal(t, h, x[:4], random)
	var want float32
	for r, p := range parts {
		w, err := parallel.New(h.Group().Stream(r))
		must(t, err)
		sum, err := parallel.Sum(t.Context(), w, p)
		must(t, errors.Join(err, w.Close()))
		want += sum
	}
	if got, err = spread.Sum(t.Context(), h, parts); err != nil || got != want {
		t.Errorf("the sum is %v, %v; want %v", got, err, want)
	}
}

// TestRefused: errors name the call, the rank and what is wrong.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := open(t, 2)
	if h.Group().Ranks() < 2 {
		t.Skip("one GPU")
	}
	random := rand.New(rand.NewPCG(6, 6))
	x := deal(t, h, []int32{3, 1, 2}, random)
	want := func(err, kind error, text string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%v; want %v with %q", err, kind, text)
		}
	}
	want(spread.Sort(t.Context(), h, x[:1]), comm.ErrRank, "spread: Sort: x has 1 parts; want one of each of the 2 ranks")
	one, err := gridstride.CopyOf(h.Group().Stream(1).Device(), []int32{1})
	must(t, err)
	want(spread.Sort(t.Context(), h, []gridstride.Buffer[int32]{one, one}), gridstride.ErrWrongDevice, "x of rank 0")
	none := one.Slice(0, 0)
	want(spread.ReduceTo(h, x, parallel.Plus[int32]{}, []gridstride.Buffer[int32]{none, one}), parallel.ErrShort, "out of rank 0 has no elements")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	want(spread.Sort(ended, h, x), context.Canceled, "")
	_, err = spread.Sum(ended, h, x)
	want(err, context.Canceled, "")
	_, err = spread.Reduce(t.Context(), h, deal(t, h, []int16{1}, random), parallel.Plus[int16]{})
	want(err, gridstride.ErrNoKernel, "//gpu:instance parallel.Reduce[int16")
	must(t, one.Free())
	want(spread.Sort(t.Context(), h, []gridstride.Buffer[int32]{x[0], one}), gridstride.ErrFreed, "x of rank 1")
	must(t, errors.Join(h.Close(), h.Close()))
	want(spread.Sort(t.Context(), h, x), gridstride.ErrClosed, "the handle is closed")
}

// TestTogether: goroutines that use a handle at once get their own results.
func TestTogether(t *testing.T) {
	t.Parallel()
	h := open(t, 3)
	var wg sync.WaitGroup
	for i := range 8 {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		x := make([]int32, 2000+i)
		for i := range x {
			x[i] = random.Int32()
		}
		parts := deal(t, h, x, random)
		slices.Sort(x)
		wg.Go(func() {
			for range 3 {
				if err := spread.Sort(t.Context(), h, parts); err != nil {
					t.Error(err)
				}
				low, err := spread.Min(t.Context(), h, parts)
				if err != nil || low != x[0] {
					t.Errorf("goroutine %d: %v, %v; want %v", i, low, err, x[0])
				}
			}
		})
		defer func() {
			if got := collect(t, h, parts); !slices.Equal(got, x) {
				t.Errorf("goroutine %d: not sorted", i)
			}
		}()
	}
	wg.Wait()
}
