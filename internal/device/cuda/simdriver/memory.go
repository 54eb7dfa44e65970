//go:build linux

package simdriver

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// memory is a context's: its allocations on the device, and the host's memory that it knows.
type memory struct {
	mu     sync.Mutex
	allocs map[uint64]uint64 // sizes by address
	pinned []pinned
}

// freeAll gives back what a context has, when it ends.
func (m *memory) freeAll(c *context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for addr := range m.allocs {
		_ = c.machine.Free(addr)
	}
	for i := range m.pinned {
		m.pinned[i].give(c)
	}
	m.allocs, m.pinned = nil, nil
}

func (d *driver) memoryFunctions() map[string]any {
	return map[string]any{
		"cuMemAllocPitch_v2":      d.allocPitch,
		"cuMemAllocFromPoolAsync": func(to, size, pool, s uintptr) uintptr { return d.memAllocAsync(to, size, s) },
		"cuMemPoolCreate":         d.poolCreate,
		"cuMemPoolDestroy":        d.poolDestroy,
		"cuDeviceGetMemPool":      d.defaultPool,
		"cuDeviceSetMemPool":      func(number, pool uintptr) uintptr { return d.known(number) },
		"cuMemPoolGetAccess":      func(to, pool, where uintptr) uintptr { store(to, uint32(3)); return 0 },
		"cuMemGetAddressRange_v2": d.addressRange,
		"cuPointerGetAttribute":   d.pointerAttribute,
		"cuPointerGetAttributes":  d.pointerAttributes,
		"cuPointerSetAttribute":   func(value, attribute, addr uintptr) uintptr { return d.inContext(func(*context) uintptr { return 0 }) },
		"cuMemAdvise":             func(addr, n, advice, number uintptr) uintptr { return d.inContext(func(*context) uintptr { return 0 }) },
		"cuMemAdvise_v2":          func(addr, n, advice, where uintptr) uintptr { return d.inContext(func(*context) uintptr { return 0 }) },
		"cuMemPrefetchAsync":      func(addr, n, number, s uintptr) uintptr { return d.prefetch(addr, n, s) },
		"cuMemPrefetchAsync_v2":   func(addr, n, where, flags, s uintptr) uintptr { return d.prefetch(addr, n, s) },
	}
}

func (d *driver) memAlloc(to, size uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	return c.alloc(to, size)
}

func (c *context) alloc(to, size uintptr) uintptr {
	if to == 0 || size == 0 && c.dev.d.cfg.guest || int64(size) < 0 {
		return code(cuda.InvalidValue)
	}
	addr, err := c.machine.Alloc(int64(size))
	if errors.Is(err, sim.ErrOutOfMemory) {
		return code(cuda.OutOfMemory)
	} else if err != nil {
		return code(cuda.InvalidValue)
	}
	if c.checks != nil {
		c.checks.Allocated(addr, int64(size), event.Position{})
	}
	c.memory.mu.Lock()
	if c.memory.allocs == nil {
		c.memory.allocs = map[uint64]uint64{}
	}
	c.memory.allocs[addr] = uint64(size)
	c.memory.mu.Unlock()
	*at[uint64](to) = addr
	return 0
}

// Rows of cuMemAllocPitch begin at multiples of pitchAlign.
const pitchAlign = 512

func (d *driver) allocPitch(to, pitch, width, height, element uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		rows := (width + pitchAlign - 1) &^ (pitchAlign - 1)
		switch {
		case pitch == 0 || width == 0 || height == 0 || element != 4 && element != 8 && element != 16:
			return code(cuda.InvalidValue)
		case rows < width || height > uintptr(1<<62)/rows:
			return code(cuda.OutOfMemory)
		}
		*at[uint64](pitch) = uint64(rows)
		return c.alloc(to, rows*height)
	})
}

// holder is the context that an allocation is of.
func (d *driver) holder(addr uintptr) *context {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.handles {
		if c, ok := x.(*context); ok {
			c.memory.mu.Lock()
			_, has := c.memory.allocs[uint64(addr)]
			c.memory.mu.Unlock()
			if has {
				return c
			}
		}
	}
	return nil
}

// memFree waits for the device's work, as the driver does. The context of the memory need not be
// current.
func (d *driver) memFree(addr uintptr) uintptr {
	c, r := d.thread()
	if d.cfg.guest {
		if addr == 0 {
			return 0
		}
		if r != cuda.Success && r != cuda.InvalidContext {
			return code(r)
		}
		if c = d.holder(addr); c == nil {
			return d.dropPinned(addr, true, true)
		}
		c.finish()
	} else if r != cuda.Success {
		return code(r)
	}
	return code(c.free(addr))
}

// free gives an allocation back.
func (c *context) free(addr uintptr) (r cuda.Result) {
	c.memory.mu.Lock()
	delete(c.memory.allocs, uint64(addr))
	c.memory.mu.Unlock()
	free := func() {
		if c.machine.Free(uint64(addr)) != nil {
			r = cuda.InvalidValue
		}
	}
	if c.checks == nil {
		free()
	} else {
		c.checks.Free(uint64(addr), free)
	}
	return r
}

func (d *driver) memAllocAsync(to, size, s uintptr) uintptr {
	c, _, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	return c.alloc(to, size)
}

// memFreeAsync frees in the order of its stream, and does not keep the memory for others: what
// still uses it is then found out.
func (d *driver) memFreeAsync(addr, s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if d.cfg.guest && d.holder(addr) == nil {
		return code(cuda.InvalidValue)
	}
	x.submit(&operation{name: "free", kind: freeNode, run: func() cuda.Result { return c.free(addr) }})
	return 0
}

// pool is a pool that a program has made. Its memory is the device's, as all memory is.
type pool struct{}

// known says whether there is a device of a number.
func (d *driver) known(number uintptr) uintptr {
	if _, ok := d.device(number); !ok {
		return code(cuda.InvalidDevice)
	}
	return 0
}

func (d *driver) poolCreate(to, properties uintptr) uintptr { return d.add(to, &pool{}) }

func (d *driver) poolDestroy(h uintptr) uintptr {
	if _, ok := find[*pool](d, h); !ok {
		return code(cuda.InvalidValue)
	}
	d.remove(h)
	return 0
}

func (d *driver) defaultPool(to, number uintptr) uintptr {
	if d.cfg.NoPools {
		return code(notSupported)
	}
	*at[uintptr](to) = number + 1
	return d.known(number)
}

func (d *driver) poolSet(pool, attribute, value uintptr) uintptr { return 0 }

// poolGet knows only the size of the pool, which is the allocated memory: it retains no free
// memory.
func (d *driver) poolGet(pool, attribute, to uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	used, _ := c.machine.Used()
	*at[uint64](to) = uint64(used)
	return 0
}

func (d *driver) poolTrim(pool, keep uintptr) uintptr { return 0 }

// poolSetAccess breaks the context if memory of it is in use: on a GPU, work that uses the pool's
// memory meanwhile fails.
func (d *driver) poolSetAccess(pool, access, n uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	if used, _ := c.machine.Used(); used > 0 && !d.cfg.guest {
		c.failed.Store(uint32(cuda.LaunchFailed))
		return code(cuda.LaunchFailed)
	}
	return 0
}

// reaches reports that a GPU may reach another's memory: the first one the others', and they not its.
func (dev *device) reaches(other *device) bool {
	return dev.number < other.number && !dev.kind.Alone && !other.kind.Alone
}

func (d *driver) canAccessPeer(to, number, other uintptr) uintptr {
	dev, ok := d.device(number)
	peer, ok2 := d.device(other)
	if !ok || !ok2 {
		return code(cuda.InvalidDevice)
	}
	*at[int32](to) = 0
	if dev.reaches(peer) {
		*at[int32](to) = 1
	}
	return 0
}

func (d *driver) enablePeerAccess(other, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	to, ok := find[*context](d, other)
	switch {
	case !ok:
		return code(cuda.InvalidContext)
	case !c.dev.reaches(to.dev):
		return 217 // CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.peers[other] {
		return code(cuda.PeerAccessAlreadyEnabled)
	}
	if c.peers == nil {
		c.peers = map[uintptr]bool{}
	}
	c.peers[other] = true
	return 0
}

func (d *driver) addressRange(base, size, addr uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		s := c.machine.Find(uint64(addr))
		if s == nil || uint64(addr) >= s.Base+s.Size {
			return code(cuda.NotFound)
		}
		store(base, s.Base)
		store(size, s.Size)
		return 0
	})
}

func (d *driver) prefetch(addr, n, s uintptr) uintptr {
	c, _, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if p := c.memory.at(addr); p == nil || !p.managed {
		return code(cuda.InvalidValue)
	}
	return 0
}

// at is the variable at an address that C was given.
func at[T any](addr uintptr) *T { return *(**T)(unsafe.Pointer(&addr)) }

// memoryAt is host memory at an address.
func memoryAt(addr, n uintptr) []byte { return unsafe.Slice(at[byte](addr), n) }
