package gridstride

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/gridstride/gridstride/internal/device"
)

// The kinds of failure that a caller may want to act on, for errors.Is. The errors that carry them
// say more.
var (
	// ErrNoDevice: the device asked for is not there.
	ErrNoDevice = errors.New("no such device")
	// ErrOutOfMemory: the device has no room for the buffer. After a buffer has been freed the next
	// allocation may work.
	ErrOutOfMemory = device.ErrOutOfMemory
	// ErrFreed: the buffer, or the one it is a view of, was freed.
	ErrFreed = errors.New("buffer was freed")
	// ErrClosed: the device, stream or module is closed.
	ErrClosed = device.ErrClosed
	// ErrLost: a kernel left the GPU unusable for this process, by an illegal address or a trap.
	// The device can be closed, and nothing else. Most drivers do not let the process open it
	// again.
	ErrLost = device.ErrLost
	// ErrWrongDevice: a buffer, stream, event or kernel of one device was used with another's.
	ErrWrongDevice = errors.New("on another device")
	// ErrArgument: the arguments of a launch do not fit the kernel's parameters, in number, type or
	// alignment.
	ErrArgument = errors.New("argument does not fit the kernel")
	// ErrLimit: a launch asks for more than the kernel or the device allows.
	ErrLimit = device.ErrLimit
	// ErrTimeLimit: a launch under the checks took longer than it may; see gputest.TimeLimit.
	ErrTimeLimit = device.ErrTimeLimit
	// ErrCapture: a call that a capture of a stream cannot hold, such as a wait, or work that does not
	// fit the node of a graph that it is to replace.
	ErrCapture = device.ErrCapture
	// ErrRange: an index or a length is out of range.
	ErrRange = errors.New("out of range")
	// ErrElement: the element type cannot be in device memory.
	ErrElement = errors.New("element type cannot be stored in device memory")
	// ErrModule: PTX text that does not parse, does not verify or that the device refuses.
	ErrModule = errors.New("module does not load")
	// ErrTarget: the PTX is for other targets than the device runs, or of a newer version than its
	// driver takes.
	ErrTarget = device.ErrTarget
	// ErrNoKernel: the module has no kernel of that name.
	ErrNoKernel = errors.New("no such kernel")
	// ErrLeak: a device was closed while buffers, arrays, or texture or surface objects lived.
	ErrLeak = errors.New("buffers were not freed")
	// ErrTexture: a texture or a surface cannot be made so: a filter for integers, a surface of an
	// array that was made without, memory that begins where no texture may.
	ErrTexture = errors.New("no such texture")
)

// KernelError is the failure of a kernel on the device: a failed check of Go's meaning (index out
// of range, division by zero, nil dereference), a failed gpu.Assert, or what the device itself
// found (an access outside every buffer, a barrier that cannot complete). The first wait that sees
// it returns it, once.
type KernelError struct {
	// Kernel is the kernel's name in Go source, "dot.Partial[float32]", or its PTX name.
	Kernel string
	// Message says what happened, in Go's words if Go has words for it: "index out of range [5]
	// with length 3".
	Message string
	// File, Line and Col are the position in the source, or in the PTX where that names none. Line
	// is 0 where neither is known. File is the import path of the package and the file's name, for
	// kernels written in Go.
	File      string
	Line, Col int
	// Located reports that Block and Thread are known: the indices of the first thread that failed.
	Located       bool
	Block, Thread Dim3
	// Err is the cause for errors.Is and errors.As, or nil if there is none besides the message.
	Err error
}

// Error is one line: "dot.Partial: index out of range [5] with length 3 at dot.go:24:9, block
// (1,0,0) thread (3,0,0)".
func (e *KernelError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Kernel, e.Message)
	if e.Line > 0 {
		fmt.Fprintf(&b, " at %s:%d", path.Base(e.File), e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, ":%d", e.Col)
		}
	}
	if e.Located {
		fmt.Fprintf(&b, ", block %v thread %v", e.Block, e.Thread)
	}
	return b.String()
}

// Unwrap returns the cause, nil for a failed check.
func (e *KernelError) Unwrap() error { return e.Err }

// kernelError makes the error of a failure.
func kernelError(f *device.Failure) error {
	return &KernelError{
		Kernel: f.Kernel, Message: f.Message, File: f.File, Line: f.Line, Col: f.Col,
		Located: f.Located, Block: dim3(f.Block[:]), Thread: dim3(f.Thread[:]), Err: f.Cause,
	}
}
