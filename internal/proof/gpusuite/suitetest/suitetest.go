// Package suitetest has what the tests of the suite's packages share.
package suitetest

import (
	"context"
	"errors"
	"testing"

	"github.com/gridstride/gridstride"
)

// Open opens the device that the suite runs on, until the end of the test.
func Open(t testing.TB, options ...gridstride.Option) *gridstride.Device {
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

// Must ends the test with an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// OnDevice is a buffer with a copy of host, which is freed at the end of the test.
func OnDevice[T any](t testing.TB, dev *gridstride.Device, host []T) gridstride.Buffer[T] {
	t.Helper()
	b, err := gridstride.CopyOf(dev, host)
	Must(t, err)
	t.Cleanup(func() { Must(t, b.Free()) })
	return b
}

// Read returns the contents of a buffer.
func Read[T any](t testing.TB, dev *gridstride.Device, b gridstride.Buffer[T]) []T {
	t.Helper()
	host, err := b.Read(t.Context(), dev.Stream(), nil)
	Must(t, err)
	return host
}

// HasClusters ends the test, skipped, where the device has no clusters of blocks.
func HasClusters(t testing.TB, dev *gridstride.Device) {
	t.Helper()
	if dev.Info().MaxCluster == 1 {
		t.Skipf("%v has no clusters", dev)
	}
}

// Need skips the test where err says that the device lacks a kernel's target, and ends it with any
// other error.
func Need(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, gridstride.ErrTarget) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// Combine is the n elements that the kernel queued by launch makes of a's and b's.
func Combine[T, U, S any](ctx context.Context, dev *gridstride.Device, a []T, b []U, n int,
	launch func(a gridstride.Buffer[T], b gridstride.Buffer[U], c gridstride.Buffer[S]) error,
) ([]S, error) {
	x, err := gridstride.CopyOf(dev, a)
	if err != nil {
		return nil, err
	}
	defer x.Free()
	y, err := gridstride.CopyOf(dev, b)
	if err != nil {
		return nil, err
	}
	defer y.Free()
	z, err := gridstride.Make[S](dev, n)
	if err != nil {
		return nil, err
	}
	defer z.Free()
	if err := launch(x, y, z); err != nil {
		return nil, err
	}
	return z.Read(ctx, dev.Stream(), nil)
}
