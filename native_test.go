package gridstride_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

func TestNative(t *testing.T) {
	dev := open(t)
	s := dev.NewStream()
	b := copyOf(t, dev, []float32{1, 2, 3, 4})
	if p, q := b.DevicePtr(), b.Slice(3, 4).DevicePtr(); p == 0 || q != p+12 {
		t.Errorf("element 0 is at %#x, element 3 at %#x", p, q)
	}
	if p := (gridstride.Buffer[float32]{}).DevicePtr(); p != 0 {
		t.Errorf("no elements are at %#x", p)
	}
	called := false
	other := errors.New("of the other library")
	err := s.Native(func(stream uintptr) error {
		called = stream != 0
		return other
	})
	if dev.Info().Backend == "sim" {
		if called || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "a simulated device") {
			t.Errorf("called: %v, error %v", called, err)
		}
	} else if !called || !errors.Is(err, other) {
		t.Errorf("called with a stream: %v, error %v", called, err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	s.Close()
	if err := s.Native(func(uintptr) error { return nil }); !errors.Is(err, gridstride.ErrClosed) {
		t.Errorf("on a closed stream: %v", err)
	}
}
