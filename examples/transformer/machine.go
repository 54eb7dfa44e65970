package main

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/onhost"
)

// machine runs kernels: on a device, or on the host as the Go functions that they are. Its methods
// do nothing once something has failed.
type machine struct {
	ctx    context.Context
	dev    *gridstride.Device // nil on the host
	stream *gridstride.Stream
	free   []func() error
	err    error
}

// newMachine is a machine on a device, or on the host where dev is nil.
func newMachine(ctx context.Context, dev *gridstride.Device) *machine {
	m := &machine{ctx: ctx, dev: dev}
	if dev != nil {
		m.stream = dev.Stream()
	}
	return m
}

// close frees what the machine has on its device, and returns the first error.
func (m *machine) close() error {
	for _, free := range m.free {
		m.err = errors.Join(m.err, free())
	}
	m.free = nil
	return m.err
}

// run runs a kernel for n elements. No kernel of this package depends on its grid, so that one
// thread does for the host.
func (m *machine) run(n int, here func(), there func(cfg gridstride.Config) error) {
	const block = 128
	switch {
	case m.err != nil:
	case m.dev == nil:
		m.err = onhost.Launch(m.ctx, gridstride.Grid(1).Block(1), here)
	default:
		m.err = there(gridstride.Grid(min((n+block-1)/block, 1024)).Block(block))
	}
}

// load loads a kernel, unless the machine is the host.
func load[K any](m *machine, load func(dev *gridstride.Device) (K, error)) (kernel K) {
	if m.err == nil && m.dev != nil {
		kernel, m.err = load(m.dev)
	}
	return kernel
}

// vector is numbers on a machine.
type vector[T any] struct {
	host []T
	gpu  gridstride.Buffer[T]
}

// copyOf is a copy of numbers on a machine.
func copyOf[T any](m *machine, x []T) (v vector[T]) {
	switch {
	case m.err != nil:
	case m.dev == nil:
		v.host = append([]T(nil), x...)
	default:
		v.gpu, m.err = gridstride.CopyOf(m.dev, x)
		m.free = append(m.free, v.gpu.Free)
	}
	return v
}

// zeros is n zeros on a machine.
func zeros(m *machine, n int) vector[float32] { return copyOf(m, make([]float32, n)) }

// part is n of a vector's numbers, from the first on.
func (v vector[T]) part(m *machine, first, n int) (part vector[T]) {
	switch {
	case m.err != nil:
	case m.dev == nil:
		part.host = v.host[first:][:n]
	default:
		part.gpu = v.gpu.Slice(first, first+n)
	}
	return part
}

// write replaces a vector's numbers.
func (v vector[T]) write(m *machine, x []T) {
	switch {
	case m.err != nil:
	case m.dev == nil:
		copy(v.host, x)
	default:
		m.err = v.gpu.Write(m.ctx, m.stream, x)
	}
}

// read is a copy of a vector's numbers. It waits for the kernels before it.
func (v vector[T]) read(m *machine) (x []T) {
	switch {
	case m.err != nil:
	case m.dev == nil:
		x = append(x, v.host...)
	default:
		x, m.err = v.gpu.Read(m.ctx, m.stream, nil)
	}
	return x
}
