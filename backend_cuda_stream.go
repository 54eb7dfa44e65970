package gridstride

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/cuda"
)

// gpuStream is a stream of the driver. One that a Stream has given up serves the next Stream, when
// its work has run.
type gpuStream struct {
	b      *gpu
	handle cuda.Stream
	gate   gate

	// queued counts the operations that the driver has been given, and is raised after the call;
	// done is how many of them are known to have run. While they are equal nothing is queued.
	queued, done atomic.Uint64

	mu   sync.Mutex
	uses map[*gpuEntry]*use // of kernels on the stream
	// recent is the use that was last asked for, which mostly is the next one too.
	recent atomic.Pointer[use]
	// failed is the first failure that was found and that no wait has returned.
	failed *KernelError
}

func (b *gpu) stream() (backendStream, error) {
	s, err := b.takeStream()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// takeStream returns an idle stream or makes one.
func (b *gpu) takeStream() (*gpuStream, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
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
		return nil, b.failed(err)
	}
	s := &gpuStream{b: b, handle: handle, gate: newGate(), uses: map[*gpuEntry]*use{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams = append(b.streams, s)
	return s, nil
}

// retire makes the stream idle behind its work.
func (s *gpuStream) retire() {
	s.b.afterQueued(func() {
		s.b.giveUp(s)
		s.b.mu.Lock()
		defer s.b.mu.Unlock()
		s.b.idle = append(s.b.idle, s)
	})
}

// giveUp keeps the failure that no wait on s has returned, for close.
func (b *gpu) giveUp(s *gpuStream) {
	failure := s.takeFailure(s.queued.Load())
	if failure == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unseen = append(b.unseen, failure)
}

// enter lets a call through to the driver; leave ends it.
func (s *gpuStream) enter() error {
	if !s.gate.enter() {
		return ErrClosed
	}
	if l := s.b.lost.Load(); l != nil {
		s.gate.leave()
		return l.later()
	}
	return nil
}

func (s *gpuStream) leave() { s.gate.leave() }

// launch is the path that every microsecond counts on: one call of the driver, and nothing
// allocated once the stream has run the kernel before.
func (s *gpuStream) launch(k *Kernel, cfg Config, params []byte) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	e := k.entry.(*gpuEntry)
	if err := e.allowShared(k, cfg.SharedBytes); err != nil {
		return err
	}
	u, err := s.use(k, e)
	if err != nil {
		return s.b.failed(err)
	}
	p := cuda.NewParams(len(params))
	copy(p.Bytes, params)
	if k.faultAt >= 0 {
		binary.LittleEndian.PutUint64(p.Bytes[k.faultAt:], u.record.addr)
	}
	err = s.b.ctx.Launch(e.function, dims(cfg.GridDim), dims(cfg.BlockDim), uint32(cfg.SharedBytes), s.handle, p)
	if err != nil {
		return s.b.launchFailed(k, err)
	}
	u.launched(s.queued.Add(1))
	return nil
}

func dims(d Dim3) [3]uint32 { return [3]uint32{uint32(d.X), uint32(d.Y), uint32(d.Z)} }

// launchFailed explains a launch that the driver refused.
func (b *gpu) launchFailed(k *Kernel, err error) error {
	if errors.Is(err, cuda.LaunchOutOfResources) {
		return errorf(ErrLimit, "%s: %v", k.launchName, err)
	}
	return b.failed(err)
}

func (s *gpuStream) zero(addr uint64, n int64) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.b.ctx.Fill(cuda.DevicePtr(addr), 0, n, s.handle); err != nil {
		return s.b.failed(err)
	}
	s.queued.Add(1)
	return nil
}

func (s *gpuStream) after(e backendEvent) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.b.ctx.StreamWaitEvent(s.handle, e.(*gpuEvent).handle); err != nil {
		return s.b.failed(err)
	}
	s.queued.Add(1)
	return nil
}

func (s *gpuStream) native(f func(handle uintptr) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	defer s.queued.Add(1) // whatever f says: it may have queued work before it failed
	return s.b.ctx.Current(func() error { return f(uintptr(s.handle)) })
}

// wait waits until the work queued so far has run.
func (s *gpuStream) wait(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.waitInside(ctx)
}

// waitInside is wait for a call that is with the driver already.
func (s *gpuStream) waitInside(ctx context.Context) error {
	queued := s.queued.Load()
	switch {
	case s.done.Load() >= queued: // there is no need to ask the driver
		return s.failure(queued)
	case ctx.Done() == nil: // nor for an event, where the driver can wait for the stream
		return s.reached(queued, s.b.ctx.WaitStream(ctx, s.handle))
	}
	e, err := s.b.events.get(s.b)
	if err != nil {
		return s.b.failed(err)
	}
	defer s.b.events.put(e)
	if err := s.b.ctx.Record(e, s.handle); err != nil {
		return s.b.failed(err)
	}
	return s.reached(queued, s.b.ctx.WaitEvent(ctx, e))
}

// reached is what a wait for queued operations of the stream returns, which ended with err: that,
// or the failure there is by then.
func (s *gpuStream) reached(queued uint64, err error) error {
	if err != nil {
		return s.b.failed(err)
	}
	s.ran(queued)
	if !s.gate.open() {
		return errorf(ErrClosed, "wait: the device was closed")
	}
	return s.failure(queued)
}

// ran notes that the first n operations have run.
func (s *gpuStream) ran(n uint64) {
	for {
		done := s.done.Load()
		if n <= done || s.done.CompareAndSwap(done, n) {
			return
		}
	}
}

// running lists the kernels that may be running on the stream: those launched since the last
// operation known to have run.
func (s *gpuStream) running() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, u := range s.uses {
		if u.last.Load() > s.done.Load() {
			names = append(names, u.kernel.Load().name)
		}
	}
	slices.Sort(names)
	return names
}
