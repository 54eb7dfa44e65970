//go:build linux

package simdriver

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ebitengine/purego"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	simmemory "github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// MaxDevices is the most GPUs whose memory has addresses of its own.
const MaxDevices = simmemory.Devices

// Config configures the simulated driver.
type Config struct {
	Devices int          // number of GPUs, at most MaxDevices for a Guest
	Version cuda.Version // the newest version that the driver supports
	Memory  int64        // of each GPU; 0 is sim's default
	NoPools bool         // no stream-ordered allocator
	// Capability is the GPUs' compute capability, or zero for 9.0.
	Capability [2]int
	// Kinds are the kinds of the first GPUs, if they differ from the others.
	Kinds []Kind
	// Missing are functions the driver does not have.
	Missing []string
	// Checks say how launches are checked; nil for not at all.
	Checks *checked.Config
	// Forgive makes a context live on after a kernel has failed.
	Forgive bool
	// From is the position of the program that queues work, on the thread that does: a file and a line,
	// or without a line the address of a call. It is nil where nobody asks for it.
	From func() event.Position
	// guest says that any program calls the driver, so that a bad handle is the program's mistake
	// and answered with an error. Without it a bad handle is a mistake of package cuda.
	guest bool
}

// Kind is a kind of GPU.
type Kind struct {
	Name       string
	Capability [2]int
	Alone      bool // it reaches no other GPU's memory, and none reaches its own
}

// driver is the state of a simulated driver.
type driver struct {
	cfg     Config
	missing map[string]bool
	table   map[string]any

	mu      sync.Mutex
	devices []*device
	started atomic.Bool        // cuInit was called
	stacks  map[int][]*context // the current contexts, by thread
	handles map[uintptr]any    // *context, *stream, *streamEvent, *module, *function, …
	next    uintptr
	addrs   map[string]uintptr
	texts   map[string][]byte // what C was given

	virtual virtual
	shared  shared
}

// Open makes a simulated driver. Each takes some of a process's fixed number of C callbacks, so a
// test binary makes a few.
func Open(cfg Config) (*cuda.Driver, error) {
	driver, _, err := openDriver(cfg)
	return driver, err
}

func openDriver(cfg Config) (*cuda.Driver, *driver, error) {
	d := newDriver(cfg)
	opened, err := cuda.OpenStandIn("the simulator's driver", d.lookup)
	return opened, d, err
}

func newDriver(cfg Config) *driver {
	if cfg.Capability == [2]int{} {
		cfg.Capability = [2]int{9, 0}
	}
	d := &driver{
		cfg: cfg, missing: map[string]bool{}, stacks: map[int][]*context{},
		handles: map[uintptr]any{}, next: 0x1000, addrs: map[string]uintptr{},
	}
	for _, name := range cfg.Missing {
		d.missing[name] = true
	}
	for i := range cfg.Devices {
		kind := Kind{Name: "Simulated GPU", Capability: cfg.Capability}
		if i < len(cfg.Kinds) {
			kind = cfg.Kinds[i]
		}
		d.devices = append(d.devices, &device{d: d, kind: kind, number: i})
	}
	d.table = d.functions()
	for _, more := range []map[string]any{
		d.contextFunctions(), d.deviceFunctions(), d.memoryFunctions(), d.copyFunctions(), d.hostMemoryFunctions(), d.fillFunctions(),
		d.streamFunctions(), d.codeFunctions(), d.launchFunctions(), d.graphFunctions(), d.queryFunctions(), d.linkFunctions(), d.peerFunctions(), d.virtualFunctions(), d.shareFunctions(), d.poolFunctions(),
	} {
		maps.Copy(d.table, more)
	}
	return d
}

// lookup returns the C address of a function.
func (d *driver) lookup(name string) (uintptr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.table[name]
	if !ok || d.missing[name] {
		return 0, fmt.Errorf("no %s", name)
	}
	if d.addrs[name] == 0 {
		d.addrs[name] = purego.NewCallback(f)
	}
	return d.addrs[name], nil
}

// functions are libcuda's, by name. Every argument is a machine word, every result a CUresult.
func (d *driver) functions() map[string]any {
	return map[string]any{
		"cuInit":                       d.init,
		"cuDriverGetVersion":           d.getVersion,
		"cuDeviceGetCount":             d.getCount,
		"cuDeviceGetName":              d.getName,
		"cuDeviceGetAttribute":         d.getAttribute,
		"cuDeviceTotalMem_v2":          d.totalMem,
		"cuDevicePrimaryCtxRetain":     d.retain,
		"cuDevicePrimaryCtxRelease_v2": d.release,
		"cuCtxSetCurrent":              d.setCurrent,
		"cuMemGetInfo_v2":              d.memInfo,

		"cuMemAlloc_v2":                d.memAlloc,
		"cuMemFree_v2":                 d.memFree,
		"cuMemAllocAsync":              d.memAllocAsync,
		"cuMemFreeAsync":               d.memFreeAsync,
		"cuDeviceGetDefaultMemPool":    d.defaultPool,
		"cuMemHostAlloc":               d.hostAlloc,
		"cuMemFreeHost":                d.hostFree,
		"cuMemHostRegister_v2":         d.hostRegister,
		"cuMemHostUnregister":          d.hostUnregister,
		"cuMemHostGetDevicePointer_v2": d.hostDevicePointer,

		"cuStreamCreate":       d.streamCreate,
		"cuStreamDestroy_v2":   d.streamDestroy,
		"cuStreamSynchronize":  d.streamSynchronize,
		"cuStreamQuery":        d.streamQuery,
		"cuStreamWaitEvent":    d.streamWaitEvent,
		"cuEventCreate":        d.eventCreate,
		"cuEventDestroy_v2":    d.eventDestroy,
		"cuEventRecord":        d.eventRecord,
		"cuEventSynchronize":   d.eventSynchronize,
		"cuEventQuery":         d.eventQuery,
		"cuEventElapsedTime":   d.eventElapsed,
		"cuModuleLoadDataEx":   d.moduleLoad,
		"cuModuleUnload":       d.moduleUnload,
		"cuModuleGetFunction":  d.moduleFunction,
		"cuModuleGetGlobal_v2": d.moduleGlobal,
		"cuFuncGetAttribute":   d.functionGet,
		"cuFuncSetAttribute":   d.functionSet,
		"cuLaunchKernel":       d.launch,
		"cuLaunchHostFunc":     d.launchHostFunc,

		"cuArray3DCreate_v2":  d.arrayCreate,
		"cuArrayDestroy":      d.arrayDestroy,
		"cuTexObjectCreate":   d.texObjectCreate,
		"cuTexObjectDestroy":  d.objectDestroy,
		"cuSurfObjectCreate":  d.surfObjectCreate,
		"cuSurfObjectDestroy": d.objectDestroy,

		"cuTensorMapEncodeTiled":    d.tensorMapEncode,
		"cuLaunchCooperativeKernel": d.launchCooperative,
		"cuLaunchKernelEx":          d.launchEx,

		"cuOccupancyMaxActiveBlocksPerMultiprocessor": d.activeBlocks,
		"cuOccupancyMaxPotentialBlockSize":            d.potentialBlock,
	}
}

func (d *driver) init(uintptr) uintptr {
	if d.cfg.Devices == 0 {
		return code(cuda.NoDevice)
	}
	d.started.Store(true)
	return 0
}

func (d *driver) getVersion(to uintptr) uintptr {
	*at[int32](to) = int32(d.cfg.Version)
	return 0
}

// code is a result as C returns it.
func code(r cuda.Result) uintptr { return uintptr(r) }

// handle gives an object a handle. It needs d.mu.
func (d *driver) handle(x any) uintptr {
	d.next += 0x10
	d.handles[d.next] = x
	return d.next
}

// find is the object of type T that a handle stands for. NVIDIA's driver crashes, some time, on a
// handle that is none or was destroyed. This does at once where package cuda gave it, and otherwise
// says that there is no such object.
func find[T any](d *driver, h uintptr) (x T, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x, ok = d.handles[h].(T)
	if !ok && !d.cfg.guest {
		panic(fmt.Sprintf("BUG: the driver was given %#x, which is no %T now", h, x))
	}
	return x, ok
}

// add gives an object a handle, and stores it where C wants it.
func (d *driver) add(to uintptr, x any) uintptr {
	if to == 0 {
		return code(cuda.InvalidValue)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	*at[uintptr](to) = d.handle(x)
	return 0
}

// remove takes a handle away.
func (d *driver) remove(h uintptr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.handles, h)
}

// top is the context that is current on the calling thread, or nil.
func (d *driver) top() *context {
	d.mu.Lock()
	defer d.mu.Unlock()
	stack := d.stacks[syscall.Gettid()]
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// thread is the context that is current on the calling thread.
func (d *driver) thread() (*context, cuda.Result) {
	c := d.top()
	switch {
	case d.cfg.guest && !d.started.Load():
		return nil, cuda.NotInitialized
	case c == nil:
		return nil, cuda.InvalidContext
	case c.destroyed.Load():
		if d.cfg.guest {
			return nil, contextIsDestroyed
		}
		return nil, cuda.InvalidContext
	case c.lost() != cuda.Success:
		return nil, c.lost()
	}
	return c, cuda.Success
}

// owned is an object that belongs to a context.
type owned interface{ owner() *context }

// on is the current context and the object of type T that h stands for, if that belongs to it.
func on[T owned](d *driver, h uintptr) (c *context, x T, r cuda.Result) {
	if c, r = d.thread(); r != cuda.Success {
		return c, x, r
	}
	var ok bool
	switch to := any(&x).(type) {
	case **stream:
		*to, ok = d.streamOf(c, h)
	case **function:
		*to, r = d.functionOf(c, h)
		if r != cuda.Success {
			return c, x, r
		}
		ok = true
	default:
		x, ok = find[T](d, h)
	}
	if !ok || x.owner() != c {
		return c, x, cuda.InvalidHandle
	}
	return c, x, cuda.Success
}

func (dev *device) newMachine() *sim.Machine {
	sm := dev.sm()
	return sim.New(sim.Config{Memory: dev.d.cfg.Memory, Limits: sim.LimitsOf(sm), SM: sm, Device: dev.number % MaxDevices})
}
