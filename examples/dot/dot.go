package main

import (
	"context"
	"time"

	"github.com/gridstride/gridstride"
)

// times is where the time went. Kernel is the device's own clock, the others are the host's.
type times struct {
	Alloc, CopyIn, Kernel, CopyOut time.Duration
}

// Dot is the dot product of a and b, vectors of one length, on the device: every block of the grid
// sums its share, and the blocks' sums are added here, in float64.
func Dot[T PartialT](ctx context.Context, dev *gridstride.Device, blocks int, a, b []T) (dot float64, t times, err error) {
	kernel, err := LoadPartial[T](dev)
	if err != nil {
		return 0, t, err
	}
	stream := dev.Stream()

	clock := stopwatch()
	var onDevice [3]gridstride.Buffer[T]
	for i, n := range []int{len(a), len(b), blocks} {
		if onDevice[i], err = gridstride.Make[T](dev, n); err != nil {
			return 0, t, err
		}
		defer onDevice[i].Free()
	}
	deviceA, deviceB, deviceC := onDevice[0], onDevice[1], onDevice[2]
	t.Alloc = clock()

	if err := deviceA.Write(ctx, stream, a); err != nil {
		return 0, t, err
	}
	if err := deviceB.Write(ctx, stream, b); err != nil {
		return 0, t, err
	}
	if err := stream.Wait(ctx); err != nil { // Write returns as soon as b is no longer needed
		return 0, t, err
	}
	t.CopyIn = clock()

	start := stream.Record()
	if err := kernel.Launch(stream, gridstride.Grid(blocks).Block(blockSize), deviceA, deviceB, deviceC); err != nil {
		return 0, t, err
	}
	if t.Kernel, err = stream.Record().Since(ctx, start); err != nil {
		return 0, t, err
	}
	clock()

	sums, err := deviceC.Read(ctx, stream, nil)
	if err != nil {
		return 0, t, err
	}
	t.CopyOut = clock()
	for _, s := range sums {
		dot += float64(s)
	}
	return dot, t, nil
}

// stopwatch returns a function that returns the time since it was last called.
func stopwatch() func() time.Duration {
	last := time.Now()
	return func() time.Duration {
		now := time.Now()
		lap := now.Sub(last)
		last = now
		return lap
	}
}
