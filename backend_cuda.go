package gridstride

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/cuda"
	"github.com/gridstride/gridstride/internal/ptx"
)

// gpu is the backend that runs kernels on an NVIDIA GPU, in the device's primary context. Streams,
// events and memory are the driver's; what is built here on top of them is in the files named
// backend_cuda_*.go:
//
//	alloc    when a block that was freed may be used again
//	pool     where blocks come from
//	stream   launches and the order of work
//	event    points in a stream, waits
//	fault    how a failed check of a kernel is seen
//	lost     what an illegal address or a trap does to the device
//	copy     copies between the host and the device
//	staging  the pinned memory that copies of ordinary memory go through
//	pin      the program's own pinned memory
//	module   loading PTX
//
// A call holds a gate while it is with the driver (its stream's, or the backend's where there is
// none), and close shuts the gates first: no handle is used after it was destroyed.
type gpu struct {
	ctx    *cuda.Context
	device Info
	gate   gate
	lost   atomic.Pointer[loss]
	blocks blockSource
	home   cuda.Stream // what the driver's pool is ordered on; no work

	events  eventPool
	staging stagingPool
	records recordPool
	pins    pinTable

	sweep sync.Mutex // held by the goroutine that runs fences; taken before mu

	mu      sync.Mutex
	streams []*gpuStream // every one there is, in the order they were made
	idle    []*gpuStream // those that no Stream has
	fences  []*fence     // what waits for work to have run
	live    map[uint64]struct{}
	unseen  []*KernelError // failures on streams that were given up
}

// openGPU opens a GPU by the driver's number of it.
func openGPU(d *cuda.Driver, number int) (_ *gpu, err error) {
	info, err := gpuInfo(d, number)
	if err != nil {
		return nil, err
	}
	ctx, err := d.Retain(number)
	if err != nil {
		return nil, fmt.Errorf("the GPU's context: %w", lostBefore(err))
	}
	b := &gpu{ctx: ctx, device: info, gate: newGate(), live: map[uint64]struct{}{}}
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

// gpuInfo describes a GPU by what the driver says of it.
func gpuInfo(d *cuda.Driver, number int) (Info, error) {
	name, err := d.DeviceName(number)
	if err != nil {
		return Info{}, err
	}
	memory, err := d.DeviceMemory(number)
	if err != nil {
		return Info{}, err
	}
	info := Info{Name: name, Backend: "cuda", Memory: memory, WarpSize: 32, Driver: "CUDA " + d.Version().String()}
	var major, minor, shared, optIn int
	for _, a := range []struct {
		attribute cuda.Attribute
		to        *int
	}{
		{cuda.MultiprocessorCount, &info.Multiprocessors}, {cuda.MaxThreadsPerBlock, &info.MaxThreads},
		{cuda.MaxBlockDimX, &info.MaxBlock.X}, {cuda.MaxBlockDimY, &info.MaxBlock.Y}, {cuda.MaxBlockDimZ, &info.MaxBlock.Z},
		{cuda.MaxGridDimX, &info.MaxGrid.X}, {cuda.MaxGridDimY, &info.MaxGrid.Y}, {cuda.MaxGridDimZ, &info.MaxGrid.Z},
		{cuda.ComputeCapabilityMajor, &major}, {cuda.ComputeCapabilityMinor, &minor},
		{cuda.MaxSharedMemoryPerBlock, &shared}, {cuda.MaxSharedMemoryPerBlockOpt, &optIn},
	} {
		if *a.to, err = d.Attribute(number, a.attribute); err != nil {
			return Info{}, err
		}
	}
	info.MaxShared = max(shared, optIn)
	info.Capability = fmt.Sprintf("%d.%d", major, minor)
	return info, nil
}

func (b *gpu) info() Info { return b.device }

// enter lets a call that belongs to no stream through to the driver; leave ends it.
func (b *gpu) enter() error {
	if !b.gate.enter() {
		return ErrClosed
	}
	if l := b.lost.Load(); l != nil {
		b.gate.leave()
		return l.later()
	}
	return nil
}

func (b *gpu) leave() { b.gate.leave() }

// allStreams are the streams there are now.
func (b *gpu) allStreams() []*gpuStream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.streams)
}

// close waits for the work that is queued: a GPU cannot be told to stop.
func (b *gpu) close() []*KernelError {
	b.gate.end()
	streams := b.allStreams()
	for _, s := range streams {
		s.gate.end()
	}
	for _, s := range streams {
		if err := b.ctx.WaitStream(context.Background(), s.handle); err != nil {
			b.keepLoss(b.failed(err))
		}
	}
	<-b.gate.out
	for _, s := range streams {
		<-s.gate.out
	}
	b.runFences(true)
	for _, s := range streams {
		b.giveUp(s)
		s.mu.Lock()
		clear(s.uses) // the records are to go; an event of the stream may still be asked whether it happened
		s.mu.Unlock()
	}
	b.giveBack(streams)
	return b.unseen
}

// keepLoss keeps the error that says how the device was lost, if no call has returned it, for
// close.
func (b *gpu) keepLoss(err error) {
	var failure *KernelError
	if errors.As(err, &failure) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.unseen = append(b.unseen, failure)
	}
}

// giveBack returns everything to the driver. Where the device is lost the calls fail, and the end
// of the context is what gives it back.
func (b *gpu) giveBack(streams []*gpuStream) {
	b.staging.close(b)
	b.records.close(b)
	b.events.close(b)
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

func (b *gpu) load(tree *ptx.Module, text string) (backendModule, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
	return loadGPUModule(b, tree, text)
}

// gate lets calls in until it is ended. out is closed when it is, and the last call has left.
type gate struct {
	life *lifetime
	out  chan struct{}
}

func newGate() gate { return gate{new(lifetime), make(chan struct{})} }

func (g gate) enter() bool { return g.life.acquire() }

func (g gate) leave() {
	if g.life.release() {
		close(g.out)
	}
}

func (g gate) end() {
	if _, now := g.life.end(); now {
		close(g.out)
	}
}

// open reports that the gate has not ended.
func (g gate) open() bool { return g.life.alive() }
