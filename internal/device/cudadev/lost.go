package cudadev

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// loss is why a GPU can no longer be used. An illegal address, a trap or a misaligned access ends
// the driver's context with all that is in it: no call works any more, of any stream. Nor does a
// new context in the same process, of any kind, after the old one was released, reset or destroyed
// (seen with driver 580; the driver API's manual says so of CUDA_ERROR_ILLEGAL_ADDRESS): the way on
// is a new process.
type loss struct {
	b     *Backend
	cause *cuda.Error
	// suspects are the kernels that may have done it: those that were queued.
	suspects []string
	told     atomic.Bool // the error with the whole story has been returned
}

// fail passes on an error of the driver, and notes the one that loses the device. The first call
// that meets it returns the kernel's failure.
func (b *Backend) fail(err error) error {
	l := b.loses(err)
	switch {
	case l == nil:
		return err
	case l.told.Swap(true):
		return l.later()
	}
	return l.first()
}

// loses notes an error of the driver that loses the device. It returns nil for any other.
func (b *Backend) loses(err error) *loss {
	var e *cuda.Error
	if err == nil || !errors.As(err, &e) || !e.Result.Sticky() {
		return nil
	}
	if b.lost.Load() == nil {
		l := &loss{b: b, cause: e}
		for _, s := range b.allStreams() {
			l.suspects = append(l.suspects, s.running()...)
		}
		b.lost.CompareAndSwap(nil, l)
	}
	return b.lost.Load()
}

// first is the error that says what happened.
func (l *loss) first() error {
	kernel := "a kernel"
	switch n := len(l.suspects); {
	case n == 1:
		kernel = l.suspects[0]
	case n > 1:
		kernel = "one of " + strings.Join(l.suspects, ", ")
	}
	return l.b.hostError(&device.Failure{
		Kernel:  kernel,
		Message: fmt.Sprintf("%v; %s", l.cause.Result, meansRestart),
		Cause:   errors.Join(device.ErrLost, l.cause),
	})
}

// later is the error of every call after the first.
func (l *loss) later() error {
	return device.Errorf(device.ErrLost, "%s is lost since %v; %s", l.b.about.Name, l.cause.Result, meansRestart)
}

// meansRestart tells the user what to do about a lost device.
const meansRestart = "the driver has dropped this process's memory and work on the GPU, and most drivers give it no more: start the process anew"

// lostBefore explains that a GPU cannot be opened because this process has lost it.
func lostBefore(err error) error {
	var e *cuda.Error
	if errors.As(err, &e) && e.Result.Sticky() {
		return device.Errorf(device.ErrLost, "a kernel of this process ended with %v; %s", e.Result, meansRestart)
	}
	return err
}
