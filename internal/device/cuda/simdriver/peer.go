//go:build linux

package simdriver

import "github.com/gridstride/gridstride/internal/device/cuda"

// The results of calls about peers.
const (
	peerUnsupported cuda.Result = 217
	peerNotEnabled  cuda.Result = 705
)

func (d *driver) peerFunctions() map[string]any {
	return map[string]any{
		"cuDeviceCanAccessPeer":   d.canAccessPeer,
		"cuDeviceGetP2PAttribute": d.peerAttribute,
		"cuCtxEnablePeerAccess":   d.enablePeerAccess,
		"cuCtxDisablePeerAccess":  d.disablePeerAccess,
	}
}

// reaches reports that a GPU may reach another's memory. For a program that is any two. For package
// cuda it is the first one the others', and they not its.
func (dev *device) reaches(other *device) bool {
	if dev.d.cfg.guest {
		return dev != other
	}
	return dev.number < other.number && !dev.kind.Alone && !other.kind.Alone
}

func (d *driver) canAccessPeer(to, number, other uintptr) uintptr {
	dev, ok := d.device(number)
	peer, ok2 := d.device(other)
	switch {
	case !ok || !ok2:
		return code(cuda.InvalidDevice)
	case to == 0:
		return code(cuda.InvalidValue)
	}
	*at[int32](to) = boolean(dev.reaches(peer))
	return 0
}

// peerAttribute stores a CUdevice_P2PAttribute of two devices.
func (d *driver) peerAttribute(to, attribute, number, other uintptr) uintptr {
	const rank, access, atomics, arrays = 1, 2, 3, 4
	dev, ok := d.device(number)
	peer, ok2 := d.device(other)
	switch {
	case !ok || !ok2 || dev == peer:
		return code(cuda.InvalidDevice)
	case to == 0 || attribute < rank || attribute > arrays+1:
		return code(cuda.InvalidValue)
	}
	*at[int32](to) = boolean(dev.reaches(peer) && (attribute == access || attribute == atomics))
	return 0
}

func boolean(on bool) int32 {
	if on {
		return 1
	}
	return 0
}

// enablePeerAccess lets kernels of the current context reach what another device has allocated.
func (d *driver) enablePeerAccess(other, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	to, ok := find[*context](d, other)
	switch {
	case !ok:
		return code(cuda.InvalidContext)
	case flags != 0:
		return code(cuda.InvalidValue)
	case !c.dev.reaches(to.dev):
		return code(peerUnsupported)
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
	c.machine.Reach(&to.machine.Space, true)
	return 0
}

func (d *driver) disablePeerAccess(other uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	to, ok := find[*context](d, other)
	if !ok {
		return code(cuda.InvalidContext)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !c.peers[other] {
		return code(peerNotEnabled)
	}
	delete(c.peers, other)
	c.machine.Reach(&to.machine.Space, false)
	return 0
}
