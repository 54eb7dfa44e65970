package gridstride_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

type point struct{ X, Y, Z float32 }

func TestBuffer(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			roundTrip(t, dev, s, make([]bool, n), func(i int) bool { return i%3 == 0 })
			roundTrip(t, dev, s, make([]int8, n), func(i int) int8 { return int8(-i) })
			roundTrip(t, dev, s, make([]uint16, n), func(i int) uint16 { return uint16(i) })
			roundTrip(t, dev, s, make([]float32, n), func(i int) float32 { return float32(i) / 3 })
			roundTrip(t, dev, s, make([]int, n), func(i int) int { return -i << 40 })
			roundTrip(t, dev, s, make([][2]float64, n), func(i int) [2]float64 { return [2]float64{float64(i), -1} })
			roundTrip(t, dev, s, make([]point, n), func(i int) point { return point{float32(i), 1, 2} })
			roundTrip(t, dev, s, make([][3]int32, n), func(i int) [3]int32 { return [3]int32{int32(i), 7, 8} })
		})
	}
	if u := dev.Usage(); u != (gridstride.Usage{}) {
		t.Errorf("after all buffers are freed the device holds %+v", u)
	}
}

// roundTrip writes and reads buffers and views of len(host) elements.
func roundTrip[T comparable](t *testing.T, dev *gridstride.Device, s *gridstride.Stream, host []T, value func(i int) T) {
	t.Helper()
	for i := range host {
		host[i] = value(i)
	}
	b, err := gridstride.CopyOf(dev, host)
	must(t, err)
	defer func() { must(t, b.Free()) }()
	if b.Len() != len(host) {
		t.Errorf("length %d, want %d", b.Len(), len(host))
	}
	if got := read(t, s, b); !slices.Equal(got, host) {
		t.Errorf("read %v, want %v", got, host)
	}
	lo, hi := len(host)/3, len(host)-len(host)/4
	if got := read(t, s, b.Slice(lo, hi).Slice(0, hi-lo)); !slices.Equal(got, host[lo:hi]) {
		t.Errorf("view [%d:%d] read %v, want %v", lo, hi, got, host[lo:hi])
	}
	must(t, b.Slice(lo, hi).Zero(s))
	clear(host[lo:hi])
	must(t, b.Slice(0, lo).Write(t.Context(), s, host[len(host)-lo:]))
	copy(host, host[len(host)-lo:])
	dst := make([]T, 0, len(host)+1)
	got, err := b.Read(t.Context(), s, dst)
	must(t, err)
	if !slices.Equal(got, host) {
		t.Errorf("after writes to views read %v, want %v", got, host)
	}
	if len(host) > 0 && &got[0] != &dst[:1][0] {
		t.Error("Read did not use the slice it was given")
	}
}

func TestMake(t *testing.T) {
	dev := open(t)
	for _, n := range sizes {
		b, err := gridstride.Make[float64](dev, n)
		must(t, err)
		if b.Len() != n || dev.Usage() != (gridstride.Usage{Buffers: 1, Bytes: int64(8 * n)}) {
			t.Errorf("Make(%d): length %d, usage %+v", n, b.Len(), dev.Usage())
		}
		must(t, b.Free())
	}
}

func TestZeroBuffer(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	var b gridstride.Buffer[float32]
	if got := read(t, s, b); len(got) != 0 || b.Len() != 0 {
		t.Errorf("the zero buffer reads as %v", got)
	}
	must(t, b.Slice(0, 0).Write(t.Context(), s, nil))
	must(t, b.Zero(s))
	must(t, b.Free())
	must(t, kernel(t, dev, "scale").Launch(s, gridstride.Grid(2).Block(32), b, float32(2)))
	must(t, s.Wait(t.Context()))
}

func TestCast(t *testing.T) {
	dev := open(t)
	b := copyOf(t, dev, ramp(12))
	points, err := gridstride.Cast[point](b.Slice(3, 9))
	must(t, err)
	if got, want := read(t, dev.Stream(), points), []point{{3, 4, 5}, {6, 7, 8}}; !slices.Equal(got, want) {
		t.Errorf("cast reads %v, want %v", got, want)
	}
	_, err = gridstride.Cast[point](b.Slice(0, 4))
	wantError(t, err, gridstride.ErrRange, "cast: 4 elements are 16 bytes, no multiple of the 12 bytes of a gridstride_test.point")
	_, err = gridstride.Cast[*int](b)
	wantError(t, err, gridstride.ErrElement, "element type *int: a device holds integers, floats, complex numbers, bools, and structs and arrays of them")
}

func TestElementTypes(t *testing.T) {
	dev := open(t)
	type nested struct {
		A int
		B [2]struct{ Name string }
	}
	const holds = "; a device holds integers, floats, complex numbers, bools, and structs and arrays of them"
	tests := []struct {
		make func() error
		want string
	}{
		{makes[chan int](dev), "element type chan int: a device holds integers, floats, complex numbers, bools, and structs and arrays of them"},
		{makes[[2]*int](dev), "element type [2]*int: its part [i] is a ptr (*int)" + holds},
		{makes[string](dev), "element type string: a device holds integers, floats, complex numbers, bools, and structs and arrays of them"},
		{makes[[]int](dev), "element type []int: a device holds integers, floats, complex numbers, bools, and structs and arrays of them"},
		{makes[any](dev), "element type interface {}: a device holds integers, floats, complex numbers, bools, and structs and arrays of them"},
		{makes[nested](dev), "element type gridstride_test.nested: its part .B[i].Name is a string (string)" + holds},
		{makes[[2]func()](dev), "element type [2]func(): its part [i] is a func (func())" + holds},
		{makes[struct{}](dev), "element type struct {} has no size"},
		{makes[[0]int](dev), "element type [0]int has no size"},
	}
	for _, tt := range tests {
		wantError(t, tt.make(), gridstride.ErrElement, tt.want)
	}
}

func makes[T any](dev *gridstride.Device) func() error {
	return func() error {
		_, err := gridstride.Make[T](dev, 1)
		return err
	}
}

func TestBufferErrors(t *testing.T) {
	dev, other := open(t, gridstride.Use("sim")), open(t, gridstride.Use("sim"))
	s, ctx := dev.Stream(), t.Context()
	b := copyOf(t, dev, ramp(10))

	_, err := gridstride.Make[int32](dev, -1)
	wantError(t, err, gridstride.ErrRange, "make: a buffer of -1 elements of 4 bytes; want 0 to 2305843009213693951")
	_, err = gridstride.Make[int32](dev, 1<<62)
	wantError(t, err, gridstride.ErrRange, "make: a buffer of 4611686018427387904 elements of 4 bytes; want 0 to 2305843009213693951")

	err = b.Write(ctx, s, ramp(9))
	wantError(t, err, gridstride.ErrRange, "write: 9 elements to a buffer of 10; Slice gives a view of a part")
	err = b.Write(ctx, other.Stream(), ramp(10))
	wantError(t, err, gridstride.ErrWrongDevice, "write: the buffer is on device 0, the stream on device 1")
}

func TestOverlaps(t *testing.T) {
	dev := open(t)
	b, err := gridstride.CopyOf(dev, ramp(10))
	must(t, err)
	other, err := gridstride.CopyOf(dev, ramp(10))
	must(t, err)
	for _, tt := range []struct {
		name string
		x, y gridstride.Buffer[float32]
		want bool
	}{
		{"a buffer and itself", b, b, true},
		{"a buffer and a view of it", b, b.Slice(9, 10), true},
		{"views with one element in common", b.Slice(0, 4), b.Slice(3, 9), true},
		{"views side by side", b.Slice(0, 4), b.Slice(4, 10), false},
		{"a view of no elements", b, b.Slice(4, 4), false},
		{"two buffers", b, other, false},
		{"zero Buffers", gridstride.Buffer[float32]{}, gridstride.Buffer[float32]{}, false},
	} {
		if got, turned := tt.x.Overlaps(tt.y), tt.y.Overlaps(tt.x); got != tt.want || turned != tt.want {
			t.Errorf("%s: %v, the other way round %v; want %v", tt.name, got, turned, tt.want)
		}
	}
	must(t, b.Free())
	must(t, other.Free())
}

func TestFreed(t *testing.T) {
	dev := open(t)
	s, ctx := dev.Stream(), t.Context()
	b, err := gridstride.CopyOf(dev, ramp(10))
	must(t, err)
	view := b.Slice(2, 4)
	must(t, b.Free())

	uses := map[string]error{
		"free: ":  b.Free(),
		"write: ": b.Write(ctx, s, ramp(10)),
		"zero: ":  view.Zero(s),
		"launch scale: argument 1 (a) cannot be used: ": kernel(t, dev, "scale").Launch(s, gridstride.Grid(1).Block(32), view, float32(1)),
	}
	_, uses["read: "] = view.Read(ctx, s, nil)
	for op, err := range uses {
		if err == nil {
			t.Errorf("%s no error", op)
			continue
		}
		file := "buffer_test.go:"
		if text := err.Error(); !strings.HasPrefix(text, op+"the buffer made at "+file) || !strings.Contains(text, " was freed at "+file) {
			t.Errorf("error %q", text)
		}
		wantError(t, err, gridstride.ErrFreed, err.Error())
	}
}

// TestCheck tests Check's error for each refused use of a buffer, and the place that a view begins
// at.
func TestCheck(t *testing.T) {
	dev, other := open(t), open(t)
	s := dev.NewStream()
	b, err := gridstride.CopyOf(dev, make([]float32, 33))
	must(t, err)
	far, err := gridstride.Make[float32](other, 1)
	must(t, err)
	if err := b.Slice(31, 33).Check(s); err != nil {
		t.Errorf("a view: %v", err)
	}
	if err := (gridstride.Buffer[float32]{}).Check(s); err != nil {
		t.Errorf("the zero Buffer: %v", err)
	}
	if err := far.Check(s); !errors.Is(err, gridstride.ErrWrongDevice) {
		t.Errorf("a buffer of another device: %v", err)
	}
	for from, want := range []int{16, 4, 8, 4, 16, 4} {
		for _, bytes := range []int{1, 4, 8, 16} {
			if got := b.Slice(from, 33).Aligned(bytes); got != (bytes <= want) {
				t.Errorf("the view from %d on is at a multiple of %d bytes: %v", from, bytes, got)
			}
		}
	}
	must(t, b.Free())
	if err := b.Check(s); !errors.Is(err, gridstride.ErrFreed) {
		t.Errorf("a freed buffer: %v", err)
	}
	s.Close()
	must(t, far.Free())
	if err := (gridstride.Buffer[float32]{}).Check(s); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("a closed stream: %v", err)
	}
}

// TestSliceOutOfRange asks buffers and pinned memory for views that do not exist: both panic, as
// Go's slices do.
func TestSliceOutOfRange(t *testing.T) {
	dev := open(t, gridstride.Use("sim"))
	b := copyOf(t, dev, ramp(10))
	p, err := gridstride.MakePinned[float32](dev, 10)
	must(t, err)
	for _, ij := range [][2]int{{-1, 2}, {3, 2}, {0, 11}, {11, 11}} {
		bounds := fmt.Sprintf("gridstride: slice bounds out of range [%d:%d] of ", ij[0], ij[1])
		wantPanic(t, bounds+"a buffer of length 10", func() { b.Slice(ij[0], ij[1]) })
		wantPanic(t, bounds+"pinned memory of length 10", func() { p.Slice(ij[0], ij[1]) })
	}
	must(t, p.Free())
}

// TestTooManySizes gives grids and blocks a fourth dimension.
func TestTooManySizes(t *testing.T) {
	const want = "gridstride: 4 sizes are given, and grids and blocks have at most 3 dimensions"
	wantPanic(t, want, func() { gridstride.Grid(1, 2, 3, 4) })
	wantPanic(t, want, func() { gridstride.Grid(1).Block(1, 1, 1, 1) })
}

// wantPanic calls f, which must panic with a text.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("it panics with %v, want %s", got, want)
		}
	}()
	f()
}

// TestNilStream uses what needs a stream without one.
func TestNilStream(t *testing.T) {
	dev := open(t, gridstride.Use("sim"))
	b, ctx := copyOf(t, dev, ramp(3)), t.Context()
	p, err := gridstride.MakePinned[float32](dev, 3)
	must(t, err)
	defer p.Free()
	var s *gridstride.Stream
	_, readErr := b.Read(ctx, s, nil)
	event := dev.Stream().Record()
	for op, err := range map[string]error{
		"read": readErr, "write": b.Write(ctx, s, ramp(3)), "zero": b.Zero(s), "fill": b.Fill(s, 1), "check": b.Check(s),
		"wait": s.Wait(ctx), "after": s.After(event), "record": s.Record().Wait(ctx), "copy": gridstride.Copy(s, b, b),
		"launch scale": kernel(t, dev, "scale").Launch(s, gridstride.Grid(1).Block(32), b, float32(1)),
	} {
		wantError(t, err, gridstride.ErrArgument, op+": the stream is nil; Device.Stream and Device.NewStream give one")
	}
	wantError(t, b.WriteAsync(s, p), gridstride.ErrArgument, "write: the stream is nil; Device.Stream and Device.NewStream give one")
}
