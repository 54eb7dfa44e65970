package gridstride

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// pieces is a copy of n bytes of ordinary memory, cut into parts that each fit a chunk.
type pieces struct {
	s       *gpuStream
	pool    *chunkPool
	n       int
	size    int // of each part but the last
	count   int
	workers int
	next    atomic.Int64 // part
}

// part is a piece with the chunk for it, which whoever got it gives back. The zero part is none.
type part struct {
	*chunk
	at, n int
}

// pieces cuts n > 0 bytes.
func (p *stagingPool) pieces(s *gpuStream, n int) *pieces {
	workers := min(p.workers, runtime.GOMAXPROCS(0))
	c := &pieces{s: s, n: n, pool: &p.large, size: min(max(leastPiece, n/(workers*piecesEach)), p.large.size, n)}
	if c.size <= p.small.size {
		c.pool = &p.small
	}
	c.count = (n + c.size - 1) / c.size
	c.workers = min(workers, c.count)
	return c
}

// take returns the next part, none after the last.
func (c *pieces) take(ctx context.Context) (part, error) {
	at := (int(c.next.Add(1)) - 1) * c.size
	if at >= c.n {
		return part{}, nil
	}
	chunk, err := c.pool.take(ctx, c.s)
	if err != nil {
		return part{}, c.s.b.failed(err)
	}
	return part{chunk, at, min(c.size, c.n-at)}, nil
}

// wait waits for the copy of a part, closely where it is the only one.
func (c *pieces) wait(ctx context.Context, p part) error {
	if c.count == 1 {
		return c.s.b.ctx.WaitEvent(ctx, p.copied)
	}
	return waitAmong(ctx, c.s.b, p.copied)
}

// each runs work on as many goroutines as help, with the function that gives each its next part. The first error ends the context of all, and
// is returned.
func (c *pieces) each(ctx context.Context, work func(ctx context.Context, next func() (part, error)) error) error {
	if c.workers == 1 {
		return work(ctx, func() (part, error) { return c.take(ctx) })
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	for range c.workers {
		wg.Go(func() {
			if err := work(ctx, func() (part, error) { return c.take(ctx) }); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	return first
}
