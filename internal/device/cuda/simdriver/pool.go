//go:build linux

package simdriver

import (
	"sync"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// pool is a pool that a program has made, or one that another process shares. Its memory is the
// device's, as all memory is. A pool that can be shared allocates each piece in a file of its own.
type pool struct {
	dev    *device
	shared bool        // other processes may be given it
	mark   *sharedFile // the file of a shared pool's descriptors; nil before the first

	mu     sync.Mutex
	values map[uintptr]uint64 // attributes that were set
	access map[int32]uint32   // CUmemAccess_flags that were set, by device
}

// poolProps is a CUmemPoolProps.
type poolProps struct {
	_        uint32 // the type of allocation: there is one
	handles  uint32
	location location
	_        uint64 // for Windows
	_        uint64 // the most bytes
	_        uint16 // the usage
	_        [54]uint8
}

// The attributes of a pool, CUmemPool_attribute.
const (
	poolReuseFollow = 1 + iota
	poolReuseOpportunistic
	poolReuseInternal
	poolThreshold
	poolReserved
	poolReservedHigh
	poolUsed
	poolUsedHigh
	poolLast
)

func (d *driver) poolFunctions() map[string]any {
	return map[string]any{
		"cuMemAllocFromPoolAsync": d.allocFromPool,
		"cuMemPoolCreate":         d.poolCreate,
		"cuMemPoolDestroy":        d.poolDestroy,
		"cuMemPoolSetAttribute":   d.poolSet,
		"cuMemPoolGetAttribute":   d.poolGet,
		"cuMemPoolTrimTo":         d.poolTrim,
		"cuMemPoolSetAccess":      d.poolSetAccess,
		"cuMemPoolGetAccess":      d.poolGetAccess,
		"cuDeviceGetMemPool":      d.currentPool,
		"cuDeviceSetMemPool":      d.setPool,
	}
}

// poolOf is the pool of a handle, or the default pool of a device, whose handle is the device's number
// and one.
func (d *driver) poolOf(h uintptr) (*pool, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev, ok := d.device(h - 1); ok {
		if dev.pool == nil {
			dev.pool = &pool{dev: dev}
		}
		return dev.pool, true
	}
	p, ok := d.handles[h].(*pool)
	return p, ok
}

func (d *driver) poolCreate(to, properties uintptr) uintptr {
	if to == 0 || properties == 0 {
		return code(cuda.InvalidValue)
	}
	p := at[poolProps](properties)
	dev := d.devices[0]
	if p.location.kind == onDevice {
		var ok bool
		if dev, ok = d.device(uintptr(p.location.id)); !ok {
			return code(cuda.InvalidValue)
		}
	}
	if p.handles&^posixHandle != 0 {
		return code(notSupported)
	}
	return d.add(to, &pool{dev: dev, shared: p.handles == posixHandle})
}

func (d *driver) poolDestroy(h uintptr) uintptr {
	p, ok := find[*pool](d, h)
	if !ok {
		return code(cuda.InvalidValue)
	}
	d.mu.Lock()
	if p.dev.current == h {
		p.dev.current = 0
	}
	d.mu.Unlock()
	if p.mark != nil {
		p.mark.close()
	}
	d.remove(h)
	return 0
}

func (d *driver) currentPool(to, number uintptr) uintptr {
	if dev, ok := d.device(number); ok && to != 0 {
		d.mu.Lock()
		defer d.mu.Unlock()
		if dev.current != 0 {
			*at[uintptr](to) = dev.current
			return 0
		}
	}
	return d.defaultPool(to, number)
}

func (d *driver) setPool(number, h uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	if p, ok := d.poolOf(h); !ok || p.dev != dev {
		return code(cuda.InvalidValue)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dev.current = h
	return 0
}

func (d *driver) poolSet(h, attribute, value uintptr) uintptr {
	p, ok := d.poolOf(h)
	if !ok || value == 0 || attribute == 0 || attribute >= poolLast {
		return code(cuda.InvalidValue)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		p.values = map[uintptr]uint64{}
	}
	switch attribute {
	case poolThreshold:
		p.values[attribute] = *at[uint64](value)
	case poolReuseFollow, poolReuseOpportunistic, poolReuseInternal:
		p.values[attribute] = uint64(*at[int32](value))
	case poolReservedHigh, poolUsedHigh:
		if *at[uint64](value) != 0 {
			return code(cuda.InvalidValue)
		}
	default:
		return code(cuda.InvalidValue)
	}
	return 0
}

// poolGet knows of the size of a pool only the allocated memory: it retains no free memory.
func (d *driver) poolGet(h, attribute, to uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	p, ok := d.poolOf(h)
	if !ok || to == 0 || attribute == 0 || attribute >= poolLast {
		return code(cuda.InvalidValue)
	}
	p.mu.Lock()
	v, set := p.values[attribute]
	p.mu.Unlock()
	switch attribute {
	case poolReuseFollow, poolReuseOpportunistic, poolReuseInternal:
		*at[int32](to) = boolean(!set || v != 0)
	case poolThreshold:
		*at[uint64](to) = v
	default:
		used, _ := c.machine.Used()
		*at[uint64](to) = uint64(used)
	}
	return 0
}

func (d *driver) poolTrim(h, keep uintptr) uintptr {
	if _, ok := d.poolOf(h); !ok {
		return code(cuda.InvalidValue)
	}
	return 0
}

// poolSetAccess breaks package cuda's context if memory of it is in use: on a GPU, work that uses the
// pool's memory meanwhile fails.
func (d *driver) poolSetAccess(h, descs, n uintptr) uintptr {
	c, r := d.thread()
	if !d.cfg.guest {
		if r != cuda.Success {
			return code(r)
		}
		if used, _ := c.machine.Used(); used > 0 {
			c.failed.Store(uint32(cuda.LaunchFailed))
			return code(cuda.LaunchFailed)
		}
		return 0
	}
	p, ok := d.poolOf(h)
	if !ok || descs == 0 || n > 1<<10 {
		return code(cuda.InvalidValue)
	}
	for i := range n {
		a := *at[accessDesc](descs + 12*i)
		dev, ok := d.device(uintptr(a.location.id))
		switch {
		case a.location.kind != onDevice || !ok:
			return code(cuda.InvalidValue)
		case dev == p.dev && a.flags == 0:
			return code(cuda.InvalidDevice)
		}
		p.allow(dev, a.flags)
	}
	return 0
}

// allow lets another device reach the pool's memory, or no longer. It reaches all memory of the pool's
// device then: the simulator does not tell allocations apart.
func (p *pool) allow(dev *device, flags uint32) {
	p.mu.Lock()
	if p.access == nil {
		p.access = map[int32]uint32{}
	}
	p.access[int32(dev.number)] = flags
	p.mu.Unlock()
	d := dev.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev != p.dev && flags != 0 && dev.board != nil && p.dev.board != nil {
		dev.board.machine.Reach(&p.dev.board.machine.Space, true)
	}
}

func (d *driver) poolGetAccess(to, h, where uintptr) uintptr {
	p, ok := d.poolOf(h)
	if !ok || to == 0 || where == 0 {
		return code(cuda.InvalidValue)
	}
	const readWrite = 3
	l := at[location](where)
	if l.kind == onDevice && l.id == int32(p.dev.number) {
		*at[uint32](to) = readWrite
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	*at[uint32](to) = p.access[l.id]
	return 0
}

// allocFromPool allocates in a file from a pool that can be shared, and as ever from others.
func (d *driver) allocFromPool(to, size, h, s uintptr) uintptr {
	c, _, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	p, ok := d.poolOf(h)
	switch {
	case !ok || to == 0 || size == 0 || int64(size) < 0:
		return code(cuda.InvalidValue)
	case !p.shared:
		return d.memAllocAsync(to, size, s)
	case int64(size) > c.machine.Config().Memory:
		return code(cuda.OutOfMemory)
	}
	file, err := newSharedFile(size)
	if err != nil {
		return code(cuda.OutOfMemory)
	}
	host, err := file.mapped()
	if err == nil {
		err = c.machine.Adopt(memoryAt(host, size))
	}
	if err != nil {
		file.close()
		return code(cuda.OutOfMemory)
	}
	c.memory.note(uint64(host), uint64(size))
	d.shared.keep(uint64(host), &sharedMemory{c: c, file: file, host: host, pooled: true})
	*at[uint64](to) = uint64(host)
	return 0
}

// exportPool gives a file descriptor that stands for a pool. Its memory is exported by itself.
func (d *driver) exportPool(to, h, kind, flags uintptr) uintptr {
	p, ok := find[*pool](d, h)
	if !ok || to == 0 || kind != posixHandle || flags != 0 || !p.shared {
		return code(cuda.InvalidValue)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mark == nil {
		var err error
		if p.mark, err = newSharedFile(1); err != nil {
			return code(cuda.OutOfMemory)
		}
	}
	fd, err := p.mark.duplicate()
	if err != nil {
		return code(cuda.OutOfMemory)
	}
	*at[int32](to) = int32(fd)
	return 0
}

func (d *driver) importPool(to, fd, kind, flags uintptr) uintptr {
	dev, r := d.here()
	if r != cuda.Success {
		return code(r)
	}
	if to == 0 || kind != posixHandle || flags != 0 {
		return code(cuda.InvalidValue)
	}
	mine, err := (&sharedFile{fd: int(int32(fd))}).duplicate()
	if err != nil {
		return code(cuda.InvalidValue)
	}
	file, err := openedFile(mine, 0)
	if err != nil {
		return code(cuda.InvalidValue)
	}
	return d.add(to, &pool{dev: dev, mark: file})
}

// exportPointer names an allocation of a pool for other processes.
func (d *driver) exportPointer(to, addr uintptr) uintptr {
	m := d.shared.of(uint64(addr))
	if to == 0 || m == nil || !m.pooled {
		return code(cuda.InvalidValue)
	}
	*at[ipcHandle](to) = m.handle(uint64(addr))
	return 0
}

func (d *driver) importPointer(to, h, data uintptr) uintptr {
	p, ok := d.poolOf(h)
	if !ok || p.mark == nil || data == 0 {
		return code(cuda.InvalidValue)
	}
	return d.inContext(func(c *context) uintptr { return code(d.open(c, to, *at[ipcHandle](data))) })
}
