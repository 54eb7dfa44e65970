package gridstride_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gridstride/gridstride"
)

// open opens the device that GRIDSTRIDE_DEVICE chooses. It is closed at the end of the test, which
// fails if a buffer was not freed.
func open(t testing.TB, options ...gridstride.Option) *gridstride.Device {
	t.Helper()
	dev, err := gridstride.Open(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// kernel loads a kernel of testdata/kernels.ptx.
func kernel(t testing.TB, dev *gridstride.Device, name string) *gridstride.Kernel {
	t.Helper()
	m, err := dev.Load("kernels.ptx", kernels)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// copyOf is CopyOf for tests. The buffer is freed at the end.
func copyOf[T any](t testing.TB, dev *gridstride.Device, host []T) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Free() })
	return b
}

// read is Buffer.Read for tests.
func read[T any](t testing.TB, s *gridstride.Stream, b gridstride.Buffer[T]) []T {
	t.Helper()
	got, err := b.Read(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantError checks an error's kind and text.
func wantError(t testing.TB, err, kind error, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %q", text)
	case !errors.Is(err, kind):
		t.Errorf("error %q is no %q", err, kind)
	case err.Error() != text:
		t.Errorf("error\n%s\nwant\n%s", err, text)
	}
}

// soon is a context for a wait that must not end by itself.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// ramp is 0, 1, 2, …
func ramp(n int) []float32 {
	a := make([]float32, n)
	for i := range a {
		a[i] = float32(i)
	}
	return a
}

// sizes are the lengths that tests try: none, less and more than a warp, odd ones, several blocks.
var sizes = []int{0, 1, 31, 33, 257, 1000}
