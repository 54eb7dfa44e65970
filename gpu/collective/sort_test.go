package collective_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
)

// sortable is the types that the kernels of sorts are compiled for.
type sortable interface {
	float32 | float64 | int32 | int64 | uint32 | uint64 | int8 | uint16
}

// blocks are grids with blocks of one thread, of a partial warp, of full ones, and of both.
var blocks = []gridstride.Config{
	gridstride.Grid(1).Block(1),
	gridstride.Grid(2).Block(31),
	gridstride.Grid(1).Block(32),
	gridstride.Grid(3).Block(33),
	gridstride.Grid(2, 2).Block(8, 9),
	gridstride.Grid(1).Block(256),
}

// lengths are numbers of values of a block.
var lengths = []int{0, 1, 31, 33, 257, 500}

func threadsOf(cfg gridstride.Config) int { return cfg.BlockDim.X * cfg.BlockDim.Y * cfg.BlockDim.Z }

func blocksOf(cfg gridstride.Config) int { return cfg.GridDim.X * cfg.GridDim.Y * cfg.GridDim.Z }

// keysOf are n keys, some of them equal, and of floating point special ones.
func keysOf[T sortable](r *rand.Rand, n int) []T {
	keys := make([]T, n)
	specials := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1),
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1, -1}
	for i := range keys {
		switch x := T(1) / 3; {
		case r.IntN(2) == 0:
			keys[i] = T(r.IntN(100)) - 50
		case x == 0:
			keys[i] = T(r.Uint64())
		case r.IntN(2) == 0:
			keys[i] = T(specials[r.IntN(len(specials))])
		default:
			keys[i] = T(r.NormFloat64())
		}
	}
	return keys
}

// bitsOf are the bits of a number.
func bitsOf[T sortable](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	}
	return uint64(x)
}

// compareTotal is the order of a sort: of floating-point numbers the total one, whose bits, read as
// a sign and a magnitude, are in order.
func compareTotal[T sortable](x, y T) int {
	signed := func(x T) int64 {
		switch x := any(x).(type) {
		case float32:
			if bits := int32(math.Float32bits(x)); bits < 0 {
				return -1 - int64(bits&math.MaxInt32)
			}
			return int64(math.Float32bits(x))
		case float64:
			if bits := int64(math.Float64bits(x)); bits < 0 {
				return -1 - bits&math.MaxInt64
			}
			return int64(math.Float64bits(x))
		}
		panic("not a floating-point number")
	}
	if T(1)/2 == 0 {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(signed(x), signed(y))
}

// TestSort sorts with each size of block as many keys as it has threads, and fewer and more.
func TestSort(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	module := loadText(t, dev, blockKernels)
	testSort(t, dev, module, (*sorting[float32]).keys, (*sorting[float32]).pairs)
	testSort(t, dev, module, (*sorting[float64]).keys)
	testSort(t, dev, module, (*sorting[int32]).keys)
	testSort(t, dev, module, (*sorting[int64]).keys)
	testSort(t, dev, module, (*sorting[uint32]).keys)
	testSort(t, dev, module, (*sorting[uint64]).keys, (*sorting[uint64]).pairs)
	testSort(t, dev, module, (*sorting[int8]).keys, (*sorting[int8]).pairs)
	testSort(t, dev, module, (*sorting[uint16]).keys)
}

func testSort[T sortable](t *testing.T, dev *gridstride.Device, module *gridstride.Module, tests ...func(s *sorting[T])) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for _, cfg := range blocks {
		for _, n := range lengths {
			if n > 100 && threadsOf(cfg) < 32 { // which takes the square of n
				continue
			}
			s := &sorting[T]{t: t, dev: dev, module: module, cfg: cfg, n: n, in: keysOf[T](r, n*blocksOf(cfg))}
			for _, test := range tests {
				test(s)
			}
		}
	}
}

// sorting is a launch of sorts, in which each block has n of the keys.
type sorting[T sortable] struct {
	t      *testing.T
	dev    *gridstride.Device
	module *gridstride.Module
	cfg    gridstride.Config
	n      int
	in     []T
}

func (s *sorting[T]) kernel(name string) *gridstride.Kernel {
	return kernel(s.t, s.module, fmt.Sprintf("%s_%T", name, T(0)))
}

// order is the indices of a block's keys as the sort must leave them.
func (s *sorting[T]) order(block int, descending bool) []int32 {
	keys := s.in[block*s.n:][:s.n]
	at := make([]int32, s.n)
	for i := range at {
		at[i] = int32(i)
	}
	slices.SortStableFunc(at, func(i, j int32) int {
		if descending {
			i, j = j, i
		}
		return compareTotal(keys[i], keys[j])
	})
	return at
}

// keys sorts keys alone.
func (s *sorting[T]) keys() {
	s.t.Helper()
	in := copyOf(s.t, s.dev, s.in)
	up, down := room[T](s.t, s.dev, len(s.in)), room[T](s.t, s.dev, len(s.in))
	must(s.t, s.kernel("Sort").Launch(s.dev.Stream(), s.cfg, in, s.n, up, down))
	for k, out := range []gridstride.Buffer[T]{up, down} {
		got := read(s.t, s.dev.Stream(), out)
		for b := range blocksOf(s.cfg) {
			for i, at := range s.order(b, k == 1) {
				if got, want := got[b*s.n+i], s.in[b*s.n+int(at)]; bitsOf(got) != bitsOf(want) {
					s.t.Fatalf("%d keys, blocks of %v, block %d, descending %v: key %d is %v, want %v", s.n, s.cfg.BlockDim,
						b, k == 1, i, got, want)
				}
			}
		}
	}
	freeAll(s.t, in, up, down)
}

// pairs sorts keys with their indices.
func (s *sorting[T]) pairs() {
	s.t.Helper()
	keys, scratch := room[T](s.t, s.dev, len(s.in)), room[T](s.t, s.dev, len(s.in))
	var at [3]gridstride.Buffer[int32]
	for i := range at {
		at[i] = room[int32](s.t, s.dev, len(s.in))
	}
	for k, descending := range []bool{false, true} {
		must(s.t, keys.Write(s.t.Context(), s.dev.Stream(), s.in))
		must(s.t, s.kernel("SortByKey").Launch(s.dev.Stream(), s.cfg, keys, s.n, scratch, at[0], at[1], at[2], descending))
		sorted, got := read(s.t, s.dev.Stream(), keys), read(s.t, s.dev.Stream(), at[k])
		for b := range blocksOf(s.cfg) {
			for i, want := range s.order(b, descending) {
				key := s.in[b*s.n+int(want)]
				if got[b*s.n+i] != want || bitsOf(sorted[b*s.n+i]) != bitsOf(key) {
					s.t.Fatalf("%d pairs, blocks of %v, block %d, descending %v: pair %d is (%v, %d), want (%v, %d)", s.n,
						s.cfg.BlockDim, b, descending, i, sorted[b*s.n+i], got[b*s.n+i], key, want)
				}
			}
		}
	}
	freeAll(s.t, keys, scratch)
	freeAll(s.t, at[:]...)
}

func copyOf[T any](t *testing.T, dev *gridstride.Device, host []T) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	must(t, err)
	return b
}

func room[T any](t *testing.T, dev *gridstride.Device, n int) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.Make[T](dev, n)
	must(t, err)
	return b
}

func freeAll[T any](t *testing.T, all ...gridstride.Buffer[T]) {
	t.Helper()
	for _, b := range all {
		must(t, b.Free())
	}
}
