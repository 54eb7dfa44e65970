package cudadev

import (
	"context"
	"reflect"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// CopyIn implements device.Stream. It returns when src is no longer needed, which is when its last
// piece is in pinned memory: the work queued before may still run.
func (s *stream) CopyIn(ctx context.Context, dst uint64, src []byte) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	return s.copyInInside(ctx, dst, src)
}

// copyInInside is CopyIn for a call that is with the driver already.
func (s *stream) copyInInside(ctx context.Context, dst uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if s.lowers != nil {
		return s.copyKept(dst, src)
	}
	if release := s.b.pins.hold(src); release != nil {
		defer release()
		if err := s.startInside(func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst), src, s.handle) }); err != nil {
			return err
		}
		return s.waitInside(ctx)
	}
	pieces := s.b.staging.pieces(s, len(src))
	return pieces.each(ctx, func(ctx context.Context) error {
		var own pair
		defer own.giveBack()
		for i := 0; ; i++ {
			p, ok := pieces.take()
			if !ok {
				return nil
			}
			c, err := own.next(ctx, pieces, i)
			if err != nil {
				return err
			}
			copy(c.mem, src[p.at:p.at+p.n])
			if err := s.stage(c, func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst)+cuda.DevicePtr(p.at), c.mem[:p.n], s.handle) }); err != nil {
				return err
			}
		}
	})
}

// CopyOut implements device.Stream.
func (s *stream) CopyOut(ctx context.Context, dst []byte, src uint64, _ reflect.Type) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	defer s.endWait(ctx, s.takeLines())
	if len(dst) == 0 {
		return s.waitInside(ctx)
	}
	if release := s.b.pins.hold(dst); release != nil {
		defer release()
		return s.copyOutPinned(ctx, dst, src)
	}
	return s.copyOutStaged(ctx, dst, src)
}

// copyOutPinned copies straight to pinned memory. Such a copy cannot be called back, so it is
// started only once the work before it has run, and ctx can end that wait.
func (s *stream) copyOutPinned(ctx context.Context, dst []byte, src uint64) error {
	if ctx.Done() != nil {
		if err := s.waitInside(ctx); err != nil {
			return err
		}
	}
	if err := s.startInside(func() error { return s.b.ctx.CopyOut(dst, cuda.DevicePtr(src), s.handle) }); err != nil {
		return err
	}
	return s.waitInside(context.WithoutCancel(ctx))
}

// copyOutStaged has each goroutine queue the next piece before it waits for the last and copies it
// on, so that the bus is never idle.
func (s *stream) copyOutStaged(ctx context.Context, dst []byte, src uint64) error {
	queued := s.queued.Load()
	pieces := s.b.staging.pieces(s, len(dst))
	err := pieces.each(ctx, func(ctx context.Context) error {
		var own pair
		defer own.giveBack()
		var last part
		for i := 0; ; i++ {
			p, ok := pieces.take()
			if ok {
				c, err := own.next(ctx, pieces, i)
				if err != nil {
					return err
				}
				if err := s.stage(c, func() error { return s.b.ctx.CopyOut(c.mem[:p.n], cuda.DevicePtr(src)+cuda.DevicePtr(p.at), s.handle) }); err != nil {
					return err
				}
			}
			if i > 0 {
				c, err := own.next(ctx, pieces, i-1)
				if err != nil {
					return err
				}
				copy(dst[last.at:last.at+last.n], c.mem)
			}
			if !ok {
				return nil
			}
			last = p
		}
	})
	if err != nil {
		return err
	}
	s.ran(queued)
	if all := queued + uint64(len(pieces.ends)); s.queued.Load() == all {
		s.ran(all) // nothing came between the pieces: the stream is idle
	}
	return s.takeFailure(queued)
}

// StartIn implements device.Stream.
func (s *stream) StartIn(dst uint64, src []byte) error {
	if s.lowers != nil {
		return s.copyKept(dst, src)
	}
	return s.start(func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst), src, s.handle) })
}

// StartOut implements device.Stream.
func (s *stream) StartOut(dst []byte, src uint64, _ reflect.Type) error {
	return s.start(func() error { return s.b.ctx.CopyOut(dst, cuda.DevicePtr(src), s.handle) })
}

func (s *stream) start(f func() error) error {
	if err := s.hold(); err != nil {
		return err
	}
	defer s.release()
	return s.startInside(f)
}

func (s *stream) startInside(f func() error) error {
	_, err := s.number(f)
	return err
}

// number starts an operation, and returns its number n in the stream: it has run once n operations
// have.
func (s *stream) number(f func() error) (uint64, error) {
	if err := f(); err != nil {
		return 0, s.b.fail(err)
	}
	return s.queued.Add(1), nil
}

// stage queues a copy from or to a chunk, and its event.
func (s *stream) stage(c *chunk, f func() error) error {
	number, err := s.number(f)
	if err != nil {
		return err
	}
	c.s, c.number = s, number
	if err := s.b.ctx.Record(c.copied, s.handle); err != nil {
		return s.b.fail(err)
	}
	return nil
}

// Write implements device.Backend: it copies on a stream that has nothing else to do.
func (b *Backend) Write(dst uint64, src []byte) error {
	s, err := b.takeStream()
	if err != nil {
		return err
	}
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.idle = append(b.idle, s)
	}()
	if err := s.CopyIn(context.Background(), dst, src); err != nil {
		return err
	}
	return s.Wait(context.Background())
}
