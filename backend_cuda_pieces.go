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
	ends    []int // of the parts
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
	c := &pieces{s: s, pool: &p.large}
	if n <= leastPiece {
		c.ends = []int{n}
	} else {
		c.ends = cut(n, min(max(leastPiece, n/(workers*piecesEach)), p.large.size), p.least, workers)
	}
	if c.ends[0] == n && n <= p.small.size {
		c.pool = &p.small
	}
	c.workers = min(workers, len(c.ends))
	return c
}

// cut returns the ends of parts of n bytes, of most bytes each. The first and the last parts are smaller: nothing crosses the bus before the first
// part has been copied to its chunk, nor, in the other direction, after the last has landed. From least bytes on, parts double after each round
// of the workers.
func cut(n, most, least, workers int) []int {
	var ends []int
	at, tail := 0, 0
	var sizes []int // of the last parts, from behind
	for size := least; size < most && n-at-tail >= 4*workers*size; size *= 2 {
		for range workers {
			at, tail = at+size, tail+size
			ends, sizes = append(ends, at), append(sizes, size)
		}
	}
	for at < n-tail {
		at = min(at+most, n-tail)
		ends = append(ends, at)
	}
	for i := len(sizes) - 1; i >= 0; i-- {
		at += sizes[i]
		ends = append(ends, at)
	}
	return ends
}

// take returns the next part, none after the last.
func (c *pieces) take(ctx context.Context) (part, error) {
	i := int(c.next.Add(1)) - 1
	if i >= len(c.ends) {
		return part{}, nil
	}
	chunk, err := c.pool.take(ctx, c.s)
	if err != nil {
		return part{}, c.s.b.failed(err)
	}
	at := 0
	if i > 0 {
		at = c.ends[i-1]
	}
	return part{chunk, at, c.ends[i] - at}, nil
}

// wait waits for the copy of a part, closely where it is the only one.
func (c *pieces) wait(ctx context.Context, p part) error {
	if len(c.ends) == 1 {
		return c.s.b.ctx.WaitEvent(ctx, p.copied)
	}
	return waitAmong(ctx, c.s.b, p.copied)
}

// each runs work on as many goroutines as help, this one among them, with the function that gives each its next part. The first error ends the
// context of all, and is returned.
func (c *pieces) each(ctx context.Context, work func(ctx context.Context, next func() (part, error)) error) error {
	if c.workers == 1 {
		return work(ctx, func() (part, error) { return c.take(ctx) })
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	var first error
	one := func() {
		if err := work(ctx, func() (part, error) { return c.take(ctx) }); err != nil {
			once.Do(func() { first = err })
			cancel()
		}
	}
	var wg sync.WaitGroup
	for range c.workers - 1 {
		wg.Go(one)
	}
	one() // it is awake already
	wg.Wait()
	return first
}
