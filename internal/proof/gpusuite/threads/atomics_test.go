package threads

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// load is a kernel, or the test's end.
func load[K any](t testing.TB) func(k K, err error) K {
	return func(k K, err error) K {
		t.Helper()
		suitetest.Must(t, err)
		return k
	}
}

// grids are a few threads, odd numbers of them, and several blocks.
var grids = []gridstride.Config{
	gridstride.Grid(1).Block(1), gridstride.Grid(1).Block(33), gridstride.Grid(3).Block(32),
}

func TestIntegers(t *testing.T) {
	t.Parallel()
	t.Run("int8", integers[int8])
	t.Run("uint8", integers[uint8])
	t.Run("int16", integers[int16])
	t.Run("uint16", integers[uint16])
	t.Run("int32", integers[int32])
	t.Run("uint32", integers[uint32])
	t.Run("int64", integers[int64])
	t.Run("uint64", integers[uint64])
}

func integers[T IntegersT](t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*IntegersKernel[T]](t)(LoadIntegers[T](dev))
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 33, 70} {
		in := make([]T, n)
		for i := range in {
			in[i] = T(r.Uint64())
		}
		want := []T{3, 3, 5, 5, ^T(0), 1, 7, 9}
		for _, v := range in {
			want[0] += v
			want[1] -= v
			want[2] = min(want[2], v)
			want[3] = max(want[3], v)
			want[4] &= v
			want[5] |= v
			want[6] ^= v
			want[7] += v
		}
		for _, cfg := range grids {
			out := suitetest.OnDevice(t, dev, []T{3, 3, 5, 5, ^T(0), 1, 7, 9})
			suitetest.Must(t, k.Launch(dev.Stream(), cfg, suitetest.OnDevice(t, dev, in), out))
			if got := suitetest.Read(t, dev, out); !slices.Equal(got, want) {
				t.Errorf("%d elements, %v: %v, want %v", n, cfg, got, want)
			}
		}
	}
}

func TestFloats(t *testing.T) {
	t.Parallel()
	t.Run("float32", floats[float32])
	t.Run("float64", floats[float64])
}

// floats compares minimum and maximum with Go's, zeros and NaN among them.
func floats[T FloatsT](t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*FloatsKernel[T]](t)(LoadFloats[T](dev))
	zero, nan := T(0), T(math.NaN())
	negative := T(math.Copysign(0, -1))
	for _, in := range [][]T{
		{}, {1}, {-5, 3, 2.5, -1}, {negative}, {zero, negative, zero}, {negative, zero}, {T(math.Inf(-1)), T(math.Inf(1))},
		{nan}, {1, nan, T(math.Inf(-1))}, slices.Repeat([]T{3, -2, 7}, 30), slices.Repeat([]T{1, nan}, 20),
	} {
		for _, start := range []T{0, negative, 100, -100, nan} {
			low, high := start, start
			for _, v := range in {
				low, high = min(low, v), max(high, v)
			}
			for _, cfg := range grids {
				out := suitetest.OnDevice(t, dev, []T{start, start, 0, 0})
				suitetest.Must(t, k.Launch(dev.Stream(), cfg, suitetest.OnDevice(t, dev, in), out))
				got, n := suitetest.Read(t, dev, out), T(len(in))
				if !same(got[0], low) || !same(got[1], high) || got[2] != n || got[3] != -2*n {
					t.Errorf("%v from %v, %v: %v, want %v, %v, %v, %v", in, start, cfg, got, low, high, n, -2*n)
				}
				if bits := nanBits(got[0]); math.IsNaN(float64(low)) && !math.IsNaN(float64(start)) && bits != nanBits(T(math.Float64frombits(0x7ff8<<48))) {
					t.Errorf("%v from %v: the NaN %#x", in, start, bits)
				}
			}
		}
	}
}

// TestSmallSums adds pairs of numbers. Many, or their sums, are subnormal: float32 ones count as
// zeros in global memory.
func TestSmallSums(t *testing.T) {
	t.Parallel()
	t.Run("float32", func(t *testing.T) {
		t.Parallel()
		smallSums(t, []float32{0, 0x1p-149, 0x1p-127, 0x1.fffffcp-127, 0x1p-126, 0x1.8p-126, 0x1p-125, 1, float32(math.Inf(1))},
			func(x float32) float32 {
				if x > -0x1p-126 && x < 0x1p-126 {
					return float32(math.Copysign(0, float64(x)))
				}
				return x
			})
	})
	t.Run("float64", func(t *testing.T) {
		t.Parallel()
		smallSums(t, []float64{0, 0x1p-1074, 0x1p-1023, 0x1p-1022, 0x1.8p-1022, 1}, func(x float64) float64 { return x })
	})
}

func smallSums[T SmallSumsT](t *testing.T, values []T, inGlobal func(T) T) {
	dev := gputest.Device(t)
	k := load[*SmallSumsKernel[T]](t)(LoadSmallSums[T](dev))
	var in, addend, sums, global []T
	for _, x := range values {
		for _, y := range values {
			for i := range 4 { // each twice: in shared memory, and in global memory
				x, y := T(math.Copysign(float64(x), float64(1-i&2))), T(math.Copysign(float64(y), float64(i&1*2-1)))
				for range 2 {
					in, addend = append(in, x), append(addend, y)
					sums, global = append(sums, x+y), append(global, inGlobal(inGlobal(x)+inGlobal(y)))
				}
			}
		}
	}
	var out [5]gridstride.Buffer[T] // global, unused, shared, either, old
	for i := range out {
		out[i] = suitetest.OnDevice(t, dev, make([]T, len(in)))
	}
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(3), suitetest.OnDevice(t, dev, in), suitetest.OnDevice(t, dev, addend),
		out[0], out[1], out[2], out[3], out[4]))
	either := slices.Clone(global)
	for i := 0; i < len(either); i += 2 {
		either[i] = sums[i]
	}
	for i, want := range [][]T{global, global, sums, either, in} {
		what := []string{"global", "unused", "shared", "either", "old"}[i]
		for j, got := range suitetest.Read(t, dev, out[i]) {
			if !same(got, want[j]) {
				t.Errorf("%s: %g + %g: %g, want %g", what, in[j], addend[j], got, want[j])
			}
		}
	}
}

// same says whether two numbers have the same bits, or are both NaN.
func same[T FloatsT](x, y T) bool {
	return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) || x != x && y != y
}

// nanBits are the bits of a NaN.
func nanBits[T FloatsT](x T) uint64 {
	if f, ok := any(x).(float32); ok {
		return uint64(math.Float32bits(f))
	}
	return math.Float64bits(float64(x))
}

// TestNeighbours looks that an atomic on a byte changes no other, and that no other changes it.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*NeighboursKernel](t)(LoadNeighbours(dev))
	for _, n := range []int{2, 6, 34, 66} {
		for _, cfg := range grids {
			a, b := suitetest.OnDevice(t, dev, make([]uint8, n)), suitetest.OnDevice(t, dev, make([]int16, n))
			suitetest.Must(t, k.Launch(dev.Stream(), cfg, a, b, suitetest.OnDevice(t, dev, make([]int32, n))))
			gotA, gotB := suitetest.Read(t, dev, a), suitetest.Read(t, dev, b)
			for i := range n {
				wantA, wantB := uint8(i), int16(-i)
				if i%2 == 0 {
					wantA, wantB = uint8((n/2)*(i+1)), int16(i)
				}
				if gotA[i] != wantA || gotB[i] != wantB {
					t.Fatalf("%d bytes, %v: [%d] %d and %d, want %d and %d", n, cfg, i, gotA[i], gotB[i], wantA, wantB)
				}
			}
		}
	}
}

func TestInShared(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*InSharedKernel](t)(LoadInShared(dev))
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 33, 1000} {
		in, want := make([]uint8, n), make([]uint32, 256)
		for i := range in {
			in[i] = uint8(r.ExpFloat64() * 2) // some bins wrap
			want[in[i]]++
		}
		out := suitetest.OnDevice(t, dev, make([]uint32, 256))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(2), suitetest.OnDevice(t, dev, in), out))
		if got := suitetest.Read(t, dev, out); !slices.Equal(got, want) {
			t.Errorf("%d bytes: %v, want %v", n, got, want)
		}
	}
}

// TestOrders hands plain data from block to block by acquire and release alone.
func TestOrders(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t, gputest.Pedantic())
	pass := load[*PassKernel](t)(LoadPass(dev))
	lock := load[*LockKernel](t)(LoadLock(dev))
	last := load[*LastKernel](t)(LoadLast(dev))
	s := dev.Stream()
	for _, n := range []int{0, 1, 33, 257} {
		data, want := make([]int32, n), make([]int32, n)
		for i := range want {
			want[i] = int32(3 * (n - 1 - i))
		}
		out := suitetest.OnDevice(t, dev, make([]int32, n))
		suitetest.Must(t, pass.Launch(s, gridstride.Grid(2).Block(64), suitetest.OnDevice(t, dev, data), suitetest.OnDevice(t, dev, []int32{0}), out))
		if got := suitetest.Read(t, dev, out); !slices.Equal(got, want) {
			t.Errorf("%d elements handed on: %v, want %v", n, got, want)
		}
	}
	for _, blocks := range []int{1, 2, 33} {
		sum := suitetest.OnDevice(t, dev, []int64{0, 0})
		suitetest.Must(t, lock.Launch(s, gridstride.Grid(blocks).Block(33), suitetest.OnDevice(t, dev, []uint16{0, 7}), sum))
		if got, want := suitetest.Read(t, dev, sum), []int64{int64(blocks * (blocks - 1) / 2), int64(blocks)}; !slices.Equal(got, want) {
			t.Errorf("%d blocks under a lock: %v, want %v", blocks, got, want)
		}
		in := slices.Repeat([]int32{2}, 100*blocks)
		total := suitetest.OnDevice(t, dev, []int32{0})
		suitetest.Must(t, last.Launch(s, gridstride.Grid(blocks), suitetest.OnDevice(t, dev, in), suitetest.OnDevice(t, dev, make([]int32, blocks)),
			suitetest.OnDevice(t, dev, []uint32{0}), total))
		if got := suitetest.Read(t, dev, total)[0]; got != int32(200*blocks) {
			t.Errorf("the last of %d blocks sums %d, want %d", blocks, got, 200*blocks)
		}
	}
}

// TestWide counts in 128 bits.
func TestWide(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k, err := LoadWide(dev)
	if errors.Is(err, gridstride.ErrTarget) {
		t.Skip(err)
	}
	suitetest.Must(t, err)
	for _, cfg := range grids {
		n := uint64(cfg.GridDim.X * cfg.BlockDim.X)
		a, seen := suitetest.OnDevice(t, dev, make([]gpu.Uint64x2, 2)), suitetest.OnDevice(t, dev, make([]uint64, 3))
		suitetest.Must(t, k.Launch(dev.Stream(), cfg, a, seen))
		got, sums := suitetest.Read(t, dev, a), suitetest.Read(t, dev, seen)
		want := gpu.Uint64x2{X: n}
		for i := range n {
			want.Y += 2 * i
		}
		if got[0] != want {
			t.Errorf("%v: counted %v, want %v", cfg, got[0], want)
		}
		// Every value but the last has been got by somebody, with both of its halves.
		if all := n * (n + 1) / 2; sums[0]+got[1].X != all || sums[1]+got[1].Y != all<<32 || got[1].Y != got[1].X<<32 {
			t.Errorf("%v: exchanged %v, got %v", cfg, got[1], sums)
		}
		if sums[2] != uint64(cfg.GridDim.X) {
			t.Errorf("%v: %d threads were first in their blocks", cfg, sums[2])
		}
	}
}

// TestHalves has one thread use every atomic on numbers of 16 bits, and pairs of them, on targets
// with and without the instructions of PTX.
func TestHalves(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"sm_70", "sm_90a"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			dev := unchecked(t, gridstride.Use("sim"), gridstride.SimTarget(target))
			halves(t, dev, gpu.Float16FromBits)
			halves(t, dev, gpu.BFloat16FromBits)
			halves(t, dev, func(bits uint16) gpu.Float16x2 {
				return gpu.Float16x2{X: gpu.Float16FromBits(bits), Y: gpu.Float16FromBits(bits*31 + 7)}
			})
			halves(t, dev, func(bits uint16) gpu.BFloat16x2 {
				return gpu.BFloat16x2{X: gpu.BFloat16FromBits(bits), Y: gpu.BFloat16FromBits(bits*31 + 7)}
			})
		})
	}
}

// computed is the methods that the atomics compute as.
type computed[T any] interface {
	HalvesT
	Add(y T) T
	Sub(y T) T
	Min(y T) T
	Max(y T) T
}

// halves has one thread work on numbers of any bits, whose results the host knows.
func halves[T computed[T]](t *testing.T, dev *gridstride.Device, fromBits func(bits uint16) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 301
	in, out := make([]T, 1500), make([]T, halfAtomics*n)
	want, wantOld := slices.Clone(out), make([][halfAtomics]T, len(in))
	for i := range in {
		in[i] = fromBits(uint16(r.Uint32()))
		if i%7 == 0 {
			in[i] = fromBits(uint16(i) & 0x83ff) // some small ones
		}
		v := in[i]
		for k := range halfAtomics {
			at, found := &want[k*n+i%n], &wantOld[i][k]
			if *found = *at; k == 6 {
				*found = v
			}
			switch {
			case k == 0:
				*at = (*at).Add(v)
			case k == 1:
				*at = (*at).Sub(v)
			case k == 2:
				*at = (*at).Min(v)
			case k == 3:
				*at = (*at).Max(v)
			case k != 5 || *at == in[i/2]:
				*at = v
			}
		}
	}
	k := load[*HalvesKernel[T]](t)(LoadHalves[T](dev))
	result, old := suitetest.OnDevice(t, dev, out), suitetest.OnDevice(t, dev, make([][halfAtomics]T, len(in)))
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(1), suitetest.OnDevice(t, dev, in), result, old))
	if got := suitetest.Read(t, dev, result); !slices.Equal(got, want) {
		t.Errorf("results of %T differ", want)
	}
	if got := suitetest.Read(t, dev, old); !slices.Equal(got, wantOld) {
		t.Errorf("old values of %T differ", want)
	}
}

// TestHalvesTogether has all threads change the same numbers of 16 bits, under the checks.
func TestHalvesTogether(t *testing.T) {
	t.Parallel()
	t.Run("Float16", func(t *testing.T) { halvesTogether(t, gpu.Float16Of[int]) })
	t.Run("BFloat16", func(t *testing.T) { halvesTogether(t, gpu.BFloat16Of[int]) })
}

func halvesTogether[T HalvesInSharedT](t *testing.T, of func(int) T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*HalvesInSharedKernel[T]](t)(LoadHalvesInShared[T](dev))
	for _, n := range []int{0, 1, 33, 200} {
		for _, blocks := range []int{1, 3} {
			in := slices.Repeat([]T{of(1)}, n)
			if n > 1 {
				in[n/2] = of(-2)
			}
			sum := suitetest.OnDevice(t, dev, make([]T, 2))
			suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(blocks), suitetest.OnDevice(t, dev, in), sum))
			want := []T{of(n), of(min(n, 1))}
			if n > 1 {
				want[0] = of(n - 3)
			}
			if got := suitetest.Read(t, dev, sum); !slices.Equal(got, want) {
				t.Errorf("%d numbers, %d blocks: %v, want %v", n, blocks, got, want)
			}
		}
	}
}
