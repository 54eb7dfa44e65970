package gridstride

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/cuda"
)

// gpuEvent is an event of the driver, recorded on a stream. The driver's event goes back to the
// pool when the garbage collector finds that the program has dropped this one.
type gpuEvent struct {
	s      *gpuStream
	handle cuda.Event
	queued uint64 // operations of the stream before it
}

func (s *gpuStream) record() (backendEvent, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	e := &gpuEvent{s: s, queued: s.queued.Load()}
	var err error
	if e.handle, err = s.b.events.get(s.b); err != nil {
		return nil, s.b.failed(err)
	}
	runtime.AddCleanup(e, s.b.events.put, e.handle)
	if err := s.b.ctx.Record(e.handle, s.handle); err != nil {
		return nil, s.b.failed(err)
	}
	return e, nil
}

func (e *gpuEvent) wait(ctx context.Context) error {
	if e.s.done.Load() >= e.queued {
		return e.s.failure(e.queued) // it has happened, also where the device was closed since
	}
	defer runtime.KeepAlive(e)
	if err := e.s.enter(); err != nil {
		return err
	}
	defer e.s.leave()
	return e.s.reached(e.queued, e.s.b.ctx.WaitEvent(ctx, e.handle))
}

func (e *gpuEvent) since(start backendEvent) (time.Duration, error) {
	from := start.(*gpuEvent)
	defer runtime.KeepAlive(e)
	defer runtime.KeepAlive(from)
	if err := e.s.enter(); err != nil {
		return 0, err
	}
	defer e.s.leave()
	// That the work before them has run says that the events happen now.
	for _, at := range []cuda.Event{from.handle, e.handle} {
		if err := e.s.b.ctx.WaitEvent(context.Background(), at); err != nil {
			return 0, e.s.b.failed(err)
		}
	}
	d, err := e.s.b.ctx.Elapsed(from.handle, e.handle)
	if err != nil {
		return 0, e.s.b.failed(err)
	}
	return d, nil
}

// eventPool keeps the driver's events that nothing uses.
type eventPool struct {
	mu   sync.Mutex
	free []cuda.Event
}

func (p *eventPool) get(b *gpu) (cuda.Event, error) {
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
// unless another user of the GPU in this process keeps that: then they are what is left, a few
// hundred bytes each.
func (p *eventPool) close(b *gpu) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.free {
		_ = b.ctx.DestroyEvent(e)
	}
	p.free = nil
}
