// Package device is the line between the host's view of a device, package gridstride, and the two
// backends that run kernels: cudadev on a GPU, simdev on the simulator.
//
// The host keeps handles, checks arguments and limits, and says who holds what. A backend
// allocates, copies and runs. It knows nothing of the host's types: what it is given of a kernel is
// a [Kernel], and it names its own kernels and events by numbers, which it looks up in a [Table].
package device

import (
	"context"
	"reflect"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Backend runs the work of a device.
//
// Methods are safe for concurrent use and do not wait, unless they take a context. After Close they
// return ErrClosed or do nothing. Failures of kernels are returned as the errors that the host
// makes of a [Failure], by the function that the backend was opened with.
type Backend interface {
	// Info describes the device. It does not change.
	Info() Info

	// Alloc returns the address of size bytes (size > 0), aligned to 256, with undefined contents.
	// It may serve them from blocks that were retired.
	Alloc(size int64) (addr uint64, err error)
	// Retire takes back a block as soon as all work queued so far has run.
	Retire(addr uint64)
	// Write copies from the host to a block that no queued work uses.
	Write(dst uint64, src []byte) error

	// EncodeTensorMap makes of a checked map, of memory of the device, what kernels are given.
	EncodeTensorMap(m *abi.TensorMap) (code [abi.TensorMapSize]byte, err error)

	// MakeArray makes a checked array, with undefined contents.
	MakeArray(a *abi.Array) (ArrayID, error)
	// RetireArray takes an array back as soon as all work queued so far has run.
	RetireArray(a ArrayID)
	// MakeTexture and MakeLinearTexture make a texture object of an array, and of checked memory.
	// MakeSurface makes a surface object of an array that was made for it. Kernels are given the
	// handle. Neither keeps the array or the memory.
	MakeTexture(a ArrayID, s *abi.Sampler) (handle uint64, err error)
	MakeLinearTexture(l *abi.Linear, s *abi.Sampler) (handle uint64, err error)
	MakeSurface(a ArrayID) (handle uint64, err error)
	// RetireTexture and RetireSurface end an object as soon as all work queued so far has run.
	RetireTexture(handle uint64)
	RetireSurface(handle uint64)

	// Pin lets the device copy from and to mem directly. mem starts and ends at the boundary of a
	// page. Unpin ends that as soon as all work queued so far has run. It is given what Pin was.
	Pin(mem []byte) error
	Unpin(mem []byte)

	// Accepts says why the device does not run m, by its target and version: nil if it does, else
	// an error of ErrTarget.
	Accepts(m *ptx.Module) error
	// Refuses is the error for a module that Load must not be given.
	Refuses(m *ptx.Module) error
	// Load makes the module, which was parsed from a text, ready to run.
	Load(m *ptx.Module) (Module, error)
	NewStream() (Stream, error)
	// Instantiate makes the nodes of a graph ready to be launched.
	Instantiate(nodes []Node) (Exec, error)

	// Wait waits until the work queued so far on every stream has run. It returns the failures of
	// all of them that no wait has returned.
	Wait(ctx context.Context) error

	// WaitEvent waits until the event has happened, and returns what Stream.Wait would have.
	WaitEvent(ctx context.Context, e EventID) error
	// EventDone reports whether the event has happened, with WaitEvent's error if it has.
	EventDone(e EventID) (bool, error)
	// Elapsed is the device time between two events that have happened.
	Elapsed(start, end EventID) (time.Duration, error)
	// DropEvent gives an event back: its number is not used any more.
	DropEvent(e EventID)

	// ActiveBlocks is the number of blocks of the kernel that a multiprocessor runs at a time, with
	// the given threads and bytes of dynamic shared memory a block.
	ActiveBlocks(k KernelID, threads, shared int) (int, error)
	// CooperativeBlocks is how many such blocks the device runs at a time.
	CooperativeBlocks(k KernelID, threads, shared int) (int, error)
	// PotentialBlock is the size of a block, of most threads at most, with which the most threads
	// run at a time.
	PotentialBlock(k KernelID, shared, most int) (threads int, err error)

	// Close ends what runs, waits until it has ended, and gives everything back. Waits in progress
	// return ErrClosed. The result are the failures of kernels that no wait has returned.
	Close() []error
}

// Info describes a device and its limits.
type Info struct {
	Name               string
	Backend            string // "cuda" or "sim"
	Memory             int64  // bytes
	Multiprocessors    int
	WarpSize           int
	MaxThreads         int // of a block
	MaxBlock, MaxGrid  [3]int
	MaxShared          int    // bytes of a block, static and dynamic together
	SM                 int    // the compute capability: 90 for 9.0; of the simulator, what it plays
	Capability, Driver string // "9.0" and "CUDA 13.0", empty for the simulator
}

// Module is a loaded module.
type Module interface {
	// Kernel makes the kernel of that PTX name ready to launch. Its number is the same in each
	// call, and valid as long as the module is.
	Kernel(name string) (KernelID, Attributes, error)
	// Retire unloads the module as soon as all work queued so far has run.
	Retire()
}

// Attributes are facts of a compiled kernel on its device.
type Attributes struct {
	MaxThreads  int // of a block
	SharedBytes int // static shared memory of a block
	LocalBytes  int // local memory of a thread
	Registers   int // of a thread, 0 if not fixed
}

// Place is a place in a device's memory.
type Place struct {
	Of   Backend
	Addr uint64
}

// ArrayID is an array as its backend names it.
type ArrayID uint64

// Rows are rows of a copy: how many, of how many bytes, and how far the beginnings of two of them
// are from each other, at least a row's width.
type Rows struct{ Count, Width, DstPitch, SrcPitch int64 }

// Stream is an ordered queue of work. Methods with a context wait until their work has run, or
// until the context ends. Then the work may still run, but it no longer reads or writes host
// memory. They return the failure of an earlier kernel of the stream, once.
type Stream interface {
	// Launch queues a kernel. It copies the parameters and does not allocate in the steady state.
	// Where the kernel has a fault parameter, it fills it in.
	Launch(l Launch) error
	// CopyIn and CopyOut queue a copy from and to the host. CopyIn may return before the copy has
	// run, once src is no longer needed. What is copied out is elements of a type, for checks.
	CopyIn(ctx context.Context, dst uint64, src []byte) error
	CopyOut(ctx context.Context, dst []byte, src uint64, elem reflect.Type) error
	// StartIn and StartOut are the same for pinned memory and do not wait: the memory belongs to
	// the copy until it has run.
	StartIn(dst uint64, src []byte) error
	StartOut(dst []byte, src uint64, elem reflect.Type) error
	// Wait waits until the work queued so far has run.
	Wait(ctx context.Context) error
	// Copy queues a copy of n bytes of device memory to other device memory, which it does not
	// overlap. One of them at least is the stream's device's, and the other's is of the same kind.
	Copy(dst, src Place, n int64) error
	// CopyRows queues a copy of rows within the device's memory. No row of dst overlaps one of src.
	CopyRows(dst, src uint64, r Rows) error
	// FillArray queues a copy of memory of the device to the whole of an array, and DrainArray one
	// of the whole of an array to memory. The texels are side by side, row after row.
	FillArray(dst ArrayID, src uint64) error
	DrainArray(dst uint64, src ArrayID) error
	// Fill queues the filling of n bytes with element, over and over: n is a multiple of its
	// length. It copies the element.
	Fill(dst uint64, element []byte, n int64) error
	// Record queues an event.
	Record() (EventID, error)
	// After queues a wait of the stream for an event of a device of the same kind.
	After(of Backend, e EventID) error
	// HostFunc queues a call of f on a goroutine or thread of the backend's.
	HostFunc(f func()) error
	// Native calls f with the driver's handle of the stream, on a thread that has the device's
	// context current. What f queues counts as the stream's work. A simulated device returns
	// errors.ErrUnsupported.
	Native(f func(handle uintptr) error) error
	// Retire gives the stream back as soon as its work has run.
	Retire()
}
