package threads

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

func TestShuffles(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*ShufflesKernel](t)(LoadShuffles(dev))
	const n = 128
	r := rand.New(rand.NewPCG(5, 6))
	in := make([]Mixed, n)
	for i := range in {
		x := r.Uint64()
		in[i] = Mixed{x&1 != 0, int8(x >> 8), uint16(x >> 16), int64(r.Uint64()), [3]int16{int16(x >> 1), int16(x >> 2), int16(x >> 3)},
			x&2 != 0, float32(r.NormFloat64()), uint8(x >> 40)}
	}
	out := suitetest.OnDevice(t, dev, make([]Mixed, 4*n))
	small, flags := suitetest.OnDevice(t, dev, make([]int8, n)), suitetest.OnDevice(t, dev, make([]bool, n))
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(2).Block(64), suitetest.OnDevice(t, dev, in), out, small, flags))
	got, gotSmall, gotFlags := suitetest.Read(t, dev, out), suitetest.Read(t, dev, small), suitetest.Read(t, dev, flags)
	for i := range n {
		warp := in[i&^31:][:32]
		lane := i % 32
		from := func(lane int) Mixed {
			if lane < 0 || lane > 31 {
				return in[i]
			}
			return warp[lane]
		}
		for j, want := range []Mixed{warp[5], from(lane - 3), from(lane + 7), from(lane ^ 9)} {
			if got[4*i+j] != want {
				t.Errorf("shuffle %d of thread %d: %+v, want %+v", j, i, got[4*i+j], want)
			}
		}
		if gotSmall[i] != warp[lane^1].Small || gotFlags[i] != from(lane+1).Flag {
			t.Errorf("thread %d: %d and %v, want %d and %v", i, gotSmall[i], gotFlags[i], warp[lane^1].Small, from(lane+1).Flag)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*MatchesKernel](t)(LoadMatches(dev))
	r := rand.New(rand.NewPCG(7, 8))
	negative := float32(math.Copysign(0, -1))
	for _, mask := range []uint32{math.MaxUint32, 1, 0x80000001, 0x0f0f0f0f, 0} {
		for _, kinds := range []int{1, 2, 8} {
			keys, f := make([]Key, 32), make([]float32, 32)
			for i := range keys {
				x := r.IntN(kinds)
				keys[i] = Key{uint8(x & 1), int64(x>>1&1) << 40, x&4 != 0, true}
				f[i] = []float32{0, negative, 1, float32(math.NaN())}[x&3]
			}
			out, all := suitetest.OnDevice(t, dev, make([]uint32, 128)), suitetest.OnDevice(t, dev, make([]bool, 128))
			suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1), suitetest.OnDevice(t, dev, keys), suitetest.OnDevice(t, dev, f), out, all, mask))
			got, gotAll := suitetest.Read(t, dev, out), suitetest.Read(t, dev, all)
			for i := range keys {
				want, wantAll := [4]uint32{}, [4]bool{true, true, true, true}
				for j := range keys {
					bit := func(k int, same bool) {
						if same {
							want[k] |= 1 << j
						}
					}
					bit(0, keys[i] == keys[j])
					bit(1, math.Float32bits(f[i]) == math.Float32bits(f[j]))
					wantAll[0], wantAll[1] = wantAll[0] && keys[i] == keys[j], wantAll[1] && keys[i].B == keys[j].B
					if mask>>j&1 != 0 {
						bit(2, keys[i].A == keys[j].A)
						wantAll[2] = wantAll[2] && keys[i].C == keys[j].C
					}
				}
				if mask>>i&1 == 0 {
					want[2], wantAll[2], wantAll[3] = 0, false, false
				}
				if [4]uint32(got[4*i:]) != want || [4]bool(gotAll[4*i:]) != wantAll {
					t.Errorf("lane %d, mask %#x: %x %v, want %x %v", i, mask, got[4*i:4*i+4], gotAll[4*i:4*i+4], want, wantAll)
				}
			}
		}
	}
}

func TestReductions(t *testing.T) {
	t.Parallel()
	t.Run("int8", reduced[int8])
	t.Run("uint16", reduced[uint16])
	t.Run("int32", reduced[int32])
	t.Run("uint32", reduced[uint32])
	t.Run("int64", reduced[int64])
	t.Run("uint64", reduced[uint64])
}

// reduced compares the reductions with the host's, of both targets.
func reduced[T ReductionsT](t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	type launcher interface {
		Launch(*gridstride.Stream, gridstride.Config, gridstride.Buffer[T], gridstride.Buffer[T], uint32) error
	}
	kernels := []launcher{load[*ReductionsKernel[T]](t)(LoadReductions[T](dev))}
	if k, err := LoadReductionsRedux[T](dev); !errors.Is(err, gridstride.ErrTarget) {
		kernels = append(kernels, load[*ReductionsReduxKernel[T]](t)(k, err))
	}
	r := rand.New(rand.NewPCG(9, 10))
	for i, k := range kernels {
		for _, threads := range []int{1, 31, 32, 40} {
			for _, mask := range []uint32{math.MaxUint32, 0x55555555, 1, 1<<31 | 3} {
				in := make([]T, threads)
				for i := range in {
					in[i] = T(r.Uint64())
				}
				out := suitetest.OnDevice(t, dev, make([]T, 6*threads))
				suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(threads), suitetest.OnDevice(t, dev, in), out, mask))
				if got, want := suitetest.Read(t, dev, out), reductionsOf(in, mask); !slices.Equal(got, want) {
					t.Errorf("kernel %d, %d threads, mask %#x: %v, want %v", i, threads, mask, got, want)
				}
			}
		}
	}
}

// reductionsOf is the output of Reductions.
func reductionsOf[T ReductionsT](in []T, mask uint32) []T {
	out := make([]T, 6*len(in))
	for from := 0; from < len(in); from += 32 {
		warp := in[from:min(from+32, len(in))]
		here := mask & (1<<len(warp) - 1)
		if here == 0 {
			continue
		}
		first := warp[bits.TrailingZeros32(here)]
		all := []T{0, first, first, first, 0, 0}
		for i, v := range warp {
			if here>>i&1 != 0 {
				all = []T{all[0] + v, min(all[1], v), max(all[2], v), all[3] & v, all[4] | v, all[5] ^ v}
			}
		}
		for i := range warp {
			if here>>i&1 != 0 {
				copy(out[6*(from+i):], all)
			}
		}
	}
	return out
}

func TestVotes(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*VotesKernel](t)(LoadVotes(dev))
	const rounds = 5
	for _, threads := range []int{1, 33, 100} {
		in := make([]int32, threads)
		for i := range in {
			in[i] = int32(i * 7 % 4)
		}
		counts := suitetest.OnDevice(t, dev, make([]int32, rounds))
		all, some := suitetest.OnDevice(t, dev, make([]bool, rounds)), suitetest.OnDevice(t, dev, make([]bool, rounds))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(threads), suitetest.OnDevice(t, dev, in), counts, all, some))
		gotCounts, gotAll, gotSome := suitetest.Read(t, dev, counts), suitetest.Read(t, dev, all), suitetest.Read(t, dev, some)
		for round := range int32(rounds) {
			n, any := int32(0), false
			for _, v := range in {
				if v <= round {
					n++
				}
				any = any || v == round
			}
			if gotCounts[round] != n || gotAll[round] != (int(n) == threads) || gotSome[round] != any {
				t.Errorf("%d threads, round %d: %d %v %v, want %d %v %v", threads, round,
					gotCounts[round], gotAll[round], gotSome[round], n, int(n) == threads, any)
			}
		}
	}
}

func TestNamedBarriers(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	pipeline := load[*PipelineKernel](t)(LoadPipeline(dev))
	for _, rounds := range []int{0, 1, 2, 3, 10} {
		out := suitetest.OnDevice(t, dev, make([]int32, 64))
		suitetest.Must(t, pipeline.Launch(dev.Stream(), gridstride.Grid(1), out, rounds))
		for i, got := range suitetest.Read(t, dev, out) {
			if want := int32(rounds*(rounds-1)/2*100 + rounds*(31-i%32)); got != want {
				t.Errorf("%d rounds: out[%d] is %d, want %d", rounds, i, got, want)
			}
		}
	}
	halves := load[*HalfBlocksKernel](t)(LoadHalfBlocks(dev))
	for _, warps := range []int{1, 2, 4} {
		n := 2 * warps * 32
		in := make([]int32, n)
		for i := range in {
			in[i] = int32(i)
		}
		out := suitetest.OnDevice(t, dev, make([]int32, n))
		suitetest.Must(t, halves.Launch(dev.Stream(), gridstride.Grid(1).Block(n), suitetest.OnDevice(t, dev, in), out, warps))
		for i, got := range suitetest.Read(t, dev, out) {
			if half := n / 2; got != int32(i/half*half+half-1-i%half) {
				t.Errorf("groups of %d warps: out[%d] is %d", warps, i, got)
			}
		}
	}
}

// TestBarrierNumbers asks for barriers that there are not, and for parts of warps.
func TestBarrierNumbers(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*AnyBarrierKernel](t)(LoadAnyBarrier(dev))
	gputest.Expect(t, gputest.Finding{Kind: "failed-check"})
	for _, c := range []struct {
		id, threads int
		want        string
	}{
		{1, 32, ""},
		{15, 32, ""},
		{0, 32, "assertion failed: gpu.SyncBarrier: there is no such barrier"},
		{16, 32, "assertion failed: gpu.SyncBarrier: there is no such barrier"},
		{-1, 32, "assertion failed: gpu.SyncBarrier: there is no such barrier"},
		{1, 31, "assertion failed: gpu.SyncBarrier: whole warps meet at a barrier, and no other number of threads"},
		{1, 0, "assertion failed: gpu.SyncBarrier: whole warps meet at a barrier, and no other number of threads"},
		{1, 1056, "assertion failed: gpu.SyncBarrier: whole warps meet at a barrier, and no other number of threads"},
	} {
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1), c.id, c.threads))
		message := ""
		var failed *gridstride.KernelError
		if err := dev.Stream().Wait(t.Context()); errors.As(err, &failed) {
			message = failed.Message
		}
		if message != c.want {
			t.Errorf("barrier %d for %d threads: %q, want %q", c.id, c.threads, message, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*TimesKernel](t)(LoadTimes(dev))
	out := suitetest.OnDevice(t, dev, make([]int64, 5))
	suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(1).Block(1), out))
	if got := suitetest.Read(t, dev, out); got[1] <= got[0] || got[3] < got[2] || got[4] != 4950 {
		t.Errorf("the clocks went from %d to %d and from %d to %d; sum %d", got[0], got[1], got[2], got[3], got[4])
	}
}
