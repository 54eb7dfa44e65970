//go:build linux

package simdriver

import (
	"errors"
	"slices"
	"syscall"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	simmemory "github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// pinned is host memory that copies read and write when they run, and that kernels reach at the
// address that it has on the host.
type pinned struct {
	mem     []byte
	mapped  []byte // what was mapped for it; nil for registered memory
	managed bool
	flags   uint32
}

// give gives memory back.
func (p *pinned) give(c *context) {
	c.machine.Disown(uint64(start(p.mem)))
	if p.mapped != nil {
		_ = syscall.Munmap(p.mapped)
	}
}

// has reports that all of a range is pinned.
func (m *memory) has(b []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.pinned, func(p pinned) bool { return inside(p.mem, b) })
}

// at is the pinned memory that an address is in, or nil.
func (m *memory) at(addr uintptr) *pinned {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pinned {
		if addr-start(p.mem) < uintptr(len(p.mem)) {
			return &p
		}
	}
	return nil
}

func inside(outer, inner []byte) bool {
	o, i := start(outer), start(inner)
	return o <= i && i+uintptr(len(inner)) <= o+uintptr(len(outer))
}

func start(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func (d *driver) hostMemoryFunctions() map[string]any {
	return map[string]any{
		"cuMemAllocHost_v2": func(to, size uintptr) uintptr { return d.hostAlloc(to, size, 0) },
		"cuMemAllocManaged": d.managedAlloc,
		"cuMemHostGetFlags": d.hostFlags,
		"cuMemHostRegister": d.hostRegister,
	}
}

func (d *driver) hostAlloc(to, size, flags uintptr) uintptr {
	return d.inContext(func(c *context) uintptr { return c.mapHost(to, size, pinned{flags: uint32(flags)}) })
}

// managedAlloc makes memory of the host that is the device's too, and never moves.
func (d *driver) managedAlloc(to, size, flags uintptr) uintptr {
	if flags != 1 && flags != 2 {
		return code(cuda.InvalidValue)
	}
	return d.inContext(func(c *context) uintptr { return c.mapHost(to, size, pinned{managed: true}) })
}

// mapHost makes memory of the host that is the device's too.
func (c *context) mapHost(to, size uintptr, p pinned) uintptr {
	if to == 0 || size == 0 || int64(size) < 0 {
		return code(cuda.InvalidValue)
	}
	if int64(size) > c.machine.Config().Memory {
		return code(cuda.OutOfMemory)
	}
	mem, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return code(cuda.OutOfMemory)
	}
	p.mem, p.mapped = mem[:size:size], mem
	if err := c.machine.Adopt(p.mem); err != nil {
		_ = syscall.Munmap(mem)
		return code(cuda.OutOfMemory)
	}
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	c.memory.pinned = append(c.memory.pinned, p)
	*at[uintptr](to) = start(p.mem)
	return 0
}

func (d *driver) hostFree(addr uintptr) uintptr { return d.dropPinned(addr, true, false) }

func (d *driver) hostUnregister(addr uintptr) uintptr { return d.dropPinned(addr, false, false) }

// dropPinned gives back memory that was allocated or registered, managed or not.
func (d *driver) dropPinned(addr uintptr, allocated, managed bool) uintptr {
	c, r := d.thread()
	if d.cfg.guest && addr != 0 {
		if owner := d.pinner(addr); owner != nil { // of any context, which need not be current
			c, r = owner, cuda.Success
			c.finish()
		}
	}
	if r != cuda.Success {
		return code(r)
	}
	if !c.memory.drop(c, addr, allocated, managed) {
		if !allocated && d.cfg.guest {
			return 713 // CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
		}
		return code(cuda.InvalidValue)
	}
	return 0
}

// drop gives back pinned memory at an address. It reports whether there was any of that kind.
func (m *memory) drop(c *context, addr uintptr, allocated, managed bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.pinned,
		func(p pinned) bool {
			return start(p.mem) == addr && (p.mapped != nil) == allocated && p.managed == managed
		})
	if i < 0 {
		return false
	}
	m.pinned[i].give(c)
	m.pinned = slices.Delete(m.pinned, i, i+1)
	return true
}

// pinner is the context that knows pinned memory at an address.
func (d *driver) pinner(addr uintptr) *context {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.handles {
		if c, ok := x.(*context); ok && c.memory.at(addr) != nil {
			return c
		}
	}
	return nil
}

func (d *driver) hostRegister(addr, size, flags uintptr) uintptr {
	const page = 4096
	return d.inContext(func(c *context) uintptr {
		if addr == 0 || size == 0 || addr+size < addr {
			return code(cuda.InvalidValue)
		}
		c.memory.mu.Lock()
		defer c.memory.mu.Unlock()
		for _, p := range c.memory.pinned {
			first, last := start(p.mem)/page, (start(p.mem)+uintptr(len(p.mem))-1)/page
			if addr/page <= last && (addr+size-1)/page >= first {
				return 712 // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
			}
		}
		p := pinned{mem: memoryAt(addr, size), flags: uint32(flags)}
		// Memory where the device has no addresses is pinned all the same, and kernels do not reach it.
		if err := c.machine.Adopt(p.mem); errors.Is(err, simmemory.ErrAdopted) {
			return 712
		}
		c.memory.pinned = append(c.memory.pinned, p)
		return 0
	})
}

func (d *driver) hostDevicePointer(to, addr, flags uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		p := c.memory.at(addr)
		if p == nil || to == 0 || p.mapped == nil && !d.cfg.guest {
			return code(cuda.InvalidValue)
		}
		*at[uint64](to) = uint64(addr)
		return 0
	})
}

func (d *driver) hostFlags(to, addr uintptr) uintptr {
	return d.inContext(func(c *context) uintptr {
		p := c.memory.at(addr)
		if p == nil || to == 0 || p.managed {
			return code(cuda.InvalidValue)
		}
		*at[uint32](to) = p.flags | 2 // CU_MEMHOSTALLOC_DEVICEMAP, as all of it is
		return 0
	})
}
