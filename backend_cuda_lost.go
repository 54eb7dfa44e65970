package gridstride

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/cuda"
)

// loss is why a GPU can no longer be used. An illegal address, a trap or a misaligned access ends the driver's context with all that is in it: no
// call works any more, of any stream, until the context is given back and made anew.
type loss struct {
	b     *gpu
	cause *cuda.Error
	// suspects are the kernels that may have done it: those that were queued.
	suspects []string
	told     atomic.Bool // the error with the whole story has been returned
}

// failed passes on an error of the driver, and notes the one that loses the device. The call that notes it returns the *KernelError.
func (b *gpu) failed(err error) error {
	var e *cuda.Error
	if err == nil || !errors.As(err, &e) || !e.Result.Sticky() {
		return err
	}
	if b.lost.Load() == nil {
		l := &loss{b: b, cause: e}
		for _, s := range b.allStreams() {
			l.suspects = append(l.suspects, s.running()...)
		}
		b.lost.CompareAndSwap(nil, l)
	}
	l := b.lost.Load()
	if l.told.Swap(true) {
		return l.later()
	}
	return l.first()
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
	return &KernelError{
		Kernel:  kernel,
		Message: fmt.Sprintf("%v; %s", l.cause.Result, l.meaning()),
		Err:     errors.Join(ErrLost, l.cause),
	}
}

// later is the error of every call after the first.
func (l *loss) later() error {
	return errorf(ErrLost, "%s is lost since %v; %s", l.b.device.Name, l.cause.Result, l.meaning())
}

// meaning says what to do.
func (l *loss) meaning() string {
	return "the GPU has dropped all memory and work of this process: close the device, and every other one open on this GPU, then open it again"
}
