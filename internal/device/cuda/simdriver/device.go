//go:build linux

package simdriver

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// device is a GPU of the simulated driver.
type device struct {
	d       *driver
	number  int
	primary *context // nil while nobody has retained it
	users   int
}

// context is a device's primary context.
type context struct {
	dev       *device
	handle    uintptr
	machine   *sim.Machine
	memory    memory
	destroyed bool
	peers     map[uintptr]bool // the contexts whose memory it reaches, by handle
	failed    atomic.Uint32    // a cuda.Result: what ended the context
}

func (c *context) lost() cuda.Result { return cuda.Result(c.failed.Load()) }

func (d *driver) device(number uintptr) (*device, bool) {
	if number >= uintptr(len(d.devices)) {
		return nil, false
	}
	return d.devices[number], true
}

// multiprocessors is how many each GPU has.
const multiprocessors = 2

// limits returns the limits of the device's compute capability.
func (dev *device) limits() abi.Limits {
	c := dev.d.cfg.Capability
	return abi.LimitsOf(10*c[0] + c[1])
}

func (d *driver) getCount(to uintptr) uintptr {
	*at[int32](to) = int32(len(d.devices))
	return 0
}

func (d *driver) getName(to, size, number uintptr) uintptr {
	if _, ok := d.device(number); !ok {
		return code(cuda.InvalidDevice)
	}
	copy(memoryAt(to, size), "Simulated GPU\x00")
	return 0
}

func (d *driver) totalMem(to, number uintptr) uintptr {
	if _, ok := d.device(number); !ok {
		return code(cuda.InvalidDevice)
	}
	*at[uint64](to) = uint64(newMachine(d.cfg).Config().Memory)
	return 0
}

func (d *driver) getAttribute(to, attribute, number uintptr) uintptr {
	if _, ok := d.device(number); !ok {
		return code(cuda.InvalidDevice)
	}
	l := d.devices[number].limits()
	pools := 1
	if d.cfg.NoPools {
		pools = 0
	}
	v, ok := map[cuda.Attribute]int{
		cuda.MaxThreadsPerBlock: l.Threads,
		cuda.MaxBlockDimX:       l.Block[0], cuda.MaxBlockDimY: l.Block[1], cuda.MaxBlockDimZ: l.Block[2],
		cuda.MaxGridDimX: l.Grid[0], cuda.MaxGridDimY: l.Grid[1], cuda.MaxGridDimZ: l.Grid[2],
		cuda.MaxSharedMemoryPerBlock: l.StaticShared, cuda.MaxSharedMemoryPerBlockOpt: l.Shared,
		cuda.MultiprocessorCount: multiprocessors, cuda.ComputeCapabilityMajor: d.cfg.Capability[0],
		cuda.ComputeCapabilityMinor: d.cfg.Capability[1],
		cuda.MemoryPoolsSupported:   pools,
	}[cuda.Attribute(attribute)]
	if !ok {
		return code(cuda.InvalidValue)
	}
	*at[int32](to) = int32(v)
	return 0
}

func (d *driver) retain(to, number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev.primary != nil && dev.primary.lost() != cuda.Success {
		return code(dev.primary.lost())
	}
	if dev.primary == nil {
		c := &context{dev: dev, machine: newMachine(d.cfg)}
		c.handle = d.handle(c)
		dev.primary = c
	}
	dev.users++
	*at[uintptr](to) = dev.primary.handle
	return 0
}

func (d *driver) release(number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if dev.users == 0 {
		return code(cuda.InvalidContext)
	}
	// A context that a kernel has ended stays lost for the process, as with the driver.
	if dev.users--; dev.users == 0 && dev.primary.lost() == cuda.Success {
		dev.destroy()
	}
	return 0
}

// destroy ends the primary context and all that is in it. It needs d.mu.
func (dev *device) destroy() {
	c := dev.primary
	c.destroyed = true
	dev.primary = nil
	for h, x := range dev.d.handles {
		if o, ok := x.(owned); ok && o.owner() == c {
			delete(dev.d.handles, h)
		}
	}
	delete(dev.d.handles, c.handle)
}

func (d *driver) setCurrent(h uintptr) uintptr {
	c := find[*context](d, h)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current[syscall.Gettid()] = c
	return 0
}

func (d *driver) memInfo(free, total uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	used, _ := c.machine.Used()
	all := c.machine.Config().Memory
	*at[uint64](free), *at[uint64](total) = uint64(all-used), uint64(all)
	return 0
}

// at is the variable at an address that C was given.
func at[T any](addr uintptr) *T { return *(**T)(unsafe.Pointer(&addr)) }

// memoryAt is host memory at an address.
func memoryAt(addr, n uintptr) []byte { return unsafe.Slice(at[byte](addr), n) }
