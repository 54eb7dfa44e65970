package collective_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
)

// number is the types the kernels are compiled for.
type number interface {
	float32 | float64 | int32 | int64 | uint32 | uint64 | int | int8 | uint16
}

// launches are the shapes that the tests run.
var launches = []struct{ grid, block gridstride.Dim3 }{
	{gridstride.Dim3{X: 1, Y: 1, Z: 1}, gridstride.Dim3{X: 1, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 3, Y: 1, Z: 1}, gridstride.Dim3{X: 31, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 1, Y: 1, Z: 1}, gridstride.Dim3{X: 32, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 2, Y: 1, Z: 1}, gridstride.Dim3{X: 33, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 2, Y: 1, Z: 1}, gridstride.Dim3{X: 64, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 2, Y: 1, Z: 1}, gridstride.Dim3{X: 255, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 2, Y: 1, Z: 1}, gridstride.Dim3{X: 256, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 1, Y: 1, Z: 1}, gridstride.Dim3{X: 1024, Y: 1, Z: 1}},
	{gridstride.Dim3{X: 2, Y: 2, Z: 1}, gridstride.Dim3{X: 8, Y: 9, Z: 1}},
	{gridstride.Dim3{X: 1, Y: 3, Z: 1}, gridstride.Dim3{X: 33, Y: 3, Z: 1}},
	{gridstride.Dim3{X: 1, Y: 1, Z: 2}, gridstride.Dim3{X: 3, Y: 5, Z: 7}},
	{gridstride.Dim3{X: 1, Y: 1, Z: 1}, gridstride.Dim3{X: 1, Y: 1, Z: 40}},
}

// world is a device and the values of a launch's threads.
type world[T number] struct {
	t       *testing.T
	dev     *gridstride.Device
	module  *gridstride.Module
	s       *gridstride.Stream
	cfg     gridstride.Config
	threads int // of a block
	in      []T
}

// every runs a test for each shape, with a few small numbers on both sides of 0, some of them 0.
// Their sums have the same bits in any order: they are exact, or wrap.
func every[T number](t *testing.T, test func(w *world[T])) {
	t.Helper()
	dev := gputest.Device(t)
	module := load(t, dev)
	for _, l := range launches {
		w := &world[T]{t: t, dev: dev, module: module, s: dev.Stream(),
			cfg: gridstride.Config{GridDim: l.grid, BlockDim: l.block}}
		w.threads = l.block.X * l.block.Y * l.block.Z
		r := rand.New(rand.NewPCG(1, uint64(w.threads)))
		for range l.grid.X * l.grid.Y * l.grid.Z * w.threads {
			w.in = append(w.in, T(r.IntN(40)/2)-10)
		}
		test(w)
	}
}

func (w *world[T]) kernel(entry string) *gridstride.Kernel { return kernel(w.t, w.module, entry) }

// TestTypes runs all functions for all types. On the simulator every check is on, and silent.
func TestTypes(t *testing.T) {
	t.Run("float32", testType[float32])
	t.Run("float64", testType[float64])
	t.Run("int32", testType[int32])
	t.Run("int64", testType[int64])
	t.Run("uint32", testType[uint32])
	t.Run("uint64", testType[uint64])
	t.Run("int", testType[int])
	t.Run("int8", testType[int8])
	t.Run("uint16", testType[uint16])
}

func testType[T number](t *testing.T) {
	t.Parallel()
	t.Run("reduce", func(t *testing.T) { every(t, testReduce[T]) })
	t.Run("index", func(t *testing.T) { every(t, testIndex[T]) })
	t.Run("scan", func(t *testing.T) { every(t, testScan[T]) })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// buffers makes count buffers of an element a thread. free gives them back.
func buffers[U any, T number](w *world[T], count int) (all []gridstride.Buffer[U], free func()) {
	for range count {
		b, err := gridstride.Make[U](w.dev, len(w.in))
		must(w.t, err)
		all = append(all, b)
	}
	return all, func() {
		for _, b := range all {
			must(w.t, b.Free())
		}
	}
}

// compare holds a buffer to what each thread should have got: want is given the thread's place in
// in and the places of the threads from the first to the last of its warp, or of its block.
func compare[U comparable, T number](w *world[T], what string, got gridstride.Buffer[U], size int,
	want func(i int, first, last int) U) {
	w.t.Helper()
	out, err := got.Read(w.t.Context(), w.s, nil)
	must(w.t, err)
	for i, g := range out {
		block := i / w.threads * w.threads
		first := block + (i-block)/size*size
		last := min(first+size, block+w.threads) - 1
		if want := want(i, first, last); g != want {
			w.t.Errorf("%s, blocks of %v: thread %d of block %d got %v, want %v", what, w.cfg.BlockDim, i-block,
				block/w.threads, g, want)
			return
		}
	}
}

const wholeBlock = 1024

func testReduce[T number](w *world[T]) {
	kernel := w.kernel(instance[T]("Reduce"))
	in, err := gridstride.CopyOf(w.dev, w.in)
	must(w.t, err)
	out, free := buffers[T](w, 6)
	must(w.t, kernel.Launch(w.s, w.cfg, in, out[0], out[1], out[2], out[3], out[4], out[5]))
	fold := func(op func(x, y T) T) func(i, first, last int) T {
		return func(_, first, last int) T {
			v := w.in[first]
			for _, x := range w.in[first+1 : last+1] {
				v = op(v, x)
			}
			return v
		}
	}
	sum := fold(func(x, y T) T { return x + y })
	least := fold(func(x, y T) T { return min(x, y) })
	most := fold(func(x, y T) T { return max(x, y) })
	compare(w, "WarpSum", out[0], gpu.WarpSize, sum)
	compare(w, "WarpMin", out[1], gpu.WarpSize, least)
	compare(w, "WarpMax", out[2], gpu.WarpSize, most)
	compare(w, "BlockSum", out[3], wholeBlock, sum)
	compare(w, "BlockMin", out[4], wholeBlock, least)
	compare(w, "BlockMax", out[5], wholeBlock, most)
	must(w.t, in.Free())
	free()
}

func testIndex[T number](w *world[T]) {
	if nan := math.NaN(); T(1)/2 != 0 && w.threads > 64 { // a floating-point type
		w.in[w.threads-3], w.in[w.threads/2] = T(nan), T(nan)
	}
	kernel := w.kernel(instance[T]("Index"))
	in, err := gridstride.CopyOf(w.dev, w.in)
	must(w.t, err)
	v, free := buffers[T](w, 4)
	at, freeAt := buffers[int](w, 4)
	must(w.t, kernel.Launch(w.s, w.cfg, in, v[0], v[1], v[2], v[3], at[0], at[1], at[2], at[3]))
	first := func(_, first, last int) int { // of the smallest
		best := first
		for i := first; i <= last; i++ {
			if x, y := w.in[i], w.in[best]; y == y && (x != x || x < y) {
				best = i
			}
		}
		return best
	}
	last := func(_, first, last int) int { // of the largest
		best := last
		for i := last; i >= first; i-- {
			if x, y := w.in[i], w.in[best]; y == y && (x != x || x > y) {
				best = i
			}
		}
		return -best
	}
	compare(w, "WarpMinIndex", at[0], gpu.WarpSize, first)
	compare(w, "WarpMaxIndex", at[1], gpu.WarpSize, last)
	compare(w, "BlockMinIndex", at[2], wholeBlock, first)
	compare(w, "BlockMaxIndex", at[3], wholeBlock, last)
	for k, b := range v { // the value is the one at the index
		values, err := b.Read(w.t.Context(), w.s, nil)
		must(w.t, err)
		indices, err := at[k].Read(w.t.Context(), w.s, nil)
		must(w.t, err)
		for i, got := range values {
			if want := w.in[max(indices[i], -indices[i])]; got != want && (got == got || want == want) {
				w.t.Errorf("result %d of thread %d is the value %v with the index of %v", k, i, got, want)
			}
		}
	}
	must(w.t, in.Free())
	free()
	freeAt()
}

func testScan[T number](w *world[T]) {
	kernel := w.kernel(instance[T]("Scan"))
	in, err := gridstride.CopyOf(w.dev, w.in)
	must(w.t, err)
	out, free := buffers[T](w, 6)
	must(w.t, kernel.Launch(w.s, w.cfg, in, out[0], out[1], out[2], out[3], out[4], out[5]))
	sum := func(v []T) (s T) {
		for _, x := range v {
			s += x
		}
		return s
	}
	last := func(v []T) (s T) {
		for _, x := range v {
			if x != 0 {
				s = x
			}
		}
		return s
	}
	compare(w, "WarpInclusiveSum", out[0], gpu.WarpSize, func(i, first, _ int) T { return sum(w.in[first : i+1]) })
	compare(w, "BlockInclusiveSum", out[1], wholeBlock, func(i, first, _ int) T { return sum(w.in[first : i+1]) })
	compare(w, "BlockExclusiveSum", out[2], wholeBlock, func(i, first, _ int) T { return sum(w.in[first:i]) })
	compare(w, "BlockExclusiveSum's total", out[3], wholeBlock,
		func(_, first, last int) T { return sum(w.in[first : last+1]) })
	compare(w, "BlockInclusiveScan", out[4], wholeBlock, func(i, first, _ int) T { return last(w.in[first : i+1]) })
	compare(w, "BlockExclusiveScan", out[5], wholeBlock, func(i, first, _ int) T { return last(w.in[first:i]) })
	must(w.t, in.Free())
	free()
}

// TestOrder pins the order in which floating-point values are added: a tree in the warp, then the
// warps from left to right.
func TestOrder(t *testing.T) {
	every(t, func(w *world[float32]) {
		r := rand.New(rand.NewPCG(3, 4))
		for i := range w.in {
			w.in[i] = r.Float32() - 0.5
		}
		kernel := w.kernel("Reduce_float32")
		in, err := gridstride.CopyOf(w.dev, w.in)
		must(w.t, err)
		out, free := buffers[float32](w, 6)
		must(w.t, kernel.Launch(w.s, w.cfg, in, out[0], out[1], out[2], out[3], out[4], out[5]))
		warp := func(v []float32) float32 {
			lanes := append([]float32(nil), v...)
			for d := gpu.WarpSize / 2; d > 0; d /= 2 {
				for i := range max(0, min(d, len(lanes)-d)) {
					lanes[i] += lanes[i+d]
				}
			}
			return lanes[0]
		}
		compare(w, "WarpSum", out[0], gpu.WarpSize, func(_, first, last int) float32 {
			return warp(w.in[first : last+1])
		})
		compare(w, "BlockSum", out[3], wholeBlock, func(_, first, last int) float32 {
			sum := warp(w.in[first:min(first+gpu.WarpSize, last+1)])
			for i := first + gpu.WarpSize; i <= last; i += gpu.WarpSize {
				sum += warp(w.in[i:min(i+gpu.WarpSize, last+1)])
			}
			return sum
		})
		must(w.t, in.Free())
		free()
	})
}
