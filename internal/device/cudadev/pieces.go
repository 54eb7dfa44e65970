package cudadev

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// pieces is a copy of n bytes of ordinary memory, cut into parts that each fit a chunk.
type pieces struct {
	s       *stream
	pool    *chunkPool
	ends    []int // of the parts
	workers int
	next    atomic.Int64 // part
}

// part is a piece: n bytes at an offset.
type part struct{ at, n int }

// pieces cuts n > 0 bytes.
func (p *stagingPool) pieces(s *stream, n int) *pieces {
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

// cut returns the ends of parts of n bytes, of most bytes each. The first and the last parts are
// smaller: nothing crosses the bus before the first part has been copied to its chunk, nor, in the
// other direction, after the last has landed. From least bytes on, parts double after each round of
// the workers.
func cut(n, most, least, workers int) []int {
	var ends []int
	at, tail := 0, 0
	var sizes []int // of the last parts, from the end
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

// take returns the next part, false after the last.
func (c *pieces) take() (part, bool) {
	i := int(c.next.Add(1)) - 1
	if i >= len(c.ends) {
		return part{}, false
	}
	at := 0
	if i > 0 {
		at = c.ends[i-1]
	}
	return part{at, c.ends[i] - at}, true
}

// each runs work on as many goroutines as help, this one among them. The first error ends the
// context of all, and is returned.
func (c *pieces) each(ctx context.Context, work func(ctx context.Context) error) error {
	if c.workers == 1 {
		return work(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	var first error
	one := func() {
		if err := work(ctx); err != nil {
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

// pair are the chunks of one goroutine of a copy, which takes turns at them: while one is on the
// bus, it fills or empties the other. They are its own until it has no more parts, so that
// goroutines do not meet at the pool for each.
type pair [2]*chunk

// next returns the chunk for the i-th turn, when its last copy is done.
func (p *pair) next(ctx context.Context, c *pieces, i int) (*chunk, error) {
	own := &p[i%2]
	if *own == nil {
		var err error
		if *own, err = c.pool.take(ctx, c.s); err != nil {
			return nil, c.s.b.fail(err)
		}
	} else if err := c.landed(ctx, *own); err != nil {
		return nil, c.s.b.fail(err)
	}
	return *own, nil
}

// landed waits for the last copy of a chunk, polling closely if it is the only one.
func (c *pieces) landed(ctx context.Context, own *chunk) (err error) {
	switch {
	case own.s == nil:
	case len(c.ends) == 1:
		err = c.s.b.ctx.WaitEvent(ctx, own.copied)
	default:
		err = waitAmong(ctx, c.s.b, own.copied)
	}
	if err == nil {
		own.s = nil
	}
	return err
}

// giveBack gives the chunks to the pool, also those that are on the bus.
func (p *pair) giveBack() {
	for _, c := range p {
		if c != nil {
			c.pool.giveBack(c)
		}
	}
}
