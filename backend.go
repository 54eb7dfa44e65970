package gridstride

import (
	"context"
	"time"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/ptx"
)

// backend is what a device is made of: the simulator (backend_sim.go), or a GPU behind its driver.
// The layers above do the bookkeeping and every check; a backend allocates, copies and runs.
//
// Methods are safe for concurrent use and do not wait, unless they take a context. After close they
// return ErrClosed or do nothing.
type backend interface {
	// info describes the device. It does not change.
	info() Info

	// alloc returns the address of size bytes (size > 0), aligned to 256, with undefined contents.
	// It may serve them from blocks that were retired.
	alloc(size int64) (addr uint64, err error)
	// retire takes back a block as soon as all work queued so far has run.
	retire(addr uint64)
	// write copies from the host to a block that no queued work uses.
	write(dst uint64, src []byte) error

	// pin lets the device copy from and to mem directly; mem starts and ends at the boundary of a
	// page. unpin ends that as soon as all work queued so far has run. It is given what pin was.
	pin(mem []byte) error
	unpin(mem []byte)

	// load makes the module ready to run; text is what m was parsed from.
	load(m *ptx.Module, text string) (backendModule, error)
	stream() (backendStream, error)

	// close ends what runs, waits until it has ended, and gives everything back. Waits in progress
	// return ErrClosed. The result are the failures of kernels that no wait has returned.
	close() []*KernelError
}

// backendModule is a loaded module.
type backendModule interface {
	entry(name string) (backendEntry, error)
	// retire unloads the module as soon as all work queued so far has run.
	retire()
}

// backendEntry is one kernel of a loaded module.
type backendEntry interface {
	// attributes are facts of the compiled kernel.
	attributes() attributes
}

// attributes are facts of a compiled kernel on its device.
type attributes struct {
	maxThreads  int // a block of it
	sharedBytes int // static shared memory of a block
}

// backendStream is an ordered queue of work. Methods with a context wait until their work has run,
// or until the context ends; then the work may still run, but host memory is left alone from then
// on. They return the failure of an earlier kernel of the stream, once.
type backendStream interface {
	// launch queues a kernel. It copies params and does not allocate in the steady state. Where the
	// kernel has a fault parameter, launch fills it in (see Kernel.faultAt).
	launch(k *Kernel, cfg Config, params []byte) error
	// copyIn and copyOut queue a copy from and to the host. copyIn may return before the copy has
	// run, once src is no longer needed.
	copyIn(ctx context.Context, dst uint64, src []byte) error
	copyOut(ctx context.Context, dst []byte, src uint64) error
	// startIn and startOut are the same for pinned memory and do not wait: the memory belongs to
	// the copy until it has run.
	startIn(dst uint64, src []byte) error
	startOut(dst []byte, src uint64) error
	// wait waits until the work queued so far has run.
	wait(ctx context.Context) error
	// zero queues the clearing of n bytes.
	zero(addr uint64, n int64) error
	// record queues an event.
	record() (backendEvent, error)
	// after queues a wait of the stream for an event of a stream of the same device.
	after(e backendEvent) error
	// native calls f with the driver's handle of the stream, on a thread that has the device's
	// context current. What f queues counts as the stream's work. A simulated device returns
	// errors.ErrUnsupported.
	native(f func(handle uintptr) error) error
	// retire gives the stream back as soon as its work has run.
	retire()
}

// backendEvent is a point in a stream.
type backendEvent interface {
	wait(ctx context.Context) error
	// since is the device time from start to e. Both have happened.
	since(start backendEvent) (time.Duration, error)
}

// failure makes the error of a record that kernel k wrote; msg is the string the record points to,
// if any.
func (k *Kernel) failure(r abi.FaultRecord, msg string) *KernelError {
	return &KernelError{
		Kernel:  k.name,
		Message: r.Message(msg),
		File:    k.mod.files[r.File],
		Line:    r.Line,
		Col:     r.Col,
		Located: true,
		Block:   Dim3{r.Block[0], r.Block[1], r.Block[2]},
		Thread:  Dim3{r.Thread[0], r.Thread[1], r.Thread[2]},
	}
}
