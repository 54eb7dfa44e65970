package gridstride_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gridstride/gridstride"
)

// copySizes are lengths in bytes about those at which copies change their way.
var copySizes = []int{0, 1, 31, 4096, 64<<10 - 1, 64<<10 + 1, 256<<10 - 3, 256<<10 + 3, 2<<20 - 1, 2<<20 + 1, 11<<20 + 7}

func random(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = r.Read(b)
	return b
}

// TestCopySizes copies there and back, from ordinary and from pinned memory.
func TestCopySizes(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, n := range copySizes {
		want := random(n)
		b, err := gridstride.Make[byte](dev, n)
		must(t, err)
		p, err := gridstride.MakePinned[byte](dev, n)
		must(t, err)
		if p.Len() != n || len(p.Data()) != n {
			t.Fatalf("MakePinned(%d) has %d elements", n, p.Len())
		}
		check := func(way string, got []byte) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%d bytes %s come back different", n, way)
			}
		}
		must(t, b.Write(t.Context(), s, want))
		check("of ordinary memory", read(t, s, b))
		must(t, b.Zero(s))
		copy(p.Data(), want)
		must(t, b.WriteAsync(s, p))
		must(t, s.Wait(t.Context()))
		clear(p.Data())
		must(t, b.ReadAsync(s, p))
		must(t, s.Wait(t.Context()))
		check("of pinned memory, queued", p.Data())
		must(t, b.Zero(s))
		must(t, b.Write(t.Context(), s, p.Data()))
		got, err := b.Read(context.Background(), s, p.Data())
		must(t, err)
		check("of pinned memory, waited for", got)
		got, err = b.Read(t.Context(), s, p.Data())
		must(t, err)
		check("of pinned memory, waited for with a context", got)
		must(t, p.Free())
		must(t, b.Free())
		check("in freed pinned memory", p.Data())
	}
}

// TestCopiesBesideEachOther copies on many streams at once, and on one from many goroutines.
func TestCopiesBesideEachOther(t *testing.T) {
	dev := open(t)
	shared := dev.Stream()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := shared
			if i%2 == 0 {
				s = dev.NewStream()
				defer s.Close()
			}
			if err := thereAndBack(t.Context(), dev, s, random(3<<20+i)); err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func thereAndBack(ctx context.Context, dev *gridstride.Device, s *gridstride.Stream, want []byte) error {
	b, err := gridstride.Make[byte](dev, len(want))
	if err != nil {
		return err
	}
	for range 3 {
		if err := errors.Join(b.Zero(s), b.Write(ctx, s, want)); err != nil {
			return err
		}
		got, err := b.Read(ctx, s, nil)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return errors.New("the bytes come back different")
		}
	}
	return b.Free()
}

// TestSourceIsFree changes the source of a Write as soon as it returns.
func TestSourceIsFree(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, n := range copySizes {
		b, err := gridstride.Make[byte](dev, n)
		must(t, err)
		want := random(n)
		src := slices.Clone(want)
		must(t, b.Write(t.Context(), s, src))
		clear(src)
		if !slices.Equal(read(t, s, b), want) {
			t.Errorf("%d bytes: Write returned before the source was free", n)
		}
		must(t, b.Free())
	}
}

// TestEndedContext copies with a context that has ended.
func TestEndedContext(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	b := copyOf(t, dev, random(5<<20))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Read(ended, s, nil); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if err := b.Write(ended, s, make([]byte, 5<<20)); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	must(t, s.Wait(t.Context()))
}

func TestPinnedErrors(t *testing.T) {
	dev, other := open(t, gridstride.Use("sim")), open(t, gridstride.Use("sim"))
	s, b := dev.Stream(), copyOf(t, dev, ramp(10))
	p, err := gridstride.MakePinned[float32](dev, 10)
	must(t, err)
	far, err := gridstride.MakePinned[float32](other, 10)
	must(t, err)

	_, err = gridstride.MakePinned[float32](dev, -1)
	wantError(t, err, gridstride.ErrRange, "pin: a buffer of -1 elements of 4 bytes; want 0 to 35184372088832")
	_, err = gridstride.MakePinned[*int](dev, 1)
	wantError(t, err, gridstride.ErrElement, "element type *int: a device holds integers, floats, complex numbers, bools, and structs and arrays of them")
	wantError(t, b.WriteAsync(s, p.Slice(2, 5)), gridstride.ErrRange, "write: 3 pinned elements for a buffer of 10; Slice gives a view of a part")
	wantError(t, b.ReadAsync(s, far), gridstride.ErrWrongDevice, "read: the pinned memory is for device 1, the stream on device 0")
	must(t, b.Slice(2, 5).WriteAsync(s, p.Slice(2, 5)))
	must(t, s.Wait(t.Context()))
	must(t, p.Free())
	for name, err := range map[string]error{"write": b.WriteAsync(s, p), "free": p.Free()} {
		if !errors.Is(err, gridstride.ErrFreed) {
			t.Errorf("%s of freed pinned memory: %v", name, err)
		}
	}
	must(t, gridstride.Pinned[float32]{}.Free())
	must(t, b.Slice(3, 3).ReadAsync(s, gridstride.Pinned[float32]{}))
}

// TestPinnedOutlivesDevice uses pinned memory when its device is closed.
func TestPinnedOutlivesDevice(t *testing.T) {
	dev, err := gridstride.Open()
	must(t, err)
	p, err := gridstride.MakePinned[int](dev, 1000)
	must(t, err)
	must(t, dev.Close())
	p.Data()[999] = 7
	must(t, p.Free())
	if p.Data()[999] != 7 {
		t.Error("pinned memory changed")
	}
	_, err = gridstride.MakePinned[int](dev, 1)
	wantError(t, err, gridstride.ErrClosed, fmt.Sprintf("pin: %v is closed", dev))
}

// TestFreePinnedWhileQueued frees pinned memory that a queued copy still uses.
func TestFreePinnedWhileQueued(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	want := random(1 << 20)
	b := copyOf(t, dev, make([]byte, 1<<20))
	for range 5 {
		p, err := gridstride.MakePinned[byte](dev, 1<<20)
		must(t, err)
		copy(p.Data(), want)
		must(t, b.Zero(s))
		must(t, b.WriteAsync(s, p))
		must(t, p.Free())
		if !slices.Equal(read(t, s, b), want) {
			t.Fatal("a copy did not outlive the freeing of its pinned memory")
		}
	}
}
