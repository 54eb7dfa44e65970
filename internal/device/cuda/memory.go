package cuda

import "unsafe"

var (
	procMemAlloc             = proc{name: "cuMemAlloc_v2", needs: 3020}
	procMemFree              = proc{name: "cuMemFree_v2", needs: 3020}
	procMemAllocAsync        = proc{name: "cuMemAllocAsync", needs: 11020}
	procMemFreeAsync         = proc{name: "cuMemFreeAsync", needs: 11020}
	procDefaultMemPool       = proc{name: "cuDeviceGetDefaultMemPool", needs: 11020}
	procMemPoolSetAttribute  = proc{name: "cuMemPoolSetAttribute", needs: 11020}
	procMemPoolGetAttribute  = proc{name: "cuMemPoolGetAttribute", needs: 11020}
	procMemPoolTrimTo        = proc{name: "cuMemPoolTrimTo", needs: 11020}
	procMemHostAlloc         = proc{name: "cuMemHostAlloc", needs: 2020}
	procMemFreeHost          = proc{name: "cuMemFreeHost", needs: 2000}
	procMemHostRegister      = proc{name: "cuMemHostRegister_v2", needs: 6050}
	procMemHostUnregister    = proc{name: "cuMemHostUnregister", needs: 4000}
	procMemHostDevicePointer = proc{name: "cuMemHostGetDevicePointer_v2", needs: 3020}
	procMemcpyHtoDAsync      = proc{name: "cuMemcpyHtoDAsync_v2", needs: 3020}
	procMemcpyDtoHAsync      = proc{name: "cuMemcpyDtoHAsync_v2", needs: 3020}
	procMemcpyDtoDAsync      = proc{name: "cuMemcpyDtoDAsync_v2", needs: 3020}
	procMemcpyPeerAsync      = proc{name: "cuMemcpyPeerAsync", needs: 4000}
	procMemsetD8Async        = proc{name: "cuMemsetD8Async", needs: 3020}
	procMemsetD16Async       = proc{name: "cuMemsetD16Async", needs: 3020}
	procMemsetD32Async       = proc{name: "cuMemsetD32Async", needs: 3020}
)

// DevicePtr is an address in device memory.
type DevicePtr uint64

// Alloc allocates size bytes on the device, aligned to at least 256. It waits for the whole device
// and costs more than a small kernel.
func (c *Context) Alloc(size int64) (DevicePtr, error) {
	var p DevicePtr
	err := c.call(&procMemAlloc, c.bytes(size), uintptr(unsafe.Pointer(&p)), uintptr(size))
	return p, err
}

// Free frees what Alloc allocated, after all work of the device that may use it.
func (c *Context) Free(p DevicePtr) error {
	return c.call(&procMemFree, c.at(p), uintptr(p))
}

// AllocAsync allocates size bytes from the device's stream-ordered pool: valid for work on s from
// here on. The device must have MemoryPoolsSupported.
func (c *Context) AllocAsync(size int64, s Stream) (DevicePtr, error) {
	var p DevicePtr
	err := c.call(&procMemAllocAsync, c.bytes(size), uintptr(unsafe.Pointer(&p)), uintptr(size), uintptr(s))
	return p, err
}

// FreeAsync gives memory back to the pool once the work now on s is done.
func (c *Context) FreeAsync(p DevicePtr, s Stream) error {
	return c.call(&procMemFreeAsync, c.at(p), uintptr(p), uintptr(s))
}

// KeepFreed makes the device's default pool keep up to n bytes of freed memory for later
// allocations, instead of returning them to the system at each synchronisation.
func (c *Context) KeepFreed(n uint64) error {
	pool, err := c.defaultPool()
	if err != nil {
		return err
	}
	const releaseThreshold = 4 // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
	return c.call(&procMemPoolSetAttribute, named("release threshold"), pool, releaseThreshold, uintptr(unsafe.Pointer(&n)))
}

// TrimPool returns the pool's unused memory to the system, except keep bytes.
func (c *Context) TrimPool(keep int64) error {
	pool, err := c.defaultPool()
	if err != nil {
		return err
	}
	return c.call(&procMemPoolTrimTo, object{}, pool, uintptr(keep))
}

func (c *Context) defaultPool() (uintptr, error) {
	var pool uintptr
	err := c.driver.call(&procDefaultMemPool, onDevice(c.device), uintptr(unsafe.Pointer(&pool)), uintptr(c.device))
	return pool, err
}

// AllocHost allocates size bytes of pinned host memory that every context can copy from and to at
// the bus's speed, and that kernels can address (HostDevicePtr). It is not Go memory: FreeHost
// frees it.
func (c *Context) AllocHost(size int64) ([]byte, error) {
	const portableMapped = 1 | 2 // CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP
	var p unsafe.Pointer
	if err := c.call(&procMemHostAlloc, pinnedBytes(int(size)), uintptr(unsafe.Pointer(&p)), uintptr(size), portableMapped); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), size), nil
}

// FreeHost frees what AllocHost allocated. No copy may still be using it.
func (c *Context) FreeHost(b []byte) error {
	return c.call(&procMemFreeHost, pinnedBytes(len(b)), uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// RegisterHost pins the program's own memory, so that every context can copy from and to it at the
// bus's speed. It must not move until UnregisterHost, and share no page with other pinned memory.
func (c *Context) RegisterHost(b []byte) error {
	const portable = 1 // CU_MEMHOSTREGISTER_PORTABLE
	return c.call(&procMemHostRegister, pinnedBytes(len(b)), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), portable)
}

// UnregisterHost undoes RegisterHost. No copy may still be using the memory.
func (c *Context) UnregisterHost(b []byte) error {
	return c.call(&procMemHostUnregister, pinnedBytes(len(b)), uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// HostDevicePtr is the address kernels reach the pinned memory b at.
func (c *Context) HostDevicePtr(b []byte) (DevicePtr, error) {
	var p DevicePtr
	err := c.call(&procMemHostDevicePointer, object{}, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(unsafe.SliceData(b))), 0)
	return p, err
}

// CopyIn copies src to the device in s's order. Pinned memory must stay untouched until the copy is
// done. Pageable memory is staged by the driver before CopyIn returns.
func (c *Context) CopyIn(dst DevicePtr, src []byte, s Stream) error {
	if len(src) == 0 {
		return nil
	}
	return c.call(&procMemcpyHtoDAsync, copied(len(src), dst), uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)), uintptr(s))
}

// CopyOut copies from the device to dst in s's order. Pinned memory holds the data once s has got
// there. With pageable memory the call waits for it.
func (c *Context) CopyOut(dst []byte, src DevicePtr, s Stream) error {
	if len(dst) == 0 {
		return nil
	}
	return c.call(&procMemcpyDtoHAsync, copied(len(dst), src), uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(src), uintptr(len(dst)), uintptr(s))
}

// Copy copies n bytes of device memory to other memory of the device in s's order. The two must not
// overlap.
func (c *Context) Copy(dst, src DevicePtr, n int64, s Stream) error {
	if n == 0 {
		return nil
	}
	return c.call(&procMemcpyDtoDAsync, copied(int(n), dst), uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

// CopyPeer copies n bytes of src's memory to dst's in the order of s, a stream of c, which is one
// of the two. Where the GPUs cannot reach each other, the driver takes the bytes through the host.
func (c *Context) CopyPeer(dst *Context, to DevicePtr, src *Context, from DevicePtr, n int64, s Stream) error {
	if n == 0 {
		return nil
	}
	return c.call(&procMemcpyPeerAsync, copied(int(n), to), uintptr(to), dst.handle, uintptr(from), src.handle, uintptr(n), uintptr(s))
}

// Fill sets n bytes at p to b in s's order.
func (c *Context) Fill(p DevicePtr, b byte, n int64, s Stream) error {
	return c.fill(&procMemsetD8Async, p, uintptr(b), n, s)
}

// Fill16 sets n words of 16 bits at p to v in s's order. p is a multiple of 2.
func (c *Context) Fill16(p DevicePtr, v uint16, n int64, s Stream) error {
	return c.fill(&procMemsetD16Async, p, uintptr(v), n, s)
}

// Fill32 sets n words of 32 bits at p to v in s's order. p is a multiple of 4.
func (c *Context) Fill32(p DevicePtr, v uint32, n int64, s Stream) error {
	return c.fill(&procMemsetD32Async, p, uintptr(v), n, s)
}

func (c *Context) fill(memset *proc, p DevicePtr, v uintptr, n int64, s Stream) error {
	if n == 0 {
		return nil
	}
	return c.call(memset, c.at(p), uintptr(p), v, uintptr(n), uintptr(s))
}

func (c *Context) bytes(n int64) object {
	return object{format: "%[1]d bytes on device %[2]d", a: n, b: int64(c.device)}
}

func (c *Context) at(p DevicePtr) object {
	return object{format: "%#[1]x on device %[2]d", a: int64(p), b: int64(c.device)}
}

func copied(n int, p DevicePtr) object {
	return object{format: "%[1]d bytes at %#[2]x", a: int64(n), b: int64(p)}
}

func pinnedBytes(n int) object {
	return object{format: "%[1]d bytes of pinned host memory", a: int64(n)}
}

// PoolReserved is how many bytes the device's default pool holds from the system, in use or not.
func (c *Context) PoolReserved() (int64, error) {
	pool, err := c.defaultPool()
	if err != nil {
		return 0, err
	}
	const reservedCurrent = 5 // CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT
	var n uint64
	err = c.call(&procMemPoolGetAttribute, named("reserved memory"), pool, reservedCurrent, uintptr(unsafe.Pointer(&n)))
	return int64(n), err
}
