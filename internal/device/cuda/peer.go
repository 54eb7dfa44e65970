package cuda

import "unsafe"

var (
	procCanAccessPeer    = proc{name: "cuDeviceCanAccessPeer", needs: 4000}
	procEnablePeerAccess = proc{name: "cuCtxEnablePeerAccess", needs: 4000}
	procMemPoolSetAccess = proc{name: "cuMemPoolSetAccess", needs: 11020}
)

// CanReach reports whether the context's GPU can read and write the memory of another by itself.
func (c *Context) CanReach(other *Context) (bool, error) {
	var can int32
	err := c.driver.call(&procCanAccessPeer, onDevice(c.device), uintptr(unsafe.Pointer(&can)), uintptr(c.device), uintptr(other.device))
	return can != 0, err
}

// Reach lets the context's GPU read and write the memory of another: what Alloc has allocated
// there, and what the other's pool has. CanReach says whether it can.
func (c *Context) Reach(other *Context) error {
	if r, err := c.try(&procEnablePeerAccess, other.handle, 0); err != nil {
		return err
	} else if r != Success && r != PeerAccessAlreadyEnabled {
		return result(uintptr(r), &procEnablePeerAccess, onDevice(other.device))
	}
	if has, err := c.driver.Attribute(other.device, MemoryPoolsSupported); err != nil || has == 0 {
		return nil // drivers before 11.2 do not know the attribute
	}
	pool, err := other.defaultPool()
	if err != nil {
		return err
	}
	const onGPU, readWrite = 1, 3 // CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE
	access := struct{ kind, device, flags int32 }{onGPU, int32(c.device), readWrite}
	return other.call(&procMemPoolSetAccess, onDevice(other.device), pool, uintptr(unsafe.Pointer(&access)), 1)
}
