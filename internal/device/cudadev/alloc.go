package cudadev

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// Alloc implements device.Backend: it takes a block from the pool. Every stream may use it at once,
// since no queued work does: a block returns to the pool only after a fence.
func (b *Backend) Alloc(size int64) (uint64, error) {
	if err := b.hold(); err != nil {
		return 0, err
	}
	defer b.release()
	b.runFences(false)
	addr, err := b.blocks.alloc(size)
	if errors.Is(err, cuda.OutOfMemory) {
		// Blocks that still wait for their work, and those that the pool keeps, may make the room.
		b.runFences(true)
		_ = b.blocks.trim()
		addr, err = b.blocks.alloc(size)
	}
	if errors.Is(err, cuda.OutOfMemory) {
		free, total, _ := b.ctx.MemoryInfo()
		return 0, fmt.Errorf("%w: %w: %d of %d bytes are in use", device.ErrOutOfMemory, err, total-free, total)
	} else if err != nil {
		return 0, b.fail(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live[addr] = struct{}{}
	return addr, nil
}

// Retire implements device.Backend.
func (b *Backend) Retire(addr uint64) {
	b.afterQueued(func() {
		b.mu.Lock()
		delete(b.live, addr)
		b.mu.Unlock()
		_ = b.blocks.free(addr)
	})
}

// A fence is passed when all work has run that was queued on any stream when it was made.
type fence struct {
	events []cuda.Event
	// queued is how much work all streams together had ever queued: while it stays, the fence
	// stands for new requests too.
	queued  uint64
	actions []func()
}

// afterQueued calls f once all work that is queued now has run: at once if there is none, else when
// the backend next looks.
func (b *Backend) afterQueued(f func()) {
	if b.hold() != nil {
		return // close gives back what there is
	}
	defer b.release()
	b.runFences(false)
	if b.joinFence(f) {
		return
	}
	// The events are recorded without the lock: a stream with too much work queued makes its caller
	// wait.
	n := &fence{actions: []func(){f}}
	for _, s := range b.allStreams() {
		queued := s.queued.Load()
		n.queued += queued
		if queued == s.done.Load() {
			continue
		}
		e, err := b.idleEvents.get(b)
		if err == nil {
			err = b.ctx.Record(e, s.handle)
		}
		if err != nil {
			_ = b.fail(err) // the memory comes back when the device is closed
			return
		}
		n.events = append(n.events, e)
	}
	if len(n.events) == 0 {
		f()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fences = append(b.fences, n)
}

// joinFence adds f to the last fence, if no work was queued since.
func (b *Backend) joinFence(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.fences) == 0 {
		return false
	}
	var queued uint64
	for _, s := range b.streams {
		queued += s.queued.Load()
	}
	last := b.fences[len(b.fences)-1]
	if last.queued != queued {
		return false
	}
	last.actions = append(last.actions, f)
	return true
}

// runFences carries out what waited for fences that are passed; with wait, for all. One goroutine
// at a time does it, and stalls only others that wait.
func (b *Backend) runFences(wait bool) {
	if wait {
		b.sweep.Lock()
	} else if !b.sweep.TryLock() {
		return
	}
	defer b.sweep.Unlock()
	b.mu.Lock()
	fences := b.fences
	b.fences = nil
	b.mu.Unlock()
	var rest []*fence
	for _, f := range fences {
		if !b.passed(f, wait) {
			rest = append(rest, f)
			continue
		}
		for _, action := range f.actions {
			action()
		}
	}
	if rest != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.fences = append(rest, b.fences...)
	}
}

// passed reports whether the work before a fence has run, and gives back its events. On a lost
// device everything has.
func (b *Backend) passed(f *fence, wait bool) bool {
	for len(f.events) > 0 {
		e := f.events[0]
		done := true
		var err error
		if wait {
			err = b.ctx.WaitEvent(context.Background(), e)
		} else {
			done, err = b.ctx.EventDone(e)
		}
		if err != nil {
			_ = b.fail(err)
		} else if !done {
			return false
		}
		b.idleEvents.put(e)
		f.events = f.events[1:]
	}
	return true
}
