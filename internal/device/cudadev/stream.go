package cudadev

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// stream is a stream of the driver. One that the host has given up serves it as its next, when its
// work has run.
type stream struct {
	b      *Backend
	handle cuda.Stream
	gate   gate

	// queued counts the operations that the driver has been given, and is raised after the call.
	// done is how many of them are known to have run. While they are equal nothing is queued.
	queued, done atomic.Uint64

	order sync.Mutex // held while operations are queued between which no launch may come
	print printer

	mu   sync.Mutex
	uses map[*kernel]*use // of kernels on the stream
	// recent is the use that was last asked for, which mostly is the next one too.
	recent atomic.Pointer[use]
	// failed is the first failure that was found and that no wait has returned.
	failed error

	graphs    map[*graphExec]*running // on the stream, until they are known to have run; needs mu
	hasGraphs atomic.Bool             // there are some
	lowers    *lowered                // the graph that the stream is captured for, nil for none
}

// NewStream implements device.Backend.
func (b *Backend) NewStream() (device.Stream, error) {
	s, err := b.takeStream()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// takeStream returns an idle stream or makes one.
func (b *Backend) takeStream() (*stream, error) {
	if err := b.hold(); err != nil {
		return nil, err
	}
	defer b.release()
	b.runFences(false)
	b.mu.Lock()
	if n := len(b.idle); n > 0 {
		s := b.idle[n-1]
		b.idle = b.idle[:n-1]
		b.mu.Unlock()
		return s, nil
	}
	b.mu.Unlock()
	handle, err := b.ctx.NewStream()
	if err != nil {
		return nil, b.fail(err)
	}
	s := &stream{b: b, handle: handle, gate: newGate(), uses: map[*kernel]*use{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams = append(b.streams, s)
	return s, nil
}

// Retire implements device.Stream: the stream is idle after its work.
func (s *stream) Retire() {
	s.b.afterQueued(func() {
		s.b.giveUp(s)
		s.b.mu.Lock()
		defer s.b.mu.Unlock()
		s.b.idle = append(s.b.idle, s)
	})
}

// giveUp prints what no wait on s has, and keeps the failure that none has returned, for Close.
func (b *Backend) giveUp(s *stream) {
	s.flush(context.Background())
	failure := s.takeFailure(s.queued.Load())
	if failure == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unseen = append(b.unseen, failure)
}

// hold lets a call through to the driver. release ends it.
func (s *stream) hold() error {
	if !s.gate.hold() {
		return device.ErrClosed
	}
	if l := s.b.lost.Load(); l != nil {
		s.gate.release()
		return l.later()
	}
	return nil
}

func (s *stream) release() { s.gate.release() }

// Launch implements device.Stream. It is the path that every microsecond counts on: one call of the
// driver, and nothing allocated once the stream has run the kernel before.
func (s *stream) Launch(l device.Launch) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	k := s.b.kernels.At(l.Kernel.ID)
	if err := k.allowShared(l.Shared); err != nil {
		return s.b.launchFailed(l.Kernel, err)
	}
	u, err := s.use(k, l.Kernel)
	if err != nil {
		return s.b.fail(err)
	}
	p := cuda.NewParams(len(l.Params))
	copy(p.Bytes, l.Params)
	if at := l.Kernel.FaultAt; at >= 0 {
		binary.LittleEndian.PutUint64(p.Bytes[at:], u.record.addr)
	}
	switch {
	case l.Kernel.Cooperative:
		err = s.launchGrid(k, &l, u.record, p)
	case l.Kernel.Prints:
		err = s.launchPrinting(k, &l, p)
	default:
		err = s.launchBlocks(k, &l, p)
	}
	if err != nil {
		return s.b.launchFailed(l.Kernel, err)
	}
	u.launched(s.queued.Add(1))
	return nil
}

// launchPrinting launches a kernel that prints, and not while the stream is told to take the lines
// of others.
func (s *stream) launchPrinting(k *kernel, l *device.Launch, p *cuda.Params) error {
	s.order.Lock()
	defer s.order.Unlock()
	s.print.queued.Store(true)
	return s.launchBlocks(k, l, p)
}

// launchBlocks launches a kernel, with clusters where the launch asks for them.
func (s *stream) launchBlocks(k *kernel, l *device.Launch, p *cuda.Params) error {
	if l.Cluster != [3]int{} {
		return s.launchClusters(k, l, p)
	}
	if k.apart {
		return s.b.ctx.LaunchOneByOne(k.function, dims(l.Grid), dims(l.Block), uint32(l.Shared), s.handle, p, k.offsets)
	}
	return s.b.ctx.Launch(k.function, dims(l.Grid), dims(l.Block), uint32(l.Shared), s.handle, p)
}

func (s *stream) launchClusters(k *kernel, l *device.Launch, p *cuda.Params) error {
	config := cuda.LaunchConfig{Grid: dims(l.Grid), Block: dims(l.Block), Shared: uint32(l.Shared), Stream: s.handle}
	return s.b.ctx.LaunchClusters(k.function, config, dims(l.Cluster), l.Kernel.Cooperative, p, k.offsets)
}

// launchGrid launches a kernel whose grid meets, with the words that it meets through set to 0: a
// launch before may have failed halfway. No other launch comes between the two.
func (s *stream) launchGrid(k *kernel, l *device.Launch, record *faultRecord, p *cuda.Params) error {
	s.order.Lock()
	defer s.order.Unlock()
	if l.Kernel.Prints {
		s.print.queued.Store(true)
	}
	const size = abi.FaultOffEnded + 4 - abi.FaultOffGrid
	if err := s.b.ctx.Fill(cuda.DevicePtr(record.addr+abi.FaultOffGrid), 0, size, s.handle); err != nil {
		return err
	}
	if l.Cluster != [3]int{} {
		return s.launchClusters(k, l, p)
	}
	return s.b.ctx.LaunchCooperative(k.function, dims(l.Grid), dims(l.Block), uint32(l.Shared), s.handle, p, k.offsets)
}

func dims(d [3]int) [3]uint32 { return [3]uint32{uint32(d[0]), uint32(d[1]), uint32(d[2])} }

// launchFailed explains a launch that the driver refused.
func (b *Backend) launchFailed(k *device.Kernel, err error) error {
	if errors.Is(err, cuda.LaunchOutOfResources) {
		return device.Errorf(device.ErrLimit, "launch %s: %v", k.Name, err)
	}
	return b.fail(err)
}

// After implements device.Stream.
func (s *stream) After(of device.Backend, e device.EventID) error {
	other := of.(*Backend)
	if err := other.hold(); err != nil {
		return err
	}
	defer other.release()
	return s.start(func() error { return s.b.ctx.StreamWaitEvent(s.handle, other.events.At(e).handle) })
}

// HostFunc implements device.Stream.
func (s *stream) HostFunc(f func()) error {
	return s.start(func() error {
		if s.lowers == nil {
			return s.b.ctx.LaunchHostFunc(s.handle, f)
		}
		number, err := s.b.ctx.CaptureHostFunc(s.handle, f)
		if err == nil {
			s.lowers.funcs = append(s.lowers.funcs, number)
		}
		return err
	})
}

// Native implements device.Stream.
func (s *stream) Native(f func(handle uintptr) error) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	defer s.queued.Add(1) // whatever f says: it may have queued work before it failed
	return s.b.ctx.Current(func() error { return f(uintptr(s.handle)) })
}

// Wait implements device.Stream.
func (s *stream) Wait(ctx context.Context) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	defer s.endWait(ctx, s.takeLines())
	return s.waitInside(ctx)
}

// endWait prints what kernels printed before the wait that has ended, at whose beginning their
// lines were taken, or not all.
func (s *stream) endWait(ctx context.Context, all bool) {
	s.printLines(ctx)
	if !all {
		s.flush(ctx)
	}
}

// waitInside is Wait for a call that is with the driver already.
func (s *stream) waitInside(ctx context.Context) error {
	queued := s.queued.Load()
	if s.done.Load() >= queued { // there is no need to ask the driver
		return s.takeFailure(queued)
	}
	return s.reached(queued, s.arrive(ctx))
}

// arrive waits until the work queued so far has run. The error is the driver's or ctx's.
func (s *stream) arrive(ctx context.Context) error {
	if ctx.Done() == nil { // there is no need for an event, where the driver can wait for the stream
		return s.b.ctx.WaitStream(ctx, s.handle)
	}
	e, err := s.b.idleEvents.get(s.b)
	if err != nil {
		return err
	}
	defer s.b.idleEvents.put(e)
	if err := s.b.ctx.Record(e, s.handle); err != nil {
		return err
	}
	return s.b.ctx.WaitEvent(ctx, e)
}

// reached returns the error of a wait for queued operations of the stream that ended with err: err
// itself, or a failure by then.
func (s *stream) reached(queued uint64, err error) error {
	if err != nil {
		return s.b.fail(err)
	}
	s.ran(queued)
	if !s.gate.open() {
		return device.Errorf(device.ErrClosed, "wait: the device was closed")
	}
	return s.takeFailure(queued)
}

// ran notes that the first n operations have run.
func (s *stream) ran(n uint64) {
	for {
		done := s.done.Load()
		if n <= done || s.done.CompareAndSwap(done, n) {
			return
		}
	}
}

// running lists the kernels that may be running on the stream: those launched since the last
// operation known to have run.
func (s *stream) running() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, u := range s.uses {
		if u.last.Load() > s.done.Load() {
			names = append(names, u.host.Load().Name)
		}
	}
	for x, r := range s.graphs {
		if r.last > s.done.Load() {
			names = append(names, x.own.names()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// names lists the kernels that the stream has run.
func (s *stream) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, u := range s.uses {
		names = append(names, u.host.Load().Name)
	}
	return names
}
