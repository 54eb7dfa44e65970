package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Driver is the loaded and initialised driver. There is one a process. All its methods may be
// called from any goroutine.
type Driver struct {
	lib     library
	addrs   sync.Map // of *proc to uintptr, 0 for a missing one
	version Version

	loadsMu sync.Mutex
	loads   Loads
}

var (
	procInit               = proc{name: "cuInit", needs: 2000}
	procDriverGetVersion   = proc{name: "cuDriverGetVersion", needs: 2000}
	procDeviceGetCount     = proc{name: "cuDeviceGetCount", needs: 2000}
	procDeviceGetName      = proc{name: "cuDeviceGetName", needs: 2000}
	procDeviceGetAttribute = proc{name: "cuDeviceGetAttribute", needs: 2000}
	procDeviceTotalMem     = proc{name: "cuDeviceTotalMem_v2", needs: 3020}
	procPrimaryCtxRetain   = proc{name: "cuDevicePrimaryCtxRetain", needs: 7000}
	procPrimaryCtxRelease  = proc{name: "cuDevicePrimaryCtxRelease_v2", needs: 11000}
	procCtxSetCurrent      = proc{name: "cuCtxSetCurrent", needs: 4000}
	procMemGetInfo         = proc{name: "cuMemGetInfo_v2", needs: 3020}
)

var open = sync.OnceValues(func() (*Driver, error) {
	lib, err := loadLibrary()
	if err != nil {
		return nil, err
	}
	return start(lib)
})

// start initialises a loaded driver.
func start(lib library) (*Driver, error) {
	d := &Driver{lib: lib}
	// The version needs no initialisation, and a driver that does not initialise can still say how
	// old it is.
	var v int32
	if err := d.call(&procDriverGetVersion, object{}, uintptr(unsafe.Pointer(&v))); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoDriver, lib.path, err)
	}
	d.version = Version(v)
	if err := d.call(&procInit, object{}, 0); err != nil {
		return d, fmt.Errorf("%w: %s: %w", ErrNoDriver, lib.path, err)
	}
	return d, nil
}

// Open loads the driver's library and initialises it, once a process. The error is a *LibraryError
// if there is no library, and matches ErrNoDriver also where the library cannot be used: no device
// (NoDevice), a stub, a driver that does not match its kernel module. Then the Driver is still
// returned if its version could be read.
func Open() (*Driver, error) {
	if d := standIn.Load(); d != nil {
		return d, nil
	}
	return open()
}

// standIn is the driver that Open returns in tests.
var standIn atomic.Pointer[Driver]

// UseStandIn makes Open return d from now on, and the driver itself again where d is nil. It is for
// tests of packages that open their devices through the public API.
func UseStandIn(d *Driver) { standIn.Store(d) }

// OpenStandIn initialises a driver whose functions are found by lookup, which returns their C
// addresses by name. It is for tests: package simdriver has a driver that needs no GPU.
func OpenStandIn(name string, lookup func(symbol string) (uintptr, error)) (*Driver, error) {
	return start(library{lookup: lookup, path: name})
}

// Path is the name the library was loaded by.
func (d *Driver) Path() string { return d.lib.path }

// Version is the newest CUDA version the driver supports.
func (d *Driver) Version() Version { return d.version }

// addr returns the address of p, looking it up on its first use.
func (d *Driver) addr(p *proc) (uintptr, error) {
	addr, ok := d.addrs.Load(p)
	if !ok {
		found, err := d.lib.lookup(p.name)
		if err != nil {
			found = 0
		}
		addr, _ = d.addrs.LoadOrStore(p, found)
	}
	if addr.(uintptr) == 0 {
		return 0, &SymbolError{Name: p.name, Needs: p.needs, Driver: d.version}
	}
	return addr.(uintptr), nil
}

// call calls p, for functions that need no current context.
//
//go:uintptrescapes
func (d *Driver) call(p *proc, about object, args ...uintptr) error {
	addr, err := d.addr(p)
	if err != nil {
		return err
	}
	r := syscallN(addr, args...)
	return result(r, p, about)
}

// result turns a CUresult into an error, nil for success.
func result(r uintptr, p *proc, about object) error {
	if Result(r) == Success {
		return nil
	}
	return &Error{Result: Result(r), Op: p.name, Object: about.String()}
}

// object names the object of a call, formatted only for an error: a format of two numbers and a
// name, by their indexes.
type object struct {
	format string
	a, b   int64
	name   string
}

func (o object) String() string {
	if o.format == "" {
		return o.name
	}
	return fmt.Sprintf(o.format, o.a, o.b, o.name)
}

func named(name string) object { return object{name: name} }

func onDevice(device int) object { return object{format: "device %[1]d", a: int64(device)} }

// DeviceCount returns the number of GPUs the process may use, after CUDA_VISIBLE_DEVICES.
func (d *Driver) DeviceCount() (int, error) {
	var n int32
	err := d.call(&procDeviceGetCount, object{}, uintptr(unsafe.Pointer(&n)))
	return int(n), err
}

// DeviceName returns the device's name, such as "NVIDIA H200".
func (d *Driver) DeviceName(device int) (string, error) {
	var buf [256]byte
	if err := d.call(&procDeviceGetName, onDevice(device), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), uintptr(device)); err != nil {
		return "", err
	}
	return cString(buf[:]), nil
}

// DeviceMemory returns the device's memory in bytes.
func (d *Driver) DeviceMemory(device int) (int64, error) {
	var n uint64
	err := d.call(&procDeviceTotalMem, onDevice(device), uintptr(unsafe.Pointer(&n)), uintptr(device))
	return int64(n), err
}

// Attribute is a CUdevice_attribute.
type Attribute int32

// The attributes in use.
const (
	MaxThreadsPerBlock          Attribute = 1
	MaxBlockDimX                Attribute = 2
	MaxBlockDimY                Attribute = 3
	MaxBlockDimZ                Attribute = 4
	MaxGridDimX                 Attribute = 5
	MaxGridDimY                 Attribute = 6
	MaxGridDimZ                 Attribute = 7
	MaxSharedMemoryPerBlock     Attribute = 8
	ClockRateKHz                Attribute = 13
	MultiprocessorCount         Attribute = 16
	ECCEnabled                  Attribute = 32
	MemoryClockRateKHz          Attribute = 36
	MemoryBusWidthBits          Attribute = 37
	L2CacheSize                 Attribute = 38
	ComputeCapabilityMajor      Attribute = 75
	ComputeCapabilityMinor      Attribute = 76
	MaxSharedMemoryPerBlockOpt  Attribute = 97 // with opt-in
	MemoryPoolsSupported        Attribute = 115
	AsyncEngineCount            Attribute = 40
	CanMapHostMemory            Attribute = 19
	MaxThreadsPerMultiprocessor Attribute = 39
)

// Attribute returns a property of the device.
func (d *Driver) Attribute(device int, a Attribute) (int, error) {
	var v int32
	err := d.call(&procDeviceGetAttribute, object{format: "attribute %[1]d of device %[2]d", a: int64(a), b: int64(device)}, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(device))
	return int(v), err
}

// Retain takes a reference to the device's primary context, which this process's other CUDA
// libraries share, and creates it if need be (some hundred milliseconds). Release gives it back.
func (d *Driver) Retain(device int) (*Context, error) {
	c := &Context{driver: d, device: device}
	if err := d.call(&procPrimaryCtxRetain, onDevice(device), uintptr(unsafe.Pointer(&c.handle)), uintptr(device)); err != nil {
		return nil, err
	}
	set, err := d.addr(&procCtxSetCurrent)
	if err != nil {
		return nil, err
	}
	c.setCurrent = set
	return c, nil
}

// Context is a device's primary context. Its methods may be called from any goroutine.
type Context struct {
	driver      *Driver
	device      int
	handle      uintptr
	setCurrent  uintptr
	launch      launchProc // cuLaunchKernel
	cooperative launchProc // cuLaunchCooperativeKernel
	clusters    launchProc // cuLaunchKernelEx
}

// Release gives the context back. The last release destroys it with everything made in it.
func (c *Context) Release() error {
	defer c.dropHostFuncs()
	return c.driver.call(&procPrimaryCtxRelease, onDevice(c.device), uintptr(c.device))
}

// call calls p with the context current.
//
//go:uintptrescapes
func (c *Context) call(p *proc, about object, args ...uintptr) error {
	r, err := c.try(p, args...)
	if err != nil || r == Success {
		return err
	}
	return result(uintptr(r), p, about)
}

// try calls p with the context current. The error is for a call that could not be made.
//
//go:uintptrescapes
func (c *Context) try(p *proc, args ...uintptr) (Result, error) {
	addr, err := c.driver.addr(p)
	if err != nil {
		return Success, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := syscallN(c.setCurrent, c.handle); Result(r) != Success {
		return Success, result(r, &procCtxSetCurrent, onDevice(c.device))
	}
	r := syscallN(addr, args...)
	return Result(r), nil
}

// Current calls f on a thread that has the context current, as CUDA's other libraries need it, and
// returns f's error.
func (c *Context) Current(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := syscallN(c.setCurrent, c.handle); Result(r) != Success {
		return result(r, &procCtxSetCurrent, onDevice(c.device))
	}
	return f()
}

// Device is the number of the context's device, as the driver counts them.
func (c *Context) Device() int { return c.device }

// Driver is the driver the context belongs to.
func (c *Context) Driver() *Driver { return c.driver }

// MemoryInfo returns the free and the total memory of the device in bytes. Free counts what all
// processes have left, and not the memory that a pool of this process keeps.
func (c *Context) MemoryInfo() (free, total int64, err error) {
	var f, t uint64
	err = c.call(&procMemGetInfo, object{}, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return int64(f), int64(t), err
}

func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
