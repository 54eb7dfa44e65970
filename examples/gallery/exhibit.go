package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gridstride/gridstride"
)

// exhibit is a kernel of the gallery with its twin on the host.
type exhibit struct {
	name, file string
	algorithm  string // and its source
	shows      string // of the language
	size       int    // that the command takes
	// show runs the kernel on an input of a size and compares what it gives with its twin. Any size
	// from 0 on will do.
	show func(v *visit, size int)
}

// visit is one run of an exhibit. Its functions do nothing once something has failed, so that an
// exhibit need not ask.
type visit struct {
	ctx    context.Context
	dev    *gridstride.Device
	stream *gridstride.Stream
	free   []func() error
	err    error

	input  string        // the input of the kernel
	kernel time.Duration // by the device's clock, all launches together
	result string        // what came out, where a few words say it
	differ string        // the first difference between device and host, "" for none
}

// see runs an exhibit on a device. Where ctx ends it leaves the exhibit, which may be at its twin
// on the host for long, and keeps its buffers.
func (e *exhibit) see(ctx context.Context, dev *gridstride.Device, size int) (*visit, error) {
	v := &visit{ctx: ctx, dev: dev, stream: dev.Stream()}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		e.show(v, size)
	}()
	select {
	case <-shown:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", e.name, ctx.Err())
	}
	for _, free := range v.free {
		v.err = errors.Join(v.err, free())
	}
	if v.err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, v.err)
	}
	return v, nil
}

// load loads a kernel by its generated function.
func load[K any](v *visit, load func(dev *gridstride.Device) (K, error)) (kernel K) {
	if v.err == nil {
		kernel, v.err = load(v.dev)
	}
	return kernel
}

// copyOf is a buffer with a copy of a slice.
func copyOf[T any](v *visit, host []T) (b gridstride.Buffer[T]) {
	if v.err == nil {
		b, v.err = gridstride.CopyOf(v.dev, host)
		v.free = append(v.free, b.Free)
	}
	return b
}

// room is a buffer of n elements, which nothing has written yet.
func room[T any](v *visit, n int) (b gridstride.Buffer[T]) {
	if v.err == nil {
		b, v.err = gridstride.Make[T](v.dev, n)
		v.free = append(v.free, b.Free)
	}
	return b
}

// launch queues a launch and adds what it takes to the visit's time.
func (v *visit) launch(queue func() error) {
	if v.err != nil {
		return
	}
	start := v.stream.Record()
	if v.err = queue(); v.err != nil {
		return
	}
	var took time.Duration
	took, v.err = v.stream.Record().Since(v.ctx, start)
	v.kernel += took
}

// read waits and returns what is in a buffer, nothing where something has failed.
func read[T any](v *visit, b gridstride.Buffer[T]) (host []T) {
	if v.err == nil {
		host, v.err = b.Read(v.ctx, v.stream, nil)
	}
	return host
}

// compare holds what is in a buffer to what the host has computed, with ==. It returns what is in
// the buffer.
func compare[T comparable](v *visit, what string, b gridstride.Buffer[T], want []T) []T {
	got := read(v, b)
	if v.err != nil || v.differ != "" {
		return got
	}
	if len(got) != len(want) {
		v.differ = fmt.Sprintf("%d %s on the device, %d on the host", len(got), what, len(want))
		return got
	}
	for i := range got {
		if got[i] != want[i] {
			v.differ = fmt.Sprintf("%s %d is %v on the device, %v on the host", what, i, got[i], want[i])
			return got
		}
	}
	return got
}

// blocksFor is a grid of at least one block, with a thread for each of n elements.
func blocksFor(n, block int) gridstride.Config {
	return gridstride.Grid(max((n+block-1)/block, 1)).Block(block)
}
