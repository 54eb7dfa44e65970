//go:build linux

package simdriver

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// granularity divides the sizes and the addresses of mapped memory.
const granularity = 2 << 20

// physical is memory that cuMemCreate has made: a file in memory, which is mapped where the program
// wants it, in this process and in others that are given the file.
type physical struct {
	file *sharedFile
	dev  *device
	prop allocProp
	held int // handles and mappings. Guarded by virtual.mu
}

// allocProp is a CUmemAllocationProp.
type allocProp struct {
	kind, handles uint32
	location      location
	_             uint64   // for Windows
	_             [2]uint8 // compression, and whether RDMA may reach the memory
	_             uint16   // the usage
	_             [4]uint8
}

// location is a CUmemLocation.
type location struct {
	kind uint32
	id   int32
}

const onDevice = 1 // CU_MEM_LOCATION_TYPE_DEVICE

// virtual is the address space that a program manages itself.
type virtual struct {
	mu       sync.Mutex
	reserved []*reservation
	runs     []run // guarded by driver.mu
}

// reservation is a range of addresses. maps are its mapped parts, in their order. Guarded by virtual.mu.
type reservation struct {
	addr, size uintptr
	maps       []*mapping
	// A call that changes what devices reach has the turn, and waits for their work. Other calls on the
	// address space do not wait for that.
	turn sync.Mutex
}

// mapping is a part of a reservation that has memory. access is CUmemAccess_flags by device.
type mapping struct {
	addr, size uintptr
	of         *physical
	access     map[*device]uint32
	leaving    bool // being unmapped: nobody may use it, and the addresses are not free yet
}

// run is a range of mapped memory that a device reaches, mappings without gaps: one piece of memory for
// copies and kernels.
type run struct {
	dev        *device
	addr, size uintptr
}

func (d *driver) virtualFunctions() map[string]any {
	return map[string]any{
		"cuMemAddressReserve":           d.addressReserve,
		"cuMemAddressFree":              d.addressFree,
		"cuMemCreate":                   d.memCreate,
		"cuMemRelease":                  d.memRelease,
		"cuMemMap":                      d.memMap,
		"cuMemUnmap":                    d.memUnmap,
		"cuMemSetAccess":                d.setAccess,
		"cuMemGetAccess":                d.getAccess,
		"cuMemRetainAllocationHandle":   d.retainAllocation,
		"cuMemGetAllocationGranularity": d.allocationGranularity,
		"cuMemGetAllocationPropertiesFromHandle": func(to, h uintptr) uintptr {
			p, ok := find[*physical](d, h)
			if !ok || to == 0 {
				return code(cuda.InvalidValue)
			}
			*at[allocProp](to) = p.prop
			return 0
		},
	}
}

// propOf is the device of a CUmemAllocationProp.
func (d *driver) propOf(prop uintptr) (*device, cuda.Result) {
	const pinnedKind, managedKind = 1, 2
	if prop == 0 {
		return nil, cuda.InvalidValue
	}
	p := at[allocProp](prop)
	if p.kind != pinnedKind && p.kind != managedKind {
		return nil, cuda.InvalidValue
	}
	if p.location.kind != onDevice { // memory of the host: which device counts it does not matter
		return d.devices[0], cuda.Success
	}
	dev, ok := d.device(uintptr(p.location.id))
	switch {
	case !ok:
		return nil, cuda.InvalidDevice
	case p.handles&^posixHandle != 0:
		return nil, notSupported
	}
	return dev, cuda.Success
}

func (d *driver) allocationGranularity(to, prop, option uintptr) uintptr {
	if _, r := d.propOf(prop); r != cuda.Success || to == 0 || option > 1 {
		return code(max(r, cuda.InvalidValue))
	}
	*at[uint64](to) = granularity
	return 0
}

// addressReserve takes addresses that nothing can be read at.
func (d *driver) addressReserve(to, size, align, addr, flags uintptr) uintptr {
	align = max(align, granularity)
	if !d.started.Load() {
		return code(cuda.NotInitialized)
	}
	if to == 0 || size == 0 || size%granularity != 0 || align&(align-1) != 0 || flags != 0 {
		return code(cuda.InvalidValue)
	}
	if size > 1<<46 || align > 1<<40 {
		return code(cuda.OutOfMemory)
	}
	whole, err := unix.MmapPtr(-1, 0, nil, size+align, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return code(cuda.OutOfMemory)
	}
	from := uintptr(whole)
	start := (from + align - 1) &^ (align - 1)
	unmap(from, start-from)
	unmap(start+size, from+align-start)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	d.virtual.reserved = append(d.virtual.reserved, &reservation{addr: start, size: size})
	*at[uintptr](to) = start
	return 0
}

// unmap gives addresses back.
func unmap(addr, n uintptr) {
	if n > 0 {
		_ = unix.MunmapPtr(unsafe.Pointer(at[byte](addr)), n)
	}
}

func (d *driver) addressFree(addr, size uintptr) uintptr {
	v := &d.virtual
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.reserved, func(r *reservation) bool { return r.addr == addr })
	if i < 0 || v.reserved[i].size != size || len(v.reserved[i].maps) > 0 {
		return code(cuda.InvalidValue)
	}
	unmap(addr, size)
	v.reserved = slices.Delete(v.reserved, i, i+1)
	return 0
}

func (d *driver) memCreate(to, size, prop, flags uintptr) uintptr {
	dev, r := d.propOf(prop)
	switch {
	case !d.started.Load():
		return code(cuda.NotInitialized)
	case r != cuda.Success:
		return code(r)
	case to == 0 || size == 0 || size%granularity != 0 || flags != 0:
		return code(cuda.InvalidValue)
	case !dev.take(int64(size)):
		return code(cuda.OutOfMemory)
	}
	file, err := newSharedFile(size)
	if err != nil {
		dev.take(-int64(size))
		return code(cuda.OutOfMemory)
	}
	return d.add(to, &physical{file: file, dev: dev, prop: *at[allocProp](prop), held: 1})
}

// take counts memory that the machine does not hold. It reports whether there is as much.
func (dev *device) take(n int64) bool {
	dev.d.mu.Lock()
	defer dev.d.mu.Unlock()
	if n > dev.memory()-dev.physical {
		return false
	}
	dev.physical += n
	return true
}

// drop gives up a handle or a mapping. It needs virtual.mu.
func (p *physical) drop() {
	if p.held--; p.held == 0 {
		p.file.close()
		p.dev.take(-int64(p.file.size))
	}
}

func (d *driver) memRelease(h uintptr) uintptr {
	p, ok := find[*physical](d, h)
	if !ok {
		return code(cuda.InvalidValue)
	}
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	mapped := 0
	for _, r := range d.virtual.reserved {
		for _, m := range r.maps {
			if m.of == p {
				mapped++
			}
		}
	}
	if p.held == mapped+1 { // the last handle
		d.remove(h)
	}
	p.drop()
	return 0
}

// within is the reservation that holds a range, nil for none. It needs v.mu.
func (v *virtual) within(addr, size uintptr) *reservation {
	for _, r := range v.reserved {
		if addr >= r.addr && size <= r.size && addr-r.addr <= r.size-size {
			return r
		}
	}
	return nil
}

// parts are the mappings of a range, if it has no gaps and no mapping is cut.
func (r *reservation) parts(addr, size uintptr) []*mapping {
	var list []*mapping
	next := addr
	for _, m := range r.maps {
		if m.addr == next && !m.leaving && m.addr+m.size <= addr+size {
			list, next = append(list, m), m.addr+m.size
		}
	}
	if next != addr+size {
		return nil
	}
	return list
}

func (d *driver) memMap(addr, size, offset, h, flags uintptr) uintptr {
	p, ok := find[*physical](d, h)
	if !ok || size == 0 || size%granularity != 0 || addr%granularity != 0 || offset != 0 || flags != 0 || size > p.file.size {
		return code(cuda.InvalidValue)
	}
	v := &d.virtual
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.within(addr, size)
	if r == nil || slices.ContainsFunc(r.maps, func(m *mapping) bool { return addr < m.addr+m.size && m.addr < addr+size }) {
		return code(cuda.InvalidValue)
	}
	if p.file.mapAt(addr, size) != nil {
		return code(cuda.OutOfMemory)
	}
	p.held++
	r.maps = append(r.maps, &mapping{addr: addr, size: size, of: p, access: map[*device]uint32{}})
	slices.SortFunc(r.maps, func(a, b *mapping) int { return cmp.Compare(a.addr, b.addr) })
	return 0
}

func (d *driver) memUnmap(addr, size uintptr) uintptr {
	r, gone := d.virtual.leave(addr, size)
	if len(gone) == 0 {
		return code(cuda.InvalidValue)
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	for _, dev := range d.devices {
		d.reach(dev, r)
	}
	_, _ = unix.MmapPtr(-1, 0, unsafe.Pointer(at[byte](addr)), size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	r.maps = slices.DeleteFunc(r.maps, func(m *mapping) bool { return slices.Contains(gone, m) })
	for _, m := range gone {
		m.of.drop()
	}
	return 0
}

// leave makes the mappings of a range ones that no device may access, and that nobody finds. There are
// none where the range has gaps.
func (v *virtual) leave(addr, size uintptr) (*reservation, []*mapping) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.within(addr, size)
	if r == nil {
		return nil, nil
	}
	gone := r.parts(addr, size)
	for _, m := range gone {
		m.leaving = true
		clear(m.access)
	}
	return r, gone
}

// accessDesc is a CUmemAccessDesc.
type accessDesc struct {
	location location
	flags    uint32
}

func (d *driver) setAccess(addr, size, descs, n uintptr) uintptr {
	const none, read, readWrite = 0, 1, 3
	if descs == 0 || n == 0 || n > 1<<10 {
		return code(cuda.InvalidValue)
	}
	list := unsafe.Slice(at[accessDesc](descs), n)
	for _, a := range list {
		if _, ok := d.device(uintptr(a.location.id)); a.location.kind == onDevice && !ok {
			return code(cuda.InvalidDevice)
		}
		if a.flags != none && a.flags != read && a.flags != readWrite {
			return code(cuda.InvalidValue)
		}
	}
	r := d.virtual.allow(addr, size, d.devices, list)
	if r == nil {
		return code(cuda.InvalidValue)
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	for _, a := range list {
		if a.location.kind == onDevice {
			d.reach(d.devices[a.location.id], r)
		}
	}
	return 0
}

// allow notes the access of devices to the mappings of a range. The result is nil where the range has
// gaps.
func (v *virtual) allow(addr, size uintptr, devices []*device, list []accessDesc) *reservation {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.within(addr, size)
	if r == nil {
		return nil
	}
	parts := r.parts(addr, size)
	if len(parts) == 0 {
		return nil
	}
	for _, a := range list {
		for _, m := range parts {
			if a.location.kind == onDevice {
				m.access[devices[a.location.id]] = a.flags
			}
		}
	}
	return r
}

func (d *driver) getAccess(to, where, addr uintptr) uintptr {
	v := &d.virtual
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.at(addr)
	if to == 0 || where == 0 || m == nil {
		return code(cuda.InvalidValue)
	}
	l := at[location](where)
	dev, ok := d.device(uintptr(l.id))
	if l.kind != onDevice || !ok {
		return code(cuda.InvalidValue)
	}
	*at[uint64](to) = uint64(m.access[dev])
	return 0
}

// at is the mapping that an address is in, nil for none. It needs v.mu.
func (v *virtual) at(addr uintptr) *mapping {
	if r := v.within(addr, 1); r != nil {
		for _, m := range r.maps {
			if addr-m.addr < m.size && !m.leaving {
				return m
			}
		}
	}
	return nil
}

func (d *driver) retainAllocation(to, addr uintptr) uintptr {
	d.virtual.mu.Lock()
	defer d.virtual.mu.Unlock()
	m := d.virtual.at(addr)
	if to == 0 || m == nil {
		return code(cuda.InvalidValue)
	}
	m.of.held++
	d.mu.Lock()
	defer d.mu.Unlock()
	for h, x := range d.handles {
		if x == any(m.of) {
			*at[uintptr](to) = h
			return 0
		}
	}
	*at[uintptr](to) = d.handle(m.of)
	return 0
}
