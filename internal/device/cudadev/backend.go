// Package cudadev runs kernels on an NVIDIA GPU: the backend of package device for NVIDIA's driver.
// Streams, events and memory are the driver's. This package adds
//
//	open     finding the GPU
//	backend  what belongs to the whole device, its end
//	alloc    when a block that was freed may be used again
//	pool     where blocks come from
//	stream   launches and the order of work
//	event    points in a stream, waits
//	fault    how a failed check of a kernel is seen
//	print    what kernels print
//	graph    graphs that are ready to be launched
//	lower    how the driver is given a graph
//	lost     what an illegal address or a trap does to the device
//	copy     copies between the host and the device
//	staging  the pinned memory that copies of ordinary memory go through
//	pieces   how such a copy is cut and shared out
//	fill     filling memory with an element
//	peer     copies within the device's memory, and between two devices
//	pin      the program's own pinned memory
//	texture  arrays, texture and surface objects
//	module   loading PTX
package cudadev

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Backend is a GPU's primary context with what the host has made on it.
//
// A call holds a gate while it is with the driver (its stream's, or the backend's if there is
// none), and Close shuts the gates first: no handle is used after it was destroyed.
type Backend struct {
	ctx       *cuda.Context
	about     device.Info
	hostError func(*device.Failure) error
	// sourcePath is where a source file is on this machine, if modules are to have lines; nil if not.
	sourcePath func(file string) string
	printer    *device.Printer
	gate       gate
	lost       atomic.Pointer[loss]
	blocks     blockSource
	home       cuda.Stream // the stream that orders the driver's pool, without work

	kernels device.Table[device.KernelID, kernel]
	events  device.Table[device.EventID, event]

	idleEvents eventPool
	staging    stagingPool
	records    recordPool
	pins       pinTable
	peers      peerTable
	texels     texelTable

	sweep sync.Mutex // held by the goroutine that runs fences; taken before mu

	mu      sync.Mutex
	streams []*stream // every one there is, in the order they were made
	idle    []*stream // those that no Stream has
	fences  []*fence  // what waits for work to have run
	live    map[uint64]struct{}
	execs   map[*graphExec]struct{}
	unseen  []error // failures on streams that were given up
}

// openNumber opens a GPU by the driver's number of it.
func openNumber(d *cuda.Driver, number int, printer *device.Printer, hostError func(*device.Failure) error) (_ *Backend, err error) {
	info, err := infoOf(d, number)
	if err != nil {
		return nil, err
	}
	ctx, err := d.Retain(number)
	if err != nil {
		return nil, fmt.Errorf("the GPU's context: %w", lostBefore(err))
	}
	b := &Backend{ctx: ctx, about: info, hostError: hostError, printer: printer, gate: newGate(), live: map[uint64]struct{}{}, execs: map[*graphExec]struct{}{}, texels: newTexelTable()}
	defer func() {
		if err != nil {
			err = errors.Join(err, ctx.Release())
		}
	}()
	if b.home, err = b.ctx.NewStream(); err != nil {
		return nil, err
	}
	if b.blocks, err = newBlockSource(b); err != nil {
		return nil, err
	}
	b.staging.init()
	return b, b.records.grow(b) // now, and not between the events of somebody's first launch
}

// infoOf describes a GPU by what the driver says of it.
func infoOf(d *cuda.Driver, number int) (device.Info, error) {
	name, err := d.DeviceName(number)
	if err != nil {
		return device.Info{}, err
	}
	memory, err := d.DeviceMemory(number)
	if err != nil {
		return device.Info{}, err
	}
	info := device.Info{Name: name, Backend: "cuda", Memory: memory, WarpSize: 32, Driver: "CUDA " + d.Version().String()}
	var major, minor, shared, optIn int
	for _, a := range []struct {
		attribute cuda.Attribute
		to        *int
	}{
		{cuda.MultiprocessorCount, &info.Multiprocessors}, {cuda.MaxThreadsPerBlock, &info.MaxThreads},
		{cuda.MaxBlockDimX, &info.MaxBlock[0]}, {cuda.MaxBlockDimY, &info.MaxBlock[1]}, {cuda.MaxBlockDimZ, &info.MaxBlock[2]},
		{cuda.MaxGridDimX, &info.MaxGrid[0]}, {cuda.MaxGridDimY, &info.MaxGrid[1]}, {cuda.MaxGridDimZ, &info.MaxGrid[2]},
		{cuda.ComputeCapabilityMajor, &major}, {cuda.ComputeCapabilityMinor, &minor},
		{cuda.MaxSharedMemoryPerBlock, &shared}, {cuda.MaxSharedMemoryPerBlockOpt, &optIn},
	} {
		if *a.to, err = d.Attribute(number, a.attribute); err != nil {
			return device.Info{}, err
		}
	}
	info.MaxShared = max(shared, optIn)
	info.SM, info.Capability = 10*major+minor, fmt.Sprintf("%d.%d", major, minor)
	return info, nil
}

// Info implements device.Backend.
func (b *Backend) Info() device.Info { return b.about }

// hold lets a call that belongs to no stream through to the driver. release ends it.
func (b *Backend) hold() error {
	if !b.gate.hold() {
		return device.ErrClosed
	}
	if l := b.lost.Load(); l != nil {
		b.gate.release()
		return l.later()
	}
	return nil
}

func (b *Backend) release() { b.gate.release() }

// allStreams are the streams there are now.
func (b *Backend) allStreams() []*stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.streams)
}

// Close implements device.Backend. It waits for the work that is queued: a GPU cannot be told to
// stop.
func (b *Backend) Close() []error {
	b.gate.end()
	streams := b.allStreams()
	for _, s := range streams {
		s.gate.end()
	}
	for _, s := range streams {
		if err := b.ctx.WaitStream(context.Background(), s.handle); err != nil {
			b.keepLoss(err)
		}
	}
	<-b.gate.out
	for _, s := range streams {
		<-s.gate.out
	}
	b.runFences(true)
	for x := range b.execs {
		x.end()
	}
	for _, s := range streams {
		b.giveUp(s)
		s.freeBuffers()
		s.mu.Lock()
		clear(s.uses) // the records are to go; an event of the stream may still be asked whether it happened
		s.mu.Unlock()
	}
	b.giveBack(streams)
	return b.unseen
}

// keepLoss keeps the error that says how the device was lost, if no call has returned it, for
// Close.
func (b *Backend) keepLoss(err error) {
	if l := b.loses(err); l != nil && !l.told.Swap(true) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.unseen = append(b.unseen, l.first())
	}
}

// giveBack returns everything to the driver. If the device is lost the calls fail, and the end of
// the context returns it.
func (b *Backend) giveBack(streams []*stream) {
	b.staging.close(b)
	b.records.close(b)
	b.idleEvents.close(b)
	b.texels.close(b)
	for addr := range b.live {
		_ = b.blocks.free(addr)
	}
	_ = b.blocks.trim()
	b.pins.close(b)
	for _, s := range streams {
		_ = b.ctx.DestroyStream(s.handle)
	}
	_ = b.ctx.DestroyStream(b.home)
	_ = b.ctx.Release()
}

// Load implements device.Backend.
func (b *Backend) Load(tree *ptx.Module) (device.Module, error) {
	if err := b.hold(); err != nil {
		return nil, err
	}
	defer b.release()
	return loadModule(b, tree)
}

// gate lets calls in until it is ended. out is closed when it is, and the last call has left.
type gate struct {
	life *device.Lifetime
	out  chan struct{}
}

func newGate() gate { return gate{new(device.Lifetime), make(chan struct{})} }

func (g gate) hold() bool { return g.life.Hold() }

func (g gate) release() {
	if g.life.Release() {
		close(g.out)
	}
}

func (g gate) end() {
	if _, now := g.life.End(); now {
		close(g.out)
	}
}

// open reports that the gate has not ended.
func (g gate) open() bool { return g.life.Alive() }
