package gridstride_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride"
)

// TestKernelError runs a kernel whose check fails: the next wait says so, once, and everything
// stays usable.
func TestKernelError(t *testing.T) {
	dev := open(t)
	s, check := dev.Stream(), kernel(t, dev, "check")
	b := copyOf(t, dev, ramp(33))

	must(t, check.Launch(s, gridstride.Grid(1).Block(4), 4))
	must(t, s.Wait(t.Context()))

	waits := map[string]func() error{
		"Wait": func() error { return s.Wait(t.Context()) },
		"Read": func() error { _, err := b.Read(t.Context(), s, nil); return err },
		"Write": func() error { // which may return before the kernel has run
			if err := b.Write(t.Context(), s, ramp(33)); err != nil {
				return err
			}
			return s.Wait(t.Context())
		},
		"Event": func() error { return s.Record().Wait(t.Context()) },
		"Since": func() error {
			start := s.Record()
			_, err := s.Record().Since(t.Context(), start)
			return err
		},
	}
	for name, wait := range waits {
		must(t, check.Launch(s, gridstride.Grid(1).Block(4), 3))
		must(t, kernel(t, dev, "nothing").Launch(s, gridstride.Grid(1).Block(4)))
		err := wait()
		var failure *gridstride.KernelError
		if !errors.As(err, &failure) {
			t.Errorf("%s after a kernel failed: %v", name, err)
			continue
		}
		want := gridstride.KernelError{
			Kernel: "check", Message: "index out of range [3] with length 3", File: "example.com/by/hand/kernels.go", Line: 24, Col: 9,
			Located: true, Thread: gridstride.Dim3{X: 3},
		}
		if *failure != want {
			t.Errorf("%s: %+v, want %+v", name, *failure, want)
		}
		if text := "check: index out of range [3] with length 3 at kernels.go:24:9, block (0,0,0) thread (3,0,0)"; err.Error() != text {
			t.Errorf("%s: %q, want %q", name, err, text)
		}
		must(t, wait())
	}
	if got := read(t, s, b); !slices.Equal(got, ramp(33)) {
		t.Errorf("a buffer reads %v after a kernel failed", got)
	}
}

// TestFirstFailure has several threads, blocks and launches fail before one wait: it returns one
// failure of the first.
func TestFirstFailure(t *testing.T) {
	dev := open(t)
	s, check := dev.Stream(), kernel(t, dev, "check")
	must(t, check.Launch(s, gridstride.Grid(3).Block(64), 7))
	must(t, check.Launch(s, gridstride.Grid(3).Block(64), 9))
	err := s.Wait(t.Context())
	if err == nil || !strings.Contains(err.Error(), "with length 7 at") {
		t.Errorf("failures with lengths 7 and 9: %v", err)
	}
	must(t, s.Wait(t.Context()))
}

// TestFailureStaysOnItsStream has a kernel fail on one stream and waits on another.
func TestFailureStaysOnItsStream(t *testing.T) {
	dev := open(t)
	s, other, check := dev.NewStream(), dev.NewStream(), kernel(t, dev, "check")
	must(t, check.Launch(s, gridstride.Grid(1).Block(2), 1))
	must(t, check.Launch(other, gridstride.Grid(1).Block(2), 2))
	must(t, other.Wait(t.Context()))
	if err := s.Wait(t.Context()); err == nil {
		t.Error("a failed kernel: no error")
	}
}

// TestAssertMessage reads the message that a kernel's record points to.
func TestAssertMessage(t *testing.T) {
	dev := open(t)
	s := dev.Stream()
	must(t, kernel(t, dev, "say").Launch(s, gridstride.Grid(1).Block(32)))
	err := s.Wait(t.Context())
	if want := "say: assertion failed: n must be even at kernels.go:7, block (0,0,0) thread (0,0,0)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestUnseenFailure closes the device with a failure that no wait has returned, once with its
// stream closed before. The same failure on another stream is said once.
func TestUnseenFailure(t *testing.T) {
	for _, closeStream := range []bool{false, true} {
		dev, err := gridstride.Open()
		must(t, err)
		s, again, other := dev.NewStream(), dev.NewStream(), dev.NewStream()
		for _, failing := range []*gridstride.Stream{s, again} {
			must(t, kernel(t, dev, "check").Launch(failing, gridstride.Grid(1).Block(2), 1))
			must(t, other.After(failing.Record()))
		}
		must(t, other.Wait(t.Context()))
		if closeStream {
			s.Close()
		}
		var failure *gridstride.KernelError
		err = dev.Close()
		if !errors.As(err, &failure) {
			t.Errorf("close after a failure (stream closed: %t): %v", closeStream, err)
		} else if n := strings.Count(err.Error(), failure.Error()); n != 1 {
			t.Errorf("close after a failure (stream closed: %t) says it %d times: %v", closeStream, n, err)
		}
	}
}

// TestSimulatorFindings runs kernels that only a simulator survives.
func TestSimulatorFindings(t *testing.T) {
	dev := open(t, gridstride.Use("sim"))
	s := dev.Stream()
	b := copyOf(t, dev, ramp(5))
	tests := []struct {
		kernel string
		args   []any
		want   []string // parts of the text
	}{
		{"beyond", []any{b}, []string{"beyond: out of bounds: write of 4 bytes at global address ", ", 0 bytes past the end of the 20 bytes at ", " at kernels.go:50:4, block (0,0,0) thread (0,0,0)"}},
		{"trap", nil, []string{"trap: trap: the kernel executed trap at kernels.go:31:2, block (0,0,0) thread (0,0,0)"}},
		{"stuck", nil, []string{"stuck: ", "threads wait for each other", "block (0,0,0)", "kernels.go:40:2", "kernels.go:42:2"}},
		{"raw", []any{0, uint32(1)}, []string{"raw: null pointer: write of 4 bytes at global address 0x0", "block (0,0,0) thread (0,0,0)"}},
		{"raw", []any{stalePointer(t, dev), uint32(1)}, []string{"raw: use after free: write of 4 bytes at ", "of the 20 bytes at "}},
	}
	for _, tt := range tests {
		must(t, kernel(t, dev, tt.kernel).Launch(s, gridstride.Grid(1).Block(64), tt.args...))
		err := s.Wait(t.Context())
		var failure *gridstride.KernelError
		if !errors.As(err, &failure) || failure.Kernel != tt.kernel || failure.Err == nil {
			t.Errorf("%s: %v", tt.kernel, err)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s:\n%s\nis without %q", tt.kernel, err, part)
			}
		}
	}
	if got := read(t, s, b); !slices.Equal(got, ramp(5)) {
		t.Errorf("a buffer reads %v after kernels failed", got)
	}
}

// stalePointer returns the device address of a buffer of 20 bytes that is freed.
func stalePointer(t *testing.T, dev *gridstride.Device) uint64 {
	s, out := dev.Stream(), copyOf(t, dev, []uint64{0})
	b, err := gridstride.Make[float32](dev, 5)
	must(t, err)
	must(t, kernel(t, dev, "address").Launch(s, gridstride.Grid(1).Block(1), b, out))
	address := read(t, s, out)[0]
	must(t, b.Free())
	return address
}
