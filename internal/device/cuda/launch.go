package cuda

import (
	"runtime"
	"sync"
	"unsafe"
)

var (
	procLaunchKernel      = proc{name: "cuLaunchKernel", needs: 4000}
	procLaunchCooperative = proc{name: "cuLaunchCooperativeKernel", needs: 9000}
	procLaunchEx          = proc{name: "cuLaunchKernelEx", needs: 11080}
)

// Params is a launch's argument block: the kernel's parameters laid out as PTX declares them.
// NewParams provides blocks and Launch takes them back, so that launching allocates nothing.
type Params struct {
	// Bytes is the parameter block, Size how much of it is used.
	Bytes []byte
	Size  uintptr

	extra [5]uintptr  // the driver's description of the block
	args  [11]uintptr // of cuLaunchKernel: here, because a variadic call's arguments are allocated
	addrs []uintptr   // of the parameters in Bytes: here, because a stack that grows moves what is on it

	config     LaunchConfig
	attributes [2]LaunchAttribute
}

// LaunchConfig is a CUlaunchConfig.
type LaunchConfig struct {
	Grid, Block [3]uint32
	Shared      uint32
	Stream      Stream
	Attributes  uintptr // the address of the first
	Count       uint32  // of the attributes
}

// LaunchAttribute is a CUlaunchAttribute.
type LaunchAttribute struct {
	ID    uint64     // 4 bytes, and 4 of padding
	Value [16]uint32 // of the union as many as the attribute has
}

// The attributes in use.
const (
	LaunchIsCooperative    = 2 // CU_LAUNCH_ATTRIBUTE_COOPERATIVE: 1
	LaunchClusterDimension = 4 // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: x, y, z
)

var paramsPool = sync.Pool{New: func() any {
	p := new(Params)
	p.grow(4096) // enough for most kernels
	return p
}}

// NewParams returns an argument block of undefined content, for size bytes of parameters.
func NewParams(size int) *Params {
	p := paramsPool.Get().(*Params)
	if size > len(p.Bytes) {
		p.grow(size)
	}
	p.Size = uintptr(size)
	return p
}

func (p *Params) grow(size int) {
	p.Bytes = make([]byte, size)
	const bufferPointer, bufferSize, end = 1, 2, 0 // CU_LAUNCH_PARAM_…
	p.extra = [5]uintptr{
		bufferPointer, uintptr(unsafe.Pointer(unsafe.SliceData(p.Bytes))),
		bufferSize, uintptr(unsafe.Pointer(&p.Size)), end,
	}
}

// launchProc is the address of a function that launches, stored with the context so that a launch
// looks nothing up.
type launchProc struct {
	once sync.Once
	addr uintptr
	err  error
}

// Launch starts f on s. It takes p over: the driver has copied the parameters when Launch returns,
// and the block is used again.
//
// It is one foreign call. Setting the context first would be a second, so the call is tried with
// whatever context the thread has. A thread without one, or with another device's, is refused by
// the driver (a function and a stream belong to one context), and only then is it set.
func (c *Context) Launch(f Function, grid, block [3]uint32, shared uint32, s Stream, p *Params) error {
	extra := uintptr(unsafe.Pointer(&p.extra))
	if p.Size == 0 {
		extra = 0
	}
	p.setArgs(f, grid, block, shared, s, 0, extra)
	return c.start(&c.launch, &procLaunchKernel, p, len(p.args))
}

// LaunchOneByOne is Launch with the address of each parameter: offsets are theirs in the block. A
// kernel needs it that has a parameter aligned to more than 16 bytes, as a tensor map is. The code
// of such a kernel has a gap before that parameter that no block from here has.
func (c *Context) LaunchOneByOne(f Function, grid, block [3]uint32, shared uint32, s Stream, p *Params, offsets []int) error {
	p.setArgs(f, grid, block, shared, s, p.addresses(offsets), 0)
	return c.start(&c.launch, &procLaunchKernel, p, len(p.args))
}

// LaunchCooperative is Launch of a kernel whose blocks wait for each other, so that all of them run
// at once. The driver refuses a grid of more blocks than the device runs at a time. It wants the
// address of each parameter: offsets are theirs in the block.
func (c *Context) LaunchCooperative(f Function, grid, block [3]uint32, shared uint32, s Stream, p *Params, offsets []int) error {
	p.setArgs(f, grid, block, shared, s, p.addresses(offsets), 0)
	return c.start(&c.cooperative, &procLaunchCooperative, p, len(p.args)-1)
}

// LaunchClusters is Launch of a grid of clusters, cooperative or not. It needs a driver of CUDA
// 11.8.
func (c *Context) LaunchClusters(f Function, l LaunchConfig, cluster [3]uint32, cooperative bool, p *Params, offsets []int) error {
	p.attributes = [2]LaunchAttribute{{ID: LaunchClusterDimension}, {ID: LaunchIsCooperative, Value: [16]uint32{1}}}
	copy(p.attributes[0].Value[:], cluster[:])
	p.config = l
	p.config.Attributes, p.config.Count = uintptr(unsafe.Pointer(&p.attributes)), 1
	if cooperative {
		p.config.Count = 2
	}
	p.args = [11]uintptr{uintptr(unsafe.Pointer(&p.config)), uintptr(f), p.addresses(offsets)}
	return c.start(&c.clusters, &procLaunchEx, p, 4)
}

// addresses returns the address of an array with the addresses of the parameters at offsets in the
// block.
func (p *Params) addresses(offsets []int) uintptr {
	p.addrs = p.addrs[:0]
	for _, off := range offsets {
		p.addrs = append(p.addrs, uintptr(unsafe.Pointer(&p.Bytes[off])))
	}
	p.addrs = append(p.addrs, 0) // one at least, to have an address
	return uintptr(unsafe.Pointer(&p.addrs[0]))
}

// setArgs sets the arguments of cuLaunchKernel. cuLaunchCooperativeKernel has the same but the
// last.
func (p *Params) setArgs(f Function, grid, block [3]uint32, shared uint32, s Stream, params, extra uintptr) {
	p.args = [11]uintptr{
		uintptr(f),
		uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]),
		uintptr(block[0]), uintptr(block[1]), uintptr(block[2]),
		uintptr(shared), uintptr(s), params, extra,
	}
}

// start calls a function that launches, with the first n of p.args.
func (c *Context) start(l *launchProc, of *proc, p *Params, n int) error {
	defer paramsPool.Put(p)
	l.once.Do(func() { l.addr, l.err = c.driver.addr(of) })
	if l.err != nil {
		return l.err
	}
	r := l.try(p, n)
	if r == InvalidContext || r == InvalidHandle {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if r := syscallN(c.setCurrent, c.handle); Result(r) != Success {
			return result(r, &procCtxSetCurrent, onDevice(c.device))
		}
		r = l.try(p, n)
	}
	if r == Success {
		return nil
	}
	return &Error{Result: r, Op: of.name, Object: onDevice(c.device).String()}
}

func (l *launchProc) try(p *Params, n int) Result {
	r := syscallN(l.addr, p.args[:n]...)
	runtime.KeepAlive(p)
	return Result(r)
}
