package gridstride

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/tools/count"
)

// Device is a GPU, or a simulated one. It keeps its buffers, streams and modules until Close.
type Device struct {
	id      int
	backend device.Backend
	info    Info
	fresh   func(ptx string) error // of tools: the error of PTX that is stale. Without a tool it is nil
	stale   string                 // what is done with embedded kernels that are stale

	own     atomic.Pointer[Stream] // the device's own stream, nil before it was asked for
	closed  atomic.Bool
	mu      sync.Mutex
	live    map[*memory]struct{}
	bytes   int64 // of live
	modules map[*embeddedPart]*Module
	checked map[*embeddedFile]bool // texts that are not stale, and that the device can run
}

// Info describes a device and its limits. It does not change while the device is open.
type Info struct {
	// Name is the driver's name of the device, as "NVIDIA H200", or "simulator".
	Name string
	// Backend is "cuda" for a GPU and "sim" for the simulator.
	Backend string
	// Memory is the size of the device's memory in bytes.
	Memory int64
	// Multiprocessors is how many streaming multiprocessors there are: a grid of a small multiple
	// of that many blocks keeps all of them busy.
	Multiprocessors int
	// WarpSize is the number of threads of a warp, 32.
	WarpSize int
	// MaxThreads is the largest number of threads of a block. MaxBlock and MaxGrid limit each
	// dimension.
	MaxThreads        int
	MaxBlock, MaxGrid Dim3
	// MaxShared is the largest amount of shared memory of a block, static and dynamic together, in
	// bytes.
	MaxShared int
	// MaxCluster is the largest number of blocks of a cluster, 1 where the device has no clusters.
	MaxCluster int
	// Capability is a GPU's compute capability, "9.0", and Driver the newest CUDA version that its
	// driver supports, "CUDA 13.0". Both are empty for the simulator.
	Capability, Driver string
	// Target is the newest PTX target that the device runs, "sm_90a": of a GPU as its compute
	// capability says, of the simulator the one that it plays.
	Target string
	// Use is the argument of the option [Use] that opens the device: "cuda:1", "sim", "sim:sm_80".
	Use string
	// Why says why Open chose this device: "GRIDSTRIDE_DEVICE=sim", "the first GPU", "no GPU: no
	// NVIDIA driver: …". Of devices that were not opened see [Devices].
	Why string
}

// Usage is the memory that the live buffers and arrays of a device use. Buffers counts both, and the
// texture and surface objects that were not freed.
type Usage struct {
	Buffers int
	Bytes   int64
}

// Open opens a device. The option [Use] chooses it. Without the option, the environment variable
// GRIDSTRIDE_DEVICE does. Without both it is the first GPU, or the simulator if there is no GPU.
// Both are written
//
//	sim          a simulated device
//	sim:sm_80    a simulated device that plays another target (see [SimTarget])
//	cuda         the first GPU
//	cuda:1       the second GPU
//
// GPUs are counted as the driver does, which leaves out those that CUDA_VISIBLE_DEVICES hides.
// Asking for one that is not there is an error. [Info.Why] says why a device was taken that nobody
// asked for.
//
// Each Open of the simulator is a device with its own memory. Devices opened on one GPU share its
// memory, and the driver's context with every other user of CUDA in the process.
//
// Errors: ErrNoDevice, naming what was asked for and what there is.
func Open(options ...Option) (*Device, error) {
	c, err := resolve(options)
	if err != nil {
		return nil, err
	}
	b, why, err := c.open()
	if err != nil {
		return nil, err
	}
	return &Device{
		id: takeID(), backend: b, info: infoOf(b.Info(), c.use(b), why), fresh: c.Fresh, stale: c.Stale,
		live: map[*memory]struct{}{}, modules: map[*embeddedPart]*Module{}, checked: map[*embeddedFile]bool{},
	}, nil
}

// infoOf describes a backend's device.
func infoOf(i device.Info, use, why string) Info {
	return Info{
		Name: i.Name, Backend: i.Backend, Memory: i.Memory, Multiprocessors: i.Multiprocessors, WarpSize: i.WarpSize,
		MaxThreads: i.MaxThreads, MaxBlock: dim3(i.MaxBlock[:]), MaxGrid: dim3(i.MaxGrid[:]), MaxShared: i.MaxShared, MaxCluster: abi.LimitsOf(i.SM).Cluster,
		Capability: i.Capability, Driver: i.Driver, Target: abi.TargetOf(i.SM).String(), Use: use, Why: why,
	}
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// String is "device 0 (simulator)". Devices are numbered from 0 in the order they were opened. A
// closed device's number is given out again.
func (d *Device) String() string { return fmt.Sprintf("device %d (%s)", d.id, d.info.Name) }

// Usage counts the buffers that were made and not freed.
func (d *Device) Usage() Usage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Usage{len(d.live), d.bytes}
}

// Wait waits until the work queued so far on every stream of the device has run. The end of ctx
// ends the wait only.
//
// Errors: ctx's, ErrClosed, and the *KernelError of each stream's first kernel that failed and that
// no wait has returned.
func (d *Device) Wait(ctx context.Context) error {
	if d.closed.Load() {
		return d.closedError("wait")
	}
	return d.backend.Wait(ctx)
}

// Close ends the kernels that run, makes the waits for them return ErrClosed, and gives back
// everything the device holds. A GPU cannot be told to end a kernel: there Close waits for the work
// that is queued, and so it does in tests that check their launches (see gputest). Using the
// device, or anything of it, afterwards is refused with ErrClosed.
//
// It returns the errors that the program has not seen: ErrLeak if buffers, arrays or objects were
// not freed, with their number and the places that made them, and the *KernelError of each kernel
// that failed with no wait after it, once. A second Close does nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed.Swap(true) {
		d.mu.Unlock()
		return nil
	}
	leak := d.leak()
	clear(d.live)
	d.bytes = 0
	clear(d.modules)
	d.mu.Unlock()

	failures := d.backend.Close()
	giveID(d.id)
	return errors.Join(append(once(failures), leak)...)
}

// once leaves out the errors that say what one before says: a kernel that fails in each of many
// streams fails once for those who read it.
func once(list []error) []error {
	said := map[string]bool{}
	return slices.DeleteFunc(list, func(err error) bool {
		again := said[err.Error()]
		said[err.Error()] = true
		return again
	})
}

// leak is the error for the live buffers, or nil if there are none. It needs d.mu.
func (d *Device) leak() error {
	if len(d.live) == 0 {
		return nil
	}
	at := map[string]int{}
	var kinds [surfaceMemory + 1]int
	for m := range d.live {
		at[m.made.String()]++
		kinds[m.kind]++
	}
	var what []string
	for k, n := range kinds {
		if n > 0 {
			what = append(what, count.Of(n, memoryKind(k).String()))
		}
	}
	made := make([]string, 0, len(at))
	for position, n := range at {
		made = append(made, fmt.Sprintf("%d made at %s", n, position))
	}
	slices.Sort(made)
	if more := len(made) - 8; more > 0 {
		made = append(made[:8], fmt.Sprintf("and at %s more", count.Of(more, "position")))
	}
	return device.Errorf(ErrLeak, "close %v: not freed: %s (%d bytes), %s", d, strings.Join(what, ", "), d.bytes, strings.Join(made, ", "))
}

// make allocates n elements of size bytes each.
func (d *Device) make(n int, size int64) (*memory, error) {
	if n < 0 || int64(n) > math.MaxInt64/size {
		return nil, device.Errorf(ErrRange, "make: a buffer of %d elements of %s; want 0 to %d", n, count.Of(int(size), "byte"), math.MaxInt64/size)
	}
	m := &memory{dev: d, size: int64(n) * size, made: device.FromHere()}
	if d.closed.Load() {
		return nil, d.closedError("make")
	}
	if m.size > 0 { // without the lock: a device that is full may wait for memory
		addr, err := d.backend.Alloc(m.size)
		if errors.Is(err, ErrOutOfMemory) {
			u := d.Usage()
			return nil, fmt.Errorf("make: a buffer of %d bytes on %v: %w, %d of them by %s", m.size, d, err, u.Bytes, count.Of(u.Buffers, "live buffer"))
		} else if err != nil {
			return nil, fmt.Errorf("make: a buffer of %d bytes on %v: %w", m.size, d, err)
		}
		m.addr = addr
	}
	if err := d.remember(m); err != nil {
		return nil, err
	}
	return m, nil
}

// remember counts a memory that was made.
func (d *Device) remember(m *memory) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed.Load() { // which has given the memory back
		return d.closedError("make")
	}
	d.live[m] = struct{}{}
	d.bytes += m.size
	return nil
}

// forget takes a freed memory out of the count.
func (d *Device) forget(m *memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.live[m]; ok {
		delete(d.live, m)
		d.bytes -= m.size
	}
}

func (d *Device) closedError(op string) error {
	return device.Errorf(ErrClosed, "%s: %v is closed", op, d)
}

// ids are the numbers of the open devices.
var ids struct {
	sync.Mutex
	taken []bool
}

func takeID() int {
	ids.Lock()
	defer ids.Unlock()
	i := slices.Index(ids.taken, false)
	if i < 0 {
		i = len(ids.taken)
		ids.taken = append(ids.taken, false)
	}
	ids.taken[i] = true
	return i
}

func giveID(i int) {
	ids.Lock()
	defer ids.Unlock()
	ids.taken[i] = false
}
