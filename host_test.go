package gridstride_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestHostFunc calls functions of the host between copies and kernels of a stream: each finds the
// work queued before it done, and the work queued after it not begun.
func TestHostFunc(t *testing.T) {
	dev := open(t)
	s, scale := dev.NewStream(), kernel(t, dev, "scale")
	b := copyOf(t, dev, []float32{1})
	p, err := gridstride.MakePinned[float32](dev, 1)
	must(t, err)
	var got []float32
	for range 3 {
		must(t, scale.Launch(s, gridstride.Grid(1).Block(32), b, float32(2)))
		must(t, b.ReadAsync(s, p))
		must(t, s.LaunchHostFunc(func() {
			got = append(got, p.Data()[0])
			p.Data()[0]++
		}))
		must(t, b.WriteAsync(s, p))
	}
	must(t, s.Wait(t.Context()))
	if want := []float32{2, 6, 14}; !slices.Equal(got, want) {
		t.Errorf("the functions saw %v, want %v", got, want)
	}
	if last := read(t, s, b); last[0] != 15 {
		t.Errorf("the last write is %v, want 15", last)
	}
	must(t, p.Free())
	s.Close()
	err = s.LaunchHostFunc(func() { t.Error("called on a closed stream") })
	wantError(t, err, gridstride.ErrClosed, "launch of a host function: the stream is closed")
}

// TestManyHostFuncs calls more functions than a process may give to C, on concurrent streams.
func TestManyHostFuncs(t *testing.T) {
	dev := open(t)
	const streams, each = 4, 700
	var calls [streams]int
	for i := range streams {
		s := dev.NewStream()
		for n := range each {
			must(t, s.LaunchHostFunc(func() {
				if calls[i] == n {
					calls[i]++
				}
			}))
		}
	}
	must(t, dev.Wait(t.Context()))
	for i, n := range calls {
		if n != each {
			t.Errorf("stream %d called %d functions in their order, want %d", i, n, each)
		}
	}
}

// held is a stream that waits until release is called.
func held(t *testing.T, dev *gridstride.Device) (s *gridstride.Stream, release func()) {
	t.Helper()
	gate := make(chan struct{})
	s = dev.NewStream()
	must(t, s.LaunchHostFunc(func() { <-gate }))
	return s, func() { close(gate) }
}

// TestEventNotDone asks for an event that has not happened, and waits for one of another device
// that has not.
func TestEventNotDone(t *testing.T) {
	first, second := twoDevices(t)
	s, release := held(t, first)
	event := s.Record()
	other := second.NewStream()
	must(t, other.After(event))
	behind := other.Record()
	for _, e := range []*gridstride.Event{event, behind} {
		if done, err := e.Done(); done || err != nil {
			t.Errorf("before: %t, %v; want false", done, err)
		}
	}
	release()
	must(t, second.Wait(t.Context()))
	for _, e := range []*gridstride.Event{event, behind} {
		if done, err := e.Done(); !done || err != nil {
			t.Errorf("after: %t, %v; want true", done, err)
		}
	}
}

// TestCopyKeepsMemory frees the source of a copy that is queued on another device's stream, and
// makes other buffers in its place: the copy still finds what it was queued for.
func TestCopyKeepsMemory(t *testing.T) {
	first, second := twoDevices(t)
	const n = 1000
	src, err := gridstride.CopyOf(first, ramp(n))
	must(t, err)
	dst := copyOf(t, second, make([]float32, n))
	s, release := held(t, second)
	must(t, gridstride.Copy(s, dst, src))
	must(t, src.Free())
	for range 3 {
		copyOf(t, first, make([]float32, n))
	}
	release()
	if !slices.Equal(read(t, s, dst), ramp(n)) {
		t.Error("the memory of the source was given out before the copy had run")
	}
}

// TestFromDevicePtr uses memory of one buffer through another, which does not own it.
func TestFromDevicePtr(t *testing.T) {
	dev := open(t)
	s, usage := dev.Stream(), dev.Usage()
	for _, n := range sizes {
		owner := copyOf(t, dev, ramp(n))
		b, err := gridstride.FromDevicePtr[float32](dev, owner.DevicePtr(), n)
		must(t, err)
		if !slices.Equal(read(t, s, b), ramp(n)) {
			t.Errorf("%d elements read otherwise", n)
		}
		lo := n / 2
		if b.Overlaps(owner.Slice(lo, n)) != (lo < n) || owner.Slice(0, lo).Overlaps(b.Slice(lo, n)) {
			t.Errorf("%d elements: what overlaps is not seen, or what does not is", n)
		}
		must(t, kernel(t, dev, "scale").Launch(s, gridstride.Grid(1).Block(64), b.Slice(lo, n), float32(2)))
		must(t, b.Free())
		wantError(t, b.Free(), gridstride.ErrFreed, b.Free().Error())
		want := ramp(n)
		for i := lo; i < n; i++ {
			want[i] *= 2
		}
		if !slices.Equal(read(t, s, owner), want) {
			t.Errorf("%d elements: the owner does not see what was done", n)
		}
		must(t, owner.Free())
	}
	if dev.Usage() != usage {
		t.Errorf("usage %+v, want %+v", dev.Usage(), usage)
	}
	_, err := gridstride.FromDevicePtr[float32](dev, 0, 1)
	wantError(t, err, gridstride.ErrRange, "from device pointer: 1 elements at address 0")
	_, err = gridstride.FromDevicePtr[float32](dev, 256, -1)
	wantError(t, err, gridstride.ErrRange, "from device pointer: a buffer of -1 elements")
	_, err = gridstride.FromDevicePtr[string](dev, 256, 1)
	wantError(t, err, gridstride.ErrElement, err.Error())
}

// TestOccupancy asks for grids, and runs a kernel on them.
func TestOccupancy(t *testing.T) {
	dev := open(t)
	s, scale := dev.Stream(), kernel(t, dev, "scale")
	blocks, threads, err := scale.MaxPotentialBlockSize(0)
	must(t, err)
	active, err := scale.MaxActiveBlocks(threads, 0)
	must(t, err)
	if threads < 32 || threads > scale.MaxThreads() || active < 1 || blocks != active*dev.Info().Multiprocessors {
		t.Errorf("blocks of %d threads, %d at a time, %d on a multiprocessor", threads, blocks, active)
	}
	for _, n := range append(sizes, threads, threads+1, 100_000) {
		cfg, err := scale.GridFor(n)
		must(t, err)
		if cfg.BlockDim != (gridstride.Dim3{X: threads, Y: 1, Z: 1}) || (cfg.GridDim.X-1)*threads >= max(n, 1) || cfg.GridDim.X*threads < n {
			t.Errorf("for %d elements: %v", n, cfg)
		}
		b := copyOf(t, dev, ramp(n))
		must(t, scale.Launch(s, cfg, b, float32(1)))
		must(t, b.Free())
	}
	must(t, s.Wait(t.Context()))

	if _, threads, err := kernel(t, dev, "fixed").MaxPotentialBlockSize(0); threads != 64 || err != nil {
		t.Errorf("a kernel for blocks of 64: %d, %v", threads, err)
	}
	if _, threads, err := kernel(t, dev, "most").MaxPotentialBlockSize(0); threads > 128 || threads < 1 || err != nil {
		t.Errorf("a kernel for blocks of at most 128: %d, %v", threads, err)
	}
	most := dev.Info().MaxShared
	if n, err := scale.MaxActiveBlocks(32, most); n != 1 || err != nil {
		t.Errorf("with all shared memory: %d blocks, %v", n, err)
	}
	if n, err := scale.MaxActiveBlocks(32, -1); n != 0 || err != nil {
		t.Errorf("with less shared memory than none: %d blocks, %v", n, err)
	}
	if r, local := scale.Registers(), scale.LocalBytes(); (r > 0) != (dev.Info().Backend == "cuda") || local != 0 {
		t.Errorf("%d registers, %d bytes of local memory", r, local)
	}
	_, err = scale.GridFor(-1)
	wantError(t, err, gridstride.ErrRange, "grid of scale: for -1 elements")
	_, _, err = scale.MaxPotentialBlockSize(most + 1)
	wantError(t, err, gridstride.ErrLimit, fmt.Sprintf("occupancy of scale: no block can run with %d bytes of dynamic shared memory", most+1))
	closed, err := gridstride.Open()
	must(t, err)
	k := kernel(t, closed, "scale")
	must(t, closed.Close())
	if _, err := k.GridFor(1); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("on a closed device: %v", err)
	}
}
