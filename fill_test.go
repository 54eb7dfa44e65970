package gridstride_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestFill fills buffers and views of elements of every size: those that repeat a word of 1, 2 or 4
// bytes, which a GPU fills by itself, and others.
func TestFill(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, n := range append(sizes, 70_001) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			fills(t, dev, s, n, true)
			fills(t, dev, s, n, int8(-7))
			fills(t, dev, s, n, uint16(0x1234))
			fills(t, dev, s, n, [3]byte{1, 2, 3})
			fills(t, dev, s, n, [3]byte{9, 9, 9})
			fills(t, dev, s, n, float32(1.5))
			fills(t, dev, s, n, [4]uint16{7, 8, 7, 8})
			fills(t, dev, s, n, 1<<40+5)
			fills(t, dev, s, n, [2]float64{1, -1})
			fills(t, dev, s, n, point{1, 2, 3})
		})
	}
	fills(t, dev, s, 3, [70_000]byte{1, 2, 69_999: 3})
}

// fills fills a view in the middle of a buffer.
func fills[T comparable](t *testing.T, dev *gridstride.Device, s *gridstride.Stream, n int, v T) {
	t.Helper()
	want := make([]T, n)
	b := copyOf(t, dev, want)
	lo, hi := n/3, n-n/4
	must(t, b.Slice(lo, hi).Fill(s, v))
	for i := lo; i < hi; i++ {
		want[i] = v
	}
	if got := read(t, s, b); !slices.Equal(got, want) {
		t.Errorf("%d elements of type %T, filled from %d to %d with %v: %v", n, v, lo, hi, v, got)
	}
	must(t, b.Free())
}

// TestFillAskew fills a view that starts where no word of its element's size does.
func TestFillAskew(t *testing.T) {
	dev := open(t)
	for _, from := range []int{1, 2, 3} {
		b := copyOf(t, dev, make([]byte, 4*33+4))
		words, err := gridstride.Cast[uint32](b.Slice(from, 4*33+from))
		must(t, err)
		must(t, words.Fill(dev.Stream(), 0x04030201))
		want := make([]byte, b.Len())
		for i := range 4 * 33 {
			want[from+i] = byte(i%4 + 1)
		}
		if got := read(t, dev.Stream(), b); !slices.Equal(got, want) {
			t.Errorf("from byte %d on: %v, want %v", from, got, want)
		}
	}
}

// TestCopy copies device memory to device memory.
func TestCopy(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	for _, n := range sizes {
		src, dst := copyOf(t, dev, ramp(n)), copyOf(t, dev, make([]float32, n+2))
		must(t, gridstride.Copy(s, dst.Slice(1, n+1), src))
		want := slices.Concat([]float32{0}, ramp(n), []float32{0})
		if got := read(t, s, dst); !slices.Equal(got, want) {
			t.Errorf("%d elements: %v", n, got)
		}
		lo := n / 2
		must(t, gridstride.Copy(s, dst.Slice(0, lo), dst.Slice(lo, 2*lo)))
		copy(want[:lo], want[lo:])
		if got := read(t, s, dst); !slices.Equal(got, want) {
			t.Errorf("%d elements within a buffer: %v, want %v", lo, got, want)
		}
	}
}

func TestCopyErrors(t *testing.T) {
	dev := open(t)
	s, b := dev.Stream(), copyOf(t, dev, ramp(10))
	gone, err := gridstride.CopyOf(dev, ramp(3))
	must(t, err)
	must(t, gone.Free())
	for _, tt := range []struct {
		dst, src gridstride.Buffer[float32]
		kind     error
		want     string
	}{
		{b.Slice(0, 3), b.Slice(4, 6), gridstride.ErrRange, "copy: 2 elements to a buffer of 3; Slice gives a view of a part"},
		{b.Slice(0, 3), b.Slice(2, 5), gridstride.ErrRange, "copy: the buffers overlap; copy by way of a third, or launch a kernel"},
	} {
		wantError(t, gridstride.Copy(s, tt.dst, tt.src), tt.kind, tt.want)
	}
	for _, err := range []error{gridstride.Copy(s, b.Slice(0, 3), gone), gridstride.Copy(s, gone, b.Slice(0, 3)), gone.Fill(s, 1)} {
		wantError(t, err, gridstride.ErrFreed, err.Error())
	}
}
