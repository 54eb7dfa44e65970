package cudadev

import (
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// peerTable are the GPUs, by number, whose memory the device's own GPU was asked to reach by
// itself, in which context of theirs.
type peerTable struct {
	mu    sync.Mutex
	asked map[int]*cuda.Context
}

// Copy implements device.Stream.
func (s *stream) Copy(dst, src device.Place, n int64) error {
	to, from := dst.Of.(*Backend), src.Of.(*Backend)
	other := to
	if to == s.b {
		other = from
	}
	if other == s.b {
		return s.start(func() error { return s.b.ctx.Copy(cuda.DevicePtr(dst.Addr), cuda.DevicePtr(src.Addr), n, s.handle) })
	}
	if err := other.hold(); err != nil {
		return err
	}
	defer other.release()
	s.b.reach(other)
	err := s.start(func() error {
		return s.b.ctx.CopyPeer(to.ctx, cuda.DevicePtr(dst.Addr), from.ctx, cuda.DevicePtr(src.Addr), n, s.handle)
	})
	if err != nil {
		return err
	}
	return other.follow(s)
}

// CopyRows implements device.Stream.
func (s *stream) CopyRows(dst, src uint64, r device.Rows) error {
	to, from := cuda.DevicePtr(dst), cuda.DevicePtr(src)
	if max(r.DstPitch, r.SrcPitch) <= cuda.MaxPitch {
		return s.start(func() error {
			return s.b.ctx.CopyRows(to, r.DstPitch, from, r.SrcPitch, r.Width, r.Count, s.handle)
		})
	}
	for i := range r.Count {
		at, of := to+cuda.DevicePtr(i*r.DstPitch), from+cuda.DevicePtr(i*r.SrcPitch)
		if err := s.start(func() error { return s.b.ctx.Copy(at, of, r.Width, s.handle) }); err != nil {
			return err
		}
	}
	return nil
}

// reach lets the device's GPU read and write another's memory directly, if it can. It makes copies
// between them faster, and no copy needs it: without it the driver goes through the host.
func (b *Backend) reach(other *Backend) {
	b.peers.mu.Lock()
	defer b.peers.mu.Unlock()
	number := other.ctx.Device()
	if number == b.ctx.Device() || b.peers.asked[number] == other.ctx {
		return
	}
	if b.peers.asked == nil {
		b.peers.asked = map[int]*cuda.Context{}
	}
	b.peers.asked[number] = other.ctx
	if can, err := b.ctx.Driver().CanReach(b.ctx.Device(), number); can && err == nil {
		_ = b.ctx.Reach(other.ctx)
	}
}

// sharedPools are the pools that other GPUs may use, in this process.
var sharedPools struct {
	mu   sync.Mutex
	done map[poolKey]bool
}

// poolKey names the default pool of a GPU.
type poolKey struct {
	driver *cuda.Driver
	device int
}

// sharePool lets every GPU that can reach the device's use the memory of its pool. It does so before
// the pool gives out the first block, once in a process, because later it would break work that is
// under way: see [cuda.Context.SharePool]. Copies are right without it, and slower, so no error is
// one.
func (b *Backend) sharePool() {
	sharedPools.mu.Lock()
	defer sharedPools.mu.Unlock()
	driver, number := b.ctx.Driver(), b.ctx.Device()
	key := poolKey{driver, number}
	if sharedPools.done[key] {
		return
	}
	if sharedPools.done == nil {
		sharedPools.done = map[poolKey]bool{}
	}
	sharedPools.done[key] = true
	n, err := driver.DeviceCount()
	for other := 0; err == nil && other < n; other++ {
		if can, err := driver.CanReach(other, number); other != number && can && err == nil {
			_ = b.ctx.SharePool(other)
		}
	}
}

// follow makes what was queued so far on a stream of another device count as work of b: so that
// memory of b is not given back before it has run.
func (b *Backend) follow(s *stream) error {
	t, err := b.takeStream()
	if err != nil {
		return err
	}
	defer t.Retire()
	e, err := s.b.idleEvents.get(s.b)
	if err != nil {
		return s.b.fail(err)
	}
	defer s.b.idleEvents.put(e) // the wait is for this record of it
	if err := s.b.ctx.Record(e, s.handle); err != nil {
		return s.b.fail(err)
	}
	return t.start(func() error { return b.ctx.StreamWaitEvent(t.handle, e) })
}
