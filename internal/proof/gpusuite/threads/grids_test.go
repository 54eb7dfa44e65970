package threads

import (
	"errors"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gputest"
	"github.com/gridstride/gridstride/internal/proof/gpusuite/suitetest"
)

// TestSpread compares with the host, for grids smaller and larger than the data.
func TestSpread(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*SpreadKernel](t)(LoadSpread(dev))
	for _, n := range []int{1, 31, 33, 700} {
		for _, cfg := range []gridstride.Config{gridstride.Grid(1).Block(1), gridstride.Grid(3).Block(33), gridstride.Grid(7).Block(128)} {
			const rounds = 5
			in := make([]int32, n)
			for i := range in {
				in[i] = int32(i * 7919 % 1000)
			}
			a, b := suitetest.OnDevice(t, dev, in), suitetest.OnDevice(t, dev, make([]int32, n))
			suitetest.Must(t, k.Launch(dev.Stream(), cfg, a, b, rounds))
			want := in
			for range rounds {
				next := make([]int32, n)
				for i := range next {
					next[i] = max(want[i], want[max(i-1, 0)], want[min(i+1, n-1)])
				}
				want = next
			}
			if got := suitetest.Read(t, dev, b); !slices.Equal(got, want) {
				t.Errorf("%d elements, %v: %v, want %v", n, cfg, got, want)
			}
		}
	}
}

// TestMeetings has grids of one to three dimensions meet, again and again on one stream.
func TestMeetings(t *testing.T) {
	t.Parallel()
	dev := gputest.Device(t)
	k := load[*MeetingsKernel](t)(LoadMeetings(dev))
	for _, cfg := range []gridstride.Config{
		gridstride.Grid(1).Block(1), gridstride.Grid(2).Block(31), gridstride.Grid(3, 2).Block(33), gridstride.Grid(2, 2, 3).Block(4, 5, 3),
		gridstride.Grid(33).Block(64),
	} {
		const rounds = 6
		count, wrong := suitetest.OnDevice(t, dev, make([]uint32, rounds)), suitetest.OnDevice(t, dev, make([]int32, 1))
		suitetest.Must(t, k.Launch(dev.Stream(), cfg, count, wrong, rounds))
		blocks := uint32(cfg.GridDim.X * cfg.GridDim.Y * cfg.GridDim.Z)
		if got := suitetest.Read(t, dev, count); !slices.Equal(got, slices.Repeat([]uint32{blocks}, rounds)) || suitetest.Read(t, dev, wrong)[0] != 0 {
			t.Errorf("%v: %v blocks came, and %d threads saw fewer", cfg, got, suitetest.Read(t, dev, wrong)[0])
		}
	}
}

// unchecked is a device for the test whose launches are not checked.
func unchecked(t *testing.T, options ...gridstride.Option) *gridstride.Device {
	dev, err := gridstride.Open(options...)
	suitetest.Must(t, err)
	t.Cleanup(func() { suitetest.Must(t, dev.Close()) })
	return dev
}

// TestWholeDevice fills the device with blocks that meet, and is refused one more.
func TestWholeDevice(t *testing.T) {
	t.Parallel()
	dev := unchecked(t)
	k := load[*MeetingsKernel](t)(LoadMeetings(dev))
	for _, threads := range []int{256, 1024} {
		blocks, err := k.MaxCooperativeBlocks(threads, 0)
		suitetest.Must(t, err)
		const rounds = 3
		count, wrong := suitetest.OnDevice(t, dev, make([]uint32, rounds)), suitetest.OnDevice(t, dev, make([]int32, 1))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(blocks).Block(threads), count, wrong, rounds))
		if got := suitetest.Read(t, dev, count); !slices.Equal(got, slices.Repeat([]uint32{uint32(blocks)}, rounds)) || suitetest.Read(t, dev, wrong)[0] != 0 {
			t.Errorf("%d blocks of %d: %v came, and %d threads saw fewer", blocks, threads, got, suitetest.Read(t, dev, wrong)[0])
		}
		for _, cfg := range []gridstride.Config{gridstride.Grid(blocks + 1), gridstride.Grid(1, blocks+1), gridstride.Grid(2, blocks), gridstride.Grid(1<<30, 1<<15, 1<<15)} {
			if err := k.Launch(dev.Stream(), cfg.Block(threads), count, wrong, 1); !errors.Is(err, gridstride.ErrLimit) {
				t.Errorf("%v, where %d blocks run at a time: %v", cfg, blocks, err)
			}
		}
	}
}

// TestMeetOrFail has one thread of a grid fail: the others do not wait for it, and the next launch
// is as if nothing had been.
func TestMeetOrFail(t *testing.T) {
	t.Parallel()
	meetOrFail(t, unchecked(t))
}

// TestMeetOrFailChecked is the same under the checks, which find why the thread failed and no more.
func TestMeetOrFailChecked(t *testing.T) {
	t.Parallel()
	gputest.Expect(t, gputest.Finding{Kind: "out-of-bounds"})
	meetOrFail(t, gputest.Device(t))
}

func meetOrFail(t *testing.T, dev *gridstride.Device) {
	k := load[*MeetOrFailKernel](t)(LoadMeetOrFail(dev))
	const threads, n = 70, 5 * 70
	for _, bad := range []int{0, 33, 2*threads + 1, n - 1} {
		a := suitetest.OnDevice(t, dev, make([]int32, n))
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(n/threads).Block(threads), a, bad))
		err := dev.Wait(t.Context())
		var failed *gridstride.KernelError
		if !errors.As(err, &failed) || failed.Block.X != bad/threads || failed.Thread.X != bad%threads {
			t.Errorf("thread %d: %v", bad, err)
		}
		if got := suitetest.Read(t, dev, a); slices.Max(got) != 0 {
			t.Errorf("thread %d failed, and the others went on behind the meeting: %v", bad, got)
		}
		suitetest.Must(t, k.Launch(dev.Stream(), gridstride.Grid(n/threads).Block(threads), a, -1))
		for i, x := range suitetest.Read(t, dev, a) {
			if int(x) != i {
				t.Errorf("after a failure, element %d is %d", i, x)
			}
		}
	}
}
