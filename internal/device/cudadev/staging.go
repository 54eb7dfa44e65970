package cudadev

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// Ordinary host memory may be moved or swapped out by the system, so the GPU cannot read it: a copy
// goes through pinned memory, in pieces, so that the processor fills one while the GPU reads
// another. The driver would do the same, but with one thread, and holding up the caller until the
// stream has come to the copy.

// Sizes that docs/measurements found fast: the size of chunks, the least size of a piece, how many
// goroutines work on a copy (one core of a processor moves some 10 GB/s, the bus five times that),
// and how many chunks a stream has in flight before it waits for its oldest: two for each
// goroutine.
const (
	smallChunk     = 64 << 10
	largeChunk     = 4 << 20
	leastPiece     = 256 << 10
	copyWorkers    = 6
	piecesEach     = 4 // of a copy that is too small for large chunks
	chunksInFlight = 2 * copyWorkers
)

// chunk is a piece of pinned memory with an event for its last copy.
type chunk struct {
	pool   *chunkPool
	mem    []byte
	copied cuda.Event
	s      *stream // whose copy is in flight, nil for none
	number uint64  // of that copy among the stream's operations
}

// stagingPool are the chunks of a device, in two sizes.
type stagingPool struct {
	small, large chunkPool
	workers      int
	least        int // bytes of the first and last parts of a copy
}

func (p *stagingPool) init() {
	p.small.size, p.large.size, p.workers, p.least = smallChunk, largeChunk, copyWorkers, leastPiece
}

func (p *stagingPool) close(b *Backend) {
	p.small.close(b)
	p.large.close(b)
}

// chunkPool are the chunks of one size. A chunk is with a copy, in flight, or free.
type chunkPool struct {
	size int

	mu     sync.Mutex
	free   []*chunk
	flying []*chunk // about by age
}

// take returns a chunk for a copy on s: a free one, a new one, or, where the stream has enough, its
// own oldest when that has landed. It does not wait for chunks of other streams, which a kernel may
// delay.
func (p *chunkPool) take(ctx context.Context, s *stream) (*chunk, error) {
	p.mu.Lock()
	own := 0
	var oldest *chunk
	if len(p.free) == 0 {
		own, oldest = p.land(s)
	}
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	if own >= chunksInFlight {
		p.remove(oldest)
		p.mu.Unlock()
		if err := waitAmong(ctx, s.b, oldest.copied); err != nil {
			p.giveBack(oldest)
			return nil, err
		}
		oldest.s = nil
		return oldest, nil
	}
	p.mu.Unlock()
	return p.make(s.b)
}

// land frees the chunks whose copies are done, and counts s's chunks in flight. It needs p.mu. The
// copies of a stream end in order, so that a copy in flight means that all later ones are in
// flight, and a wait for the stream covers all before it. So land asks the driver little, since
// each question delays the goroutines that have copies for it.
func (p *chunkPool) land(s *stream) (own int, oldest *chunk) {
	flying := p.flying[:0]
	var busy []*stream
	for _, c := range p.flying {
		if !slices.Contains(busy, c.s) {
			done := c.s.done.Load() >= c.number
			var err error
			if !done {
				done, err = c.s.b.ctx.EventDone(c.copied)
			}
			if done || err != nil {
				c.s = nil
				p.free = append(p.free, c)
				continue
			}
			busy = append(busy, c.s)
		}
		if c.s == s {
			if own++; oldest == nil {
				oldest = c
			}
		}
		flying = append(flying, c)
	}
	clear(p.flying[len(flying):])
	p.flying = flying
	return own, oldest
}

// remove takes a chunk out of those in flight. It needs p.mu.
func (p *chunkPool) remove(c *chunk) {
	for i, f := range p.flying {
		if f == c {
			p.flying = append(p.flying[:i], p.flying[i+1:]...)
			return
		}
	}
}

func (p *chunkPool) make(b *Backend) (*chunk, error) {
	c := &chunk{pool: p}
	var err error
	if c.copied, err = b.ctx.NewMark(); err != nil {
		return nil, err
	}
	if c.mem, err = b.ctx.AllocHost(int64(p.size)); err != nil {
		_ = b.ctx.DestroyEvent(c.copied)
		return nil, err
	}
	return c, nil
}

// giveBack takes a chunk back, also one whose copy is under way.
func (p *chunkPool) giveBack(c *chunk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.s != nil {
		p.flying = append(p.flying, c)
	} else {
		p.free = append(p.free, c)
	}
}

func (p *chunkPool) close(b *Backend) {
	for _, c := range append(p.free, p.flying...) {
		_ = b.ctx.FreeHost(c.mem)
		_ = b.ctx.DestroyEvent(c.copied)
	}
	p.free, p.flying = nil, nil
}

// waitAmong waits for a copy while other goroutines wait for others. All ask the same driver, which
// serves one at a time, and so each asks now and then only; after a while, with pauses, since then
// there is something before the copy that takes long.
func waitAmong(ctx context.Context, b *Backend, e cuda.Event) error {
	const (
		between = 5 * time.Microsecond
		busy    = 300 * time.Microsecond
		pause   = 50 * time.Microsecond
	)
	for start := time.Now(); ; {
		done, err := b.ctx.EventDone(e)
		if done || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		asked := time.Now()
		if asked.Sub(start) > busy {
			time.Sleep(pause)
			continue
		}
		for time.Since(asked) < between {
			runtime.Gosched()
		}
	}
}
