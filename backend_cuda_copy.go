package gridstride

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/cuda"
)

// A copy of ordinary memory is cut into pieces of at least leastPiece bytes, worked on by up to copyWorkers goroutines: one processor core
// moves some 10 GB/s, the bus five times that.
const (
	leastPiece  = 256 << 10
	copyWorkers = 8
)

// copyIn returns when src is no longer needed, which is when its last piece is in pinned memory: the work queued before may still run.
func (s *gpuStream) copyIn(ctx context.Context, dst uint64, src []byte) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if release := s.b.pins.hold(src); release != nil {
		defer release()
		if err := s.startInside(func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst), src, s.handle) }); err != nil {
			return err
		}
		return s.waitInside(ctx)
	}
	return s.pieces(ctx, len(src), func(ctx context.Context, c *chunk, at, n int) error {
		copy(c.mem, src[at:at+n])
		err := s.stage(c, func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst)+cuda.DevicePtr(at), c.mem[:n], s.handle) })
		c.pool.fly(c)
		return err
	})
}

func (s *gpuStream) copyOut(ctx context.Context, dst []byte, src uint64) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	queued := s.queued.Load()
	var err error
	if release := s.b.pins.hold(dst); release != nil {
		defer release()
		err = s.copyOutPinned(ctx, dst, src)
	} else {
		err = s.copyOutStaged(ctx, dst, src)
	}
	if err != nil {
		return err
	}
	s.ran(queued)
	return s.failure(queued)
}

// copyOutPinned copies straight to pinned memory. Such a copy cannot be called back, so it is started only once the work before it has run, and that is
// what ctx can end.
func (s *gpuStream) copyOutPinned(ctx context.Context, dst []byte, src uint64) error {
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

func (s *gpuStream) copyOutStaged(ctx context.Context, dst []byte, src uint64) error {
	return s.pieces(ctx, len(dst), func(ctx context.Context, c *chunk, at, n int) error {
		err := s.stage(c, func() error { return s.b.ctx.CopyOut(c.mem[:n], cuda.DevicePtr(src)+cuda.DevicePtr(at), s.handle) })
		if err == nil {
			err = s.b.ctx.WaitEvent(ctx, c.copy)
		}
		if err != nil {
			c.pool.fly(c)
			return s.b.failed(err)
		}
		copy(dst[at:at+n], c.mem)
		c.pool.put(c)
		return nil
	})
}

// startIn and startOut queue a copy of pinned memory that nobody waits for here.
func (s *gpuStream) startIn(dst uint64, src []byte) error {
	return s.start(func() error { return s.b.ctx.CopyIn(cuda.DevicePtr(dst), src, s.handle) })
}

func (s *gpuStream) startOut(dst []byte, src uint64) error {
	return s.start(func() error { return s.b.ctx.CopyOut(dst, cuda.DevicePtr(src), s.handle) })
}

func (s *gpuStream) start(f func() error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.startInside(f)
}

func (s *gpuStream) startInside(f func() error) error {
	if err := f(); err != nil {
		return s.b.failed(err)
	}
	s.queued.Add(1)
	return nil
}

// stage queues a copy of a chunk and its event.
func (s *gpuStream) stage(c *chunk, f func() error) error {
	c.s = s
	if err := s.startInside(f); err != nil {
		return err
	}
	if err := s.b.ctx.Record(c.copy, s.handle); err != nil {
		return s.b.failed(err)
	}
	return nil
}

// pieces calls move for each piece of n bytes, with a chunk that move gives back, from as many goroutines as help. The first error ends it.
func (s *gpuStream) pieces(ctx context.Context, n int, move func(ctx context.Context, c *chunk, at, n int) error) error {
	if n == 0 {
		return nil
	}
	workers := min(copyWorkers, runtime.GOMAXPROCS(0))
	piece := min(max(leastPiece, (n+workers-1)/workers), largeChunk, n)
	pool := s.b.staging.of(piece)
	count := (n + piece - 1) / piece
	var next atomic.Int64
	work := func(ctx context.Context) error {
		for {
			at := (int(next.Add(1)) - 1) * piece
			if at >= n {
				return nil
			}
			c, err := pool.take(ctx, s)
			if err != nil {
				return s.b.failed(err)
			}
			if err := move(ctx, c, at, min(piece, n-at)); err != nil {
				return err
			}
		}
	}
	if count == 1 {
		return work(ctx)
	}
	return together(ctx, min(workers, count), work)
}

// together runs work on n goroutines and returns the first error, which ends the context of the others.
func together(ctx context.Context, n int, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	for range n {
		wg.Go(func() {
			if err := work(ctx); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	return first
}

// write and read copy on a stream that has nothing else to do.
func (b *gpu) write(dst uint64, src []byte) error {
	return b.alone(func(s *gpuStream) error {
		if err := s.copyIn(context.Background(), dst, src); err != nil {
			return err
		}
		return s.wait(context.Background())
	})
}

func (b *gpu) read(dst []byte, src uint64) error {
	return b.alone(func(s *gpuStream) error { return s.copyOut(context.Background(), dst, src) })
}

func (b *gpu) alone(f func(*gpuStream) error) error {
	s, err := b.takeStream()
	if err != nil {
		return err
	}
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.idle = append(b.idle, s)
	}()
	return f(s)
}
