package cudadev

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// event is an event of the driver, recorded on a stream.
type event struct {
	s      *stream
	handle cuda.Event
	queued uint64 // operations of the stream before it
}

// Record implements device.Stream.
func (s *stream) Record() (device.EventID, error) {
	if err := s.hold(); err != nil {
		return 0, err
	}
	defer s.release()
	s.takeLines()
	e := &event{s: s, queued: s.queued.Load()}
	var err error
	if e.handle, err = s.b.idleEvents.get(s.b); err != nil {
		return 0, s.b.fail(err)
	}
	if err := s.b.ctx.Record(e.handle, s.handle); err != nil {
		s.b.idleEvents.put(e.handle)
		return 0, s.b.fail(err)
	}
	return s.b.events.Add(e), nil
}

// DropEvent implements device.Backend.
func (b *Backend) DropEvent(id device.EventID) {
	b.idleEvents.put(b.events.At(id).handle)
	b.events.Remove(id)
}

// WaitEvent implements device.Backend.
func (b *Backend) WaitEvent(ctx context.Context, id device.EventID) error {
	e := b.events.At(id)
	happened := e.s.done.Load() >= e.queued
	if err := e.s.hold(); err != nil {
		if happened { // before the device was closed
			return e.s.takeFailure(e.queued)
		}
		return err
	}
	defer e.s.release()
	defer e.s.printLines(ctx)
	if happened {
		return e.s.takeFailure(e.queued)
	}
	return e.s.reached(e.queued, b.ctx.WaitEvent(ctx, e.handle))
}

// EventDone implements device.Backend.
func (b *Backend) EventDone(id device.EventID) (bool, error) {
	e := b.events.At(id)
	if e.s.done.Load() >= e.queued {
		return true, e.s.takeFailure(e.queued)
	}
	if err := e.s.hold(); err != nil {
		return false, err
	}
	defer e.s.release()
	done, err := b.ctx.EventDone(e.handle)
	if !done && err == nil {
		return false, nil
	}
	return err == nil, e.s.reached(e.queued, err)
}

// Wait implements device.Backend.
func (b *Backend) Wait(ctx context.Context) error {
	if err := b.hold(); err != nil {
		return err
	}
	defer b.release()
	var failures []error
	for _, s := range b.allStreams() {
		if err := s.Wait(ctx); err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil || !b.gate.open() || b.lost.Load() != nil {
			break // the others would say the same
		}
	}
	return errors.Join(failures...)
}

// Elapsed implements device.Backend.
func (b *Backend) Elapsed(start, end device.EventID) (time.Duration, error) {
	from, e := b.events.At(start), b.events.At(end)
	if err := e.s.hold(); err != nil {
		return 0, err
	}
	defer e.s.release()
	// That the work before them has run says that the events happen now.
	for _, at := range []cuda.Event{from.handle, e.handle} {
		if err := b.ctx.WaitEvent(context.Background(), at); err != nil {
			return 0, b.fail(err)
		}
	}
	d, err := b.ctx.Elapsed(from.handle, e.handle)
	if err != nil {
		return 0, b.fail(err)
	}
	return d, nil
}

// eventPool keeps the driver's events that nothing uses.
type eventPool struct {
	mu   sync.Mutex
	free []cuda.Event
}

func (p *eventPool) get(b *Backend) (cuda.Event, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		e := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return e, nil
	}
	p.mu.Unlock()
	return b.ctx.NewEvent()
}

func (p *eventPool) put(e cuda.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, e)
}

// close destroys the events in the pool. Those that the program still holds end with the context,
// unless another user of the GPU in this process keeps that. Then they leak, a few hundred bytes
// each.
func (p *eventPool) close(b *Backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.free {
		_ = b.ctx.DestroyEvent(e)
	}
	p.free = nil
}
