package cudadev

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"sync"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// blockSource provides blocks of device memory. It keeps freed blocks, since allocating memory from
// the system takes longer than most kernels run. No queued work uses a block when it is freed, and
// so none does when it is reused.
type blockSource interface {
	alloc(size int64) (uint64, error)
	free(addr uint64) error
	// trim returns free blocks to the system.
	trim() error
}

// newBlockSource is the driver's stream-ordered pool if it has one (CUDA 11.2), else our own.
func newBlockSource(b *Backend) (blockSource, error) {
	number := b.ctx.Device()
	if has, err := b.ctx.Driver().Attribute(number, cuda.MemoryPoolsSupported); err != nil || has == 0 {
		return newSizeClasses(b.ctx), nil // drivers before 11.2 do not know the attribute
	}
	// The pool is the device's own, which other users of the GPU in this process share: what one
	// frees serves the other. It keeps everything until the last byte is needed. Only the driver
	// can know that it is.
	if err := b.ctx.KeepFreed(math.MaxUint64); err != nil {
		return nil, err
	}
	b.sharePool()
	return driverPool{b.ctx, b.home}, nil
}

// driverPool is the device's stream-ordered pool. It orders blocks by a stream that runs nothing,
// since ours have their order from fences. Waiting for that stream makes a block good for every
// other.
type driverPool struct {
	ctx  *cuda.Context
	home cuda.Stream
}

func (p driverPool) alloc(size int64) (uint64, error) {
	addr, err := p.ctx.AllocAsync(size, p.home)
	if err != nil {
		return 0, err
	}
	return uint64(addr), p.ctx.WaitStream(context.Background(), p.home)
}

func (p driverPool) free(addr uint64) error { return p.ctx.FreeAsync(cuda.DevicePtr(addr), p.home) }

func (p driverPool) trim() error {
	return errors.Join(p.ctx.WaitStream(context.Background(), p.home), p.ctx.TrimPool(0))
}

// sizeClasses keeps freed blocks by size, rounded up to four steps for each power of two, so that
// at most a fifth of a block is unused.
type sizeClasses struct {
	ctx *cuda.Context

	mu   sync.Mutex
	size map[uint64]int64   // of the blocks given out
	kept map[int64][]uint64 // by size
}

func newSizeClasses(ctx *cuda.Context) *sizeClasses {
	return &sizeClasses{ctx: ctx, size: map[uint64]int64{}, kept: map[int64][]uint64{}}
}

// classOf is the size of the blocks that serve size bytes: the least 512·k·2^i, with k from 4 to 7
// or i = 0, that is enough.
func classOf(size int64) int64 {
	const unit = 512
	n := uint64(size+unit-1) / unit
	if shift := bits.Len64(n) - 3; shift > 0 {
		step := uint64(1) << shift
		n = (n + step - 1) &^ (step - 1)
	}
	return int64(n) * unit
}

func (c *sizeClasses) alloc(size int64) (uint64, error) {
	class := classOf(size)
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept := c.kept[class]; len(kept) > 0 {
		addr := kept[len(kept)-1]
		c.kept[class] = kept[:len(kept)-1]
		c.size[addr] = class
		return addr, nil
	}
	addr, err := c.ctx.Alloc(class)
	if err != nil {
		return 0, err
	}
	c.size[uint64(addr)] = class
	return uint64(addr), nil
}

func (c *sizeClasses) free(addr uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	class := c.size[addr]
	delete(c.size, addr)
	c.kept[class] = append(c.kept[class], addr)
	return nil
}

func (c *sizeClasses) trim() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, blocks := range c.kept {
		for _, addr := range blocks {
			errs = append(errs, c.ctx.Free(cuda.DevicePtr(addr)))
		}
	}
	clear(c.kept)
	return errors.Join(errs...)
}
