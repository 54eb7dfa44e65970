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

// Combine is the n elements that a kernel makes of those of a and b, which launch queues.
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
