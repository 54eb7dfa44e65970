package cuda

import "unsafe"

var (
	procCanAccessPeer    = proc{name: "cuDeviceCanAccessPeer", needs: 4000}
	procEnablePeerAccess = proc{name: "cuCtxEnablePeerAccess", needs: 4000}
	procMemPoolSetAccess = proc{name: "cuMemPoolSetAccess", needs: 11020}
)

// CanReach reports whether a GPU can read and write the memory of another by itself.
func (d *Driver) CanReach(device, other int) (bool, error) {
	var can int32
	err := d.call(&procCanAccessPeer, onDevice(device), uintptr(unsafe.Pointer(&can)), uintptr(device), uintptr(other))
	return can != 0, err
}

// Reach lets the context's GPU read and write the memory of another: what Alloc has allocated
// there. CanReach says whether it can, and SharePool does this for the memory of pools.
func (c *Context) Reach(other *Context) error {
	if r, err := c.try(&procEnablePeerAccess, other.handle, 0); err != nil {
		return err
	} else if r != Success && r != PeerAccessAlreadyEnabled {
		return result(uintptr(r), &procEnablePeerAccess, onDevice(other.device))
	}
	return nil
}

// SharePool lets another GPU, which can reach the context's, read and write what the context's
// default pool gives out. The driver maps the pool's blocks anew then, and work that uses one of
// them meanwhile fails with CUDA_ERROR_LAUNCH_FAILED (CUDA 13.0, two H100s;
// docs/measurements/2026-11-26-h100-pool-access.json). So it is for a pool that has given out
// nothing.
func (c *Context) SharePool(device int) error {
	pool, err := c.defaultPool()
	if err != nil {
		return err
	}
	const onGPU, readWrite = 1, 3 // CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE
	access := struct{ kind, device, flags int32 }{onGPU, int32(device), readWrite}
	return c.call(&procMemPoolSetAccess, onDevice(c.device), pool, uintptr(unsafe.Pointer(&access)), 1)
}
