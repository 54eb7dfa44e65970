package cudadev

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
)

// pinTable knows the program's pinned memory. That is Go memory which the driver has locked in
// place: it stays memory when it is unpinned, so that a slice of it can be used for ever.
type pinTable struct {
	count atomic.Int64 // of blocks, so that a copy of a program without any looks no further

	mu     sync.RWMutex
	blocks []*pinnedBlock
}

// pinnedBlock is a range of pinned memory.
type pinnedBlock struct {
	mem  []byte
	pin  runtime.Pinner
	life device.Lifetime // ended when it is to be unpinned; copies on their way to the driver hold it
	b    *Backend
}

// Pin implements device.Backend.
func (b *Backend) Pin(mem []byte) error {
	if err := b.hold(); err != nil {
		return err
	}
	defer b.release()
	p := &pinnedBlock{mem: mem, b: b}
	p.pin.Pin(&mem[0])
	if err := b.ctx.RegisterHost(mem); err != nil {
		p.pin.Unpin()
		return b.fail(err)
	}
	b.pins.mu.Lock()
	defer b.pins.mu.Unlock()
	b.pins.blocks = append(b.pins.blocks, p)
	b.pins.count.Add(1)
	return nil
}

// Unpin implements device.Backend: it gives memory back as soon as the work queued so far has run.
func (b *Backend) Unpin(mem []byte) {
	b.pins.mu.Lock()
	var p *pinnedBlock
	for i, q := range b.pins.blocks {
		if &q.mem[0] == &mem[0] {
			p = q
			b.pins.blocks = append(b.pins.blocks[:i], b.pins.blocks[i+1:]...)
			b.pins.count.Add(-1)
			break
		}
	}
	b.pins.mu.Unlock()
	if p == nil {
		return
	}
	if _, now := p.life.End(); now {
		p.retire()
	}
}

func (p *pinnedBlock) retire() {
	p.b.afterQueued(func() {
		_ = p.b.ctx.UnregisterHost(p.mem)
		p.pin.Unpin()
	})
}

// hold returns the function that releases the pinned memory that contains mem, or nil if none does.
func (t *pinTable) hold(mem []byte) (release func()) {
	if t.count.Load() == 0 || len(mem) == 0 {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	at := uintptr(unsafe.Pointer(&mem[0]))
	for _, p := range t.blocks {
		start := uintptr(unsafe.Pointer(&p.mem[0]))
		if at >= start && at+uintptr(len(mem)) <= start+uintptr(len(p.mem)) && p.life.Hold() {
			return func() {
				if p.life.Release() {
					p.retire()
				}
			}
		}
	}
	return nil
}

// close unpins the remaining memory, whose work has run.
func (t *pinTable) close(b *Backend) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.blocks {
		_ = b.ctx.UnregisterHost(p.mem)
		p.pin.Unpin()
	}
	t.blocks = nil
	t.count.Store(0)
}
