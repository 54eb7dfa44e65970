//go:build linux

package simdriver

import (
	"sync/atomic"
	"syscall"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// device is a GPU of the simulated driver.
type device struct {
	d       *driver
	kind    Kind
	number  int
	primary *context // nil while nobody has retained it
	users   int
	flags   uint32 // of the primary context
	// board is shared by the contexts, so that an address means the same in all of them. It is
	// there as long as one of them is, and contexts counts them.
	board    *board
	contexts int
	// physical is how many bytes of memory are not the machine's: made by cuMemCreate, or for pools that
	// other processes share.
	physical int64
	pool     *pool   // its default pool, once something was asked of it
	current  uintptr // the pool that cuMemAllocAsync uses, 0 for the default one
}

// memory is how many bytes the device has.
func (dev *device) memory() int64 { return dev.newMachine().Config().Memory }

// board is a device's machine, and its checks, which are nil where nothing is checked.
type board struct {
	machine *sim.Machine
	checks  *checked.Device
}

// context is a CUDA context.
type context struct {
	*board
	dev       *device
	handle    uintptr
	flags     uint32
	memory    memory
	destroyed atomic.Bool
	peers     map[uintptr]bool // the contexts whose memory it reaches, by handle
	failed    atomic.Uint32    // a cuda.Result: what ended the context
	streams   streams
	limits    map[uintptr]uint64 // those that were set, by CUlimit
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
	return abi.LimitsOf(dev.sm())
}

// sm is the device's compute capability as a number, 90 for 9.0.
func (dev *device) sm() int { return 10*dev.kind.Capability[0] + dev.kind.Capability[1] }

func (d *driver) getCount(to uintptr) uintptr {
	*at[int32](to) = int32(len(d.devices))
	return 0
}

func (d *driver) getName(to, size, number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	name := memoryAt(to, size)
	clear(name)
	copy(name, dev.kind.Name)
	if size > 0 {
		name[size-1] = 0
	}
	return 0
}

func (d *driver) totalMem(to, number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	*at[uint64](to) = uint64(dev.memory())
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
		dev.primary = dev.newContext(dev.flags)
	}
	dev.users++
	*at[uintptr](to) = dev.primary.handle
	return 0
}

// newContext makes a context. It needs d.mu.
func (dev *device) newContext(flags uint32) *context {
	if dev.board == nil {
		dev.board = &board{machine: dev.newMachine()}
		if checks := dev.d.cfg.Checks; checks != nil {
			dev.board.checks = checked.NewDevice(checks)
		}
		for _, x := range dev.d.virtual.runs {
			if x.dev == dev {
				x.adopt()
			}
		}
	}
	dev.contexts++
	c := &context{board: dev.board, dev: dev, flags: flags}
	c.streams.null = newStream(c, false)
	c.handle = dev.d.handle(c)
	return c
}

func (d *driver) release(number uintptr) uintptr {
	dev, ok := d.device(number)
	if !ok {
		return code(cuda.InvalidDevice)
	}
	d.mu.Lock()
	if dev.users == 0 {
		d.mu.Unlock()
		return code(cuda.InvalidContext)
	}
	// A context that a kernel has ended stays lost for the process, as with the driver.
	dev.users--
	c := dev.primary
	last := dev.users == 0 && c.lost() == cuda.Success
	if last {
		dev.primary = nil // who retains it from now on gets another
	}
	d.mu.Unlock()
	if last {
		c.finish()
		d.destroy(c)
	}
	return 0
}

// destroy ends a context and all that is in it.
func (d *driver) destroy(c *context) {
	if c.destroyed.Swap(true) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dev := c.dev
	if dev.primary == c {
		dev.primary, dev.users = nil, 0
	}
	for h, x := range d.handles {
		if o, ok := x.(owned); ok && o.owner() == c {
			delete(d.handles, h)
		}
	}
	delete(d.handles, c.handle)
	c.memory.freeAll(c)
	if dev.contexts--; dev.contexts == 0 {
		dev.board = nil
	}
}

func (d *driver) setCurrent(h uintptr) uintptr {
	var c *context
	if h != 0 || !d.cfg.guest {
		var ok bool
		if c, ok = find[*context](d, h); !ok {
			return code(cuda.InvalidContext)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	thread := syscall.Gettid()
	stack := d.stacks[thread]
	if len(stack) > 0 {
		stack = stack[:len(stack)-1]
	}
	if c != nil {
		stack = append(stack, c)
	}
	d.stacks[thread] = stack
	return 0
}

func (d *driver) memInfo(free, total uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	used, _ := c.machine.Used()
	all := c.machine.Config().Memory
	d.mu.Lock()
	used = min(used+c.dev.physical, all)
	d.mu.Unlock()
	*at[uint64](free), *at[uint64](total) = uint64(all-used), uint64(all)
	return 0
}
