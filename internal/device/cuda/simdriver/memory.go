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
		if !c.dev.d.shared.free(c, addr) {
			_ = c.machine.Free(addr)
		}
	}
	c.dev.d.shared.ended(c)
	for i := range m.pinned {
		m.pinned[i].give(c)
	}
	m.allocs, m.pinned = nil, nil
}

func (d *driver) memoryFunctions() map[string]any {
	return map[string]any{
		"cuMemAllocPitch_v2":      d.allocPitch,
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
	c.memory.note(addr, uint64(size))
	*at[uint64](to) = addr
	return 0
}

// note makes an allocation known.
func (m *memory) note(addr, size uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.allocs == nil {
		m.allocs = map[uint64]uint64{}
	}
	m.allocs[addr] = size
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
	if c.dev.d.shared.free(c, uint64(addr)) {
		return cuda.Success
	}
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

// known says whether there is a device of a number.
func (d *driver) known(number uintptr) uintptr {
	if _, ok := d.device(number); !ok {
		return code(cuda.InvalidDevice)
	}
	return 0
}

func (d *driver) defaultPool(to, number uintptr) uintptr {
	if d.cfg.NoPools {
		return code(notSupported)
	}
	*at[uintptr](to) = number + 1
	return d.known(number)
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
