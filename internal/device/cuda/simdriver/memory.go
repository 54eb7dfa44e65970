//go:build linux

package simdriver

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// memory knows a context's pinned host memory.
type memory struct {
	mu     sync.Mutex
	pinned []pinned
}

// pinned is host memory that copies read and write when they run.
type pinned struct {
	mem  []byte
	addr uint64 // where kernels reach it; 0 for registered memory
}

// has reports that all of a range is pinned.
func (m *memory) has(b []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.pinned, func(p pinned) bool { return inside(p.mem, b) })
}

func inside(outer, inner []byte) bool {
	o, i := start(outer), start(inner)
	return o <= i && i+uintptr(len(inner)) <= o+uintptr(len(outer))
}

func start(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func (d *driver) memAlloc(to, size uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	return c.alloc(to, size)
}

func (c *context) alloc(to, size uintptr) uintptr {
	addr, err := c.machine.Alloc(int64(size))
	if errors.Is(err, sim.ErrOutOfMemory) {
		return code(cuda.OutOfMemory)
	} else if err != nil {
		return code(cuda.InvalidValue)
	}
	*at[uint64](to) = addr
	return 0
}

func (d *driver) memFree(addr uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	if c.machine.Free(uint64(addr)) != nil {
		return code(cuda.InvalidValue)
	}
	return 0
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
	x.push(func() cuda.Result {
		if c.machine.Free(uint64(addr)) != nil {
			return cuda.InvalidValue
		}
		return cuda.Success
	})
	return 0
}

func (d *driver) defaultPool(to, number uintptr) uintptr {
	if d.cfg.NoPools {
		return 801 // CUDA_ERROR_NOT_SUPPORTED
	}
	*at[uintptr](to) = number + 1
	return 0
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

func (d *driver) hostAlloc(to, size, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	addr, err := c.machine.Alloc(int64(size))
	if err != nil {
		return code(cuda.OutOfMemory)
	}
	mem, err := c.machine.Bytes(addr, int64(size))
	if err != nil {
		return code(cuda.InvalidValue)
	}
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	c.memory.pinned = append(c.memory.pinned, pinned{mem, addr})
	*at[uintptr](to) = start(mem)
	return 0
}

func (d *driver) hostFree(addr uintptr) uintptr { return d.dropPinned(addr, true) }

func (d *driver) hostUnregister(addr uintptr) uintptr { return d.dropPinned(addr, false) }

func (d *driver) dropPinned(addr uintptr, allocated bool) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	i := slices.IndexFunc(c.memory.pinned,
		func(p pinned) bool { return start(p.mem) == addr && (p.addr != 0) == allocated })
	if i < 0 {
		return code(cuda.InvalidValue)
	}
	if allocated {
		_ = c.machine.Free(c.memory.pinned[i].addr)
	}
	c.memory.pinned = slices.Delete(c.memory.pinned, i, i+1)
	return 0
}

func (d *driver) hostRegister(addr, size, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	const page = 4096
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	for _, p := range c.memory.pinned {
		first, last := start(p.mem)/page, (start(p.mem)+uintptr(len(p.mem))-1)/page
		if addr/page <= last && (addr+size-1)/page >= first {
			return 712 // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
		}
	}
	c.memory.pinned = append(c.memory.pinned, pinned{mem: memoryAt(addr, size)})
	return 0
}

func (d *driver) hostDevicePointer(to, addr, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	for _, p := range c.memory.pinned {
		if start(p.mem) == addr && p.addr != 0 {
			*at[uint64](to) = p.addr
			return 0
		}
	}
	return code(cuda.InvalidValue)
}

// copyIn copies from pinned memory when the stream gets there, and from ordinary memory at once to
// a buffer.
func (d *driver) copyIn(dst, src, n, s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	from := memoryAt(src, n)
	if !c.memory.has(from) {
		from = slices.Clone(from)
	}
	x.push(func() cuda.Result { return c.access(dst, n, func(mem []byte) { copy(mem, from) }) })
	return 0
}

// copyOut copies to pinned memory when the stream gets there. For ordinary memory it waits.
func (d *driver) copyOut(dst, src, n, s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	to := memoryAt(dst, n)
	x.push(func() cuda.Result { return c.access(src, n, func(mem []byte) { copy(to, mem) }) })
	if !c.memory.has(to) {
		x.wait()
	}
	return code(c.lost())
}

// copy copies device memory to device memory.
func (d *driver) copy(dst, src, n, s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	x.push(func() cuda.Result { return copyMemory(c, dst, c, src, n) })
	return 0
}

// copyPeer copies memory of one context to another's. Both GPUs are of one machine.
func (d *driver) copyPeer(dst, dstContext, src, srcContext, n, s uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	to, from := find[*context](d, dstContext), find[*context](d, srcContext)
	x.push(func() cuda.Result { return copyMemory(to, dst, from, src, n) })
	return 0
}

// copyRows copies rows of device memory.
func (d *driver) copyRows(what, s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	m := *at[cuda.Memcpy2D](what)
	switch {
	case r != cuda.Success:
		return code(r)
	case m.Width > m.SrcPitch || m.Width > m.DstPitch || m.SrcKind != 2 || m.DstKind != 2:
		return code(cuda.InvalidValue)
	}
	x.push(func() (r cuda.Result) {
		for i := range m.Height {
			r = max(r, copyMemory(c, uintptr(uint64(m.Dst)+i*m.DstPitch), c, uintptr(uint64(m.Src)+i*m.SrcPitch), uintptr(m.Width)))
		}
		return r
	})
	return 0
}

func copyMemory(to *context, dst uintptr, from *context, src, n uintptr) cuda.Result {
	var inner cuda.Result
	outer := from.access(src, n, func(a []byte) {
		inner = to.access(dst, n, func(b []byte) { copy(b, a) })
	})
	return max(outer, inner)
}

// canAccessPeer: the first GPU reaches the others, and they do not reach it.
func (d *driver) canAccessPeer(to, number, other uintptr) uintptr {
	*at[int32](to) = 0
	if number < other {
		*at[int32](to) = 1
	}
	return 0
}

func (d *driver) enablePeerAccess(other, flags uintptr) uintptr {
	c, r := d.thread()
	switch {
	case r != cuda.Success:
		return code(r)
	case c.dev.number >= find[*context](d, other).dev.number:
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

// poolSetAccess breaks the context if memory of it is in use: on a GPU, work that uses the pool's
// memory meanwhile fails.
func (d *driver) poolSetAccess(pool, access, n uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	if used, _ := c.machine.Used(); used > 0 {
		c.failed.Store(uint32(cuda.LaunchFailed))
		return code(cuda.LaunchFailed)
	}
	return 0
}

func (d *driver) fill8(dst, value, n, s uintptr) uintptr { return d.fill(dst, value, n, 1, s) }

func (d *driver) fill16(dst, value, n, s uintptr) uintptr { return d.fill(dst, value, n, 2, s) }

func (d *driver) fill32(dst, value, n, s uintptr) uintptr { return d.fill(dst, value, n, 4, s) }

// fill sets n words of the given number of bytes.
func (d *driver) fill(dst, value, n, bytes, s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	switch {
	case r != cuda.Success:
		return code(r)
	case dst%bytes != 0:
		return code(cuda.InvalidValue)
	}
	x.push(func() cuda.Result {
		return c.access(dst, n*bytes, func(mem []byte) {
			for i := range mem {
				mem[i] = byte(value >> (8 * (uintptr(i) % bytes)))
			}
		})
	})
	return 0
}

// access calls f with device memory.
func (c *context) access(addr, n uintptr, f func([]byte)) cuda.Result {
	mem, err := c.machine.Bytes(uint64(addr), int64(n))
	if err != nil {
		return cuda.IllegalAddress
	}
	f(mem)
	return cuda.Success
}
