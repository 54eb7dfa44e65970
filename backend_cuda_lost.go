package gridstride

import (
	"errors"
	"fmt"
	"strings"
	"sync"
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

// users counts the open devices of each GPU. They share its context, and the last to leave a lost one resets it.
var users struct {
	sync.Mutex
	of map[gpuID]int
}

// gpuID is a GPU of a driver. There are several drivers in tests only.
type gpuID struct {
	driver *cuda.Driver
	number int
}

// retain takes a reference to the GPU's context.
func (b *gpu) retain(d *cuda.Driver, number int) (err error) {
	users.Lock()
	defer users.Unlock()
	if b.ctx, err = d.Retain(number); err != nil {
		return err
	}
	if users.of == nil {
		users.of = map[gpuID]int{}
	}
	users.of[gpuID{d, number}]++
	return nil
}

// release gives the reference back. Where a kernel has ended the context and this device was the last of ours, it is reset as well: to whoever else in the
// process has it, it is of no use either.
func (b *gpu) release() {
	users.Lock()
	defer users.Unlock()
	id := gpuID{b.ctx.Driver(), b.ctx.Device()}
	_ = b.ctx.Release()
	if users.of[id]--; users.of[id] == 0 && b.lost.Load() != nil {
		_ = b.ctx.Reset()
	}
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
