package gridstride_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

// TestStreamOrder queues many dependent launches and copies and looks at the result only.
func TestStreamOrder(t *testing.T) {
	dev := open(t)
	s, k := dev.Stream(), kernel(t, dev, "scale")
	b := copyOf(t, dev, ramp(100))
	for range 10 {
		must(t, k.Launch(s, gridstride.Grid(2).Block(32), b, float32(2)))
	}
	must(t, b.Slice(0, 50).Zero(s))
	for range 50 {
		must(t, k.Launch(s, gridstride.Grid(2).Block(32), b.Slice(50, 100), float32(0.5)))
		must(t, k.Launch(s, gridstride.Grid(2).Block(32), b.Slice(50, 100), float32(2)))
	}
	want := make([]float32, 50)
	for _, x := range ramp(100)[50:] {
		want = append(want, 1024*x)
	}
	if got := read(t, s, b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestOwnStream launches and reads on the device's own stream, asked for each time and by many
// goroutines: the read follows the kernel. Close does not end it.
func TestOwnStream(t *testing.T) {
	dev := open(t)
	own := make([]*gridstride.Stream, 8)
	var wg sync.WaitGroup
	for i := range own {
		wg.Go(func() { own[i] = dev.Stream() })
	}
	wg.Wait()
	for _, s := range own {
		if s != dev.Stream() {
			t.Fatal("the device has two streams of its own")
		}
		s.Close()
	}
	if dev.NewStream() == dev.Stream() {
		t.Error("NewStream made no stream")
	}
	k := kernel(t, dev, "scale")
	b := copyOf(t, dev, ramp(10_000))
	for range 5 {
		must(t, k.Launch(dev.Stream(), gridstride.Grid(3).Block(64), b, float32(2)))
	}
	for i, got := range read(t, dev.Stream(), b) {
		if want := float32(i * 32); got != want {
			t.Fatalf("element %d is %v, want %v", i, got, want)
		}
	}
}

func TestEvents(t *testing.T) {
	dev := open(t)
	s, k := dev.Stream(), kernel(t, dev, "scale")
	b := copyOf(t, dev, ramp(100_000))
	start := s.Record()
	must(t, k.Launch(s, gridstride.Grid(8).Block(128), b, float32(2)))
	end := s.Record()
	elapsed, err := end.Since(t.Context(), start)
	must(t, err)
	if elapsed <= 0 {
		t.Errorf("a kernel took %v", elapsed)
	}
	if back, err := start.Since(t.Context(), end); err != nil || back != -elapsed {
		t.Errorf("start since end is %v, %v; want %v", back, err, -elapsed)
	}
	_, err = end.Since(t.Context(), open(t).Stream().Record())
	wantError(t, err, gridstride.ErrWrongDevice, "since: the events are of device 1 and device 0")
}

// TestAfter orders two streams in a chain of events.
func TestAfter(t *testing.T) {
	dev := open(t)
	k := kernel(t, dev, "scale")
	s := [2]*gridstride.Stream{dev.NewStream(), dev.NewStream()}
	b := copyOf(t, dev, ramp(33))
	for i := range 20 {
		at, next := s[i%2], s[(i+1)%2]
		must(t, k.Launch(at, gridstride.Grid(1).Block(64), b, float32(2)))
		must(t, next.After(at.Record()))
	}
	got := read(t, s[0], b)
	for i := range got {
		if want := float32(i << 20); got[i] != want {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestNeverEnds launches a kernel that never ends: the wait's context ends the wait, other streams
// go on, a buffer freed meanwhile is given back later, and Close ends the kernel and the waits.
func TestNeverEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	dev, err := gridstride.Open(gridstride.Use("sim"))
	must(t, err)
	hung, s := dev.NewStream(), dev.NewStream()
	b, err := gridstride.CopyOf(dev, ramp(33))
	must(t, err)
	must(t, kernel(t, dev, "forever").Launch(hung, gridstride.Grid(1).Block(32)))

	if err := hung.Wait(soon(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait for a kernel that never ends: %v", err)
	}
	dst := []float32{1, 2, 3}
	if _, err := b.Slice(0, 3).Read(soon(t), hung, dst); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("read behind a kernel that never ends: %v", err)
	}
	if err := b.Write(soon(t), hung, make([]float32, 33)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("write behind a kernel that never ends: %v", err)
	}
	if got := read(t, s, b); !slices.Equal(got, ramp(33)) || !slices.Equal(dst, []float32{1, 2, 3}) {
		t.Errorf("abandoned copies took place: %v, %v", got, dst)
	}
	must(t, kernel(t, dev, "scale").Launch(s, gridstride.Grid(1).Block(32), b, float32(2)))
	must(t, s.Wait(t.Context()))
	must(t, b.Free())

	waits := make(chan error, 2)
	go func() { waits <- hung.Wait(context.Background()) }()
	go func() { waits <- s.After(hung.Record()); waits <- s.Wait(context.Background()) }()
	must(t, <-waits) // After
	time.Sleep(5 * time.Millisecond)
	must(t, dev.Close())
	for range 2 {
		wantClosed(t, <-waits)
	}
	noGoroutinesLeft(t, before)
}

// wantClosed checks the error of a wait that ended because the device was closed.
func wantClosed(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("wait on a device that is closed: %v", err)
	}
}

// noGoroutinesLeft checks that there are no more goroutines than before.
func noGoroutinesLeft(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

// TestFreeWhileQueued frees a buffer that queued work still uses: the work is unharmed, the memory
// comes back.
func TestFreeWhileQueued(t *testing.T) {
	dev := open(t, gridstride.Use("sim"), gridstride.SimMemory(1<<20))
	s, k := dev.Stream(), kernel(t, dev, "scale")
	for range 50 {
		b, err := gridstride.CopyOf(dev, ramp(1<<15))
		must(t, err)
		for range 3 {
			must(t, k.Launch(s, gridstride.Grid(8).Block(128), b, float32(2)))
		}
		must(t, b.Free())
		must(t, s.Wait(t.Context()))
	}
}

// TestIdleStreamsKeepNoGoroutine looks at streams whose work is done.
func TestIdleStreamsKeepNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	dev := open(t)
	k := kernel(t, dev, "nothing")
	for range 20 {
		s := dev.NewStream()
		must(t, k.Launch(s, gridstride.Grid(1).Block(1)))
		must(t, s.Wait(t.Context()))
		s.Close()
		s.Close()
	}
	noGoroutinesLeft(t, before)
}

// TestConcurrent uses two devices from many goroutines, with their own streams and with a shared
// one.
func TestConcurrent(t *testing.T) {
	devs := []*gridstride.Device{open(t), open(t)}
	shared := []*gridstride.Stream{devs[0].Stream(), devs[1].Stream()}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			dev := devs[i%2]
			s := shared[i%2]
			if i >= 8 {
				s = dev.NewStream()
				defer s.Close()
			}
			if err := work(t.Context(), dev, s, 33+i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// work makes, scales, reads and frees buffers of n elements.
func work(ctx context.Context, dev *gridstride.Device, s *gridstride.Stream, n int) error {
	m, err := dev.Load("kernels.ptx", kernels)
	if err != nil {
		return err
	}
	defer m.Close()
	k, err := m.Kernel("scale")
	if err != nil {
		return err
	}
	for range 20 {
		b, err := gridstride.CopyOf(dev, ramp(n))
		if err != nil {
			return err
		}
		if err := k.Launch(s, gridstride.Grid(2).Block(32), b, float32(2)); err != nil {
			return err
		}
		got, err := b.Read(ctx, s, nil)
		if err != nil {
			return err
		}
		for i := range got {
			if got[i] != float32(2*i) {
				return errors.New("wrong result")
			}
		}
		if err := b.Free(); err != nil {
			return err
		}
	}
	return nil
}

// TestFreeRacesLaunch frees buffers while others launch on them: each launch works, or is refused
// with ErrFreed.
func TestFreeRacesLaunch(t *testing.T) {
	dev := open(t)
	k := kernel(t, dev, "scale")
	for range 50 {
		b, err := gridstride.CopyOf(dev, ramp(100))
		must(t, err)
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				s := dev.NewStream()
				defer s.Close()
				err := k.Launch(s, gridstride.Grid(1).Block(32), b.Slice(33*i, 33*i+33), float32(2))
				if err != nil && !errors.Is(err, gridstride.ErrFreed) {
					t.Error(err)
				}
				if err := s.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := b.Free(); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}
