package gridstride

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/device"
)

// Stream is a queue of work for one device. Work runs in the order it was queued. Two streams run
// concurrently.
//
// Any number of goroutines may use a stream. A kernel's failure goes to the first wait on the
// stream that sees it, so goroutines with unrelated work are better off with a stream each.
//
// A device has its own stream, [Device.Stream], which is enough for most programs.
// [Device.NewStream] makes others.
type Stream struct {
	dev   *Device
	queue device.Stream
	life  device.Lifetime
	err   error // why there is no queue
	own   bool  // the device's own stream

	captured atomic.Pointer[captured] // its part in a capture, nil while it is in none
}

// Stream is the device's own stream, the same at each call. It lives until the device is closed,
// and its Close does nothing. See [Device.NewStream] for work that is to run concurrently with it.
func (d *Device) Stream() *Stream {
	if s := d.own.Load(); s != nil {
		return s
	}
	s := d.NewStream()
	s.own = true
	if s.queue == nil { // perhaps for want of memory: the next call tries again
		return s
	}
	if !d.own.CompareAndSwap(nil, s) { // another goroutine was faster
		s.queue.Retire()
	}
	return d.own.Load()
}

// NewStream makes another stream, which runs concurrently with all others. It lives until its
// Close, or until the device is closed. On a closed device NewStream returns a stream that refuses
// all work.
func (d *Device) NewStream() *Stream {
	if d.closed.Load() {
		return &Stream{dev: d}
	}
	queue, err := d.backend.NewStream()
	return &Stream{dev: d, queue: queue, err: err}
}

// Device is the stream's device.
func (s *Stream) Device() *Device { return s.dev }

// Wait waits until the work queued so far has run. The end of ctx ends the wait only.
//
// Errors: ctx's, ErrClosed, and the *KernelError of a kernel that failed. The stream can be used
// further.
func (s *Stream) Wait(ctx context.Context) error {
	if err := s.hold("wait"); err != nil {
		return err
	}
	defer s.release()
	return s.work().Wait(ctx)
}

// After makes the work queued on s from now on wait for an event of another stream, of this device
// or another of the same backend.
//
// Errors: ErrClosed, also if the event's device is closed, and ErrWrongDevice between a simulated
// device and a GPU. See [Stream.Capture] for the events of streams that are being captured.
func (s *Stream) After(e *Event) error {
	switch {
	case s == nil:
		return noStream("after")
	case e.err != nil:
		return e.err
	case e.moment != nil && e.dev != s.dev:
		return device.Errorf(ErrCapture, "after: the event is of a capture on %v, and the stream of %v", e.dev, s.dev)
	case e.dev.info.Backend != s.dev.info.Backend:
		return device.Errorf(ErrWrongDevice, "after: the event is of %v, the stream of %v; Event.Wait waits for it", e.dev, s.dev)
	case e.dev.closed.Load():
		return e.dev.closedError("after")
	}
	if err := s.hold("after"); err != nil {
		return err
	}
	defer s.release()
	defer runtime.KeepAlive(e)
	if e.moment != nil {
		return s.join(e)
	}
	return s.work().After(e.dev.backend, e.id)
}

// LaunchHostFunc queues a call of f, and returns before it has been called: f is called when the
// work queued before has run, and the work queued after waits for f. A kernel that failed before
// does not keep f from being called. A device that is lost or closed meanwhile does.
//
// f is called on its own goroutine, and for a GPU on a thread of the driver. It must not use the
// device or anything that belongs to it, nor wait for something that does: the wait may never end.
// The stream waits for f, so that long work belongs in a goroutine that f starts. f may use the
// memory of a [Pinned] that copies queued before it have read or written.
//
// Errors: ErrClosed, and from drivers before CUDA 10.0, that they have no such call.
func (s *Stream) LaunchHostFunc(f func()) error {
	if err := s.hold("launch of a host function"); err != nil {
		return err
	}
	defer s.release()
	return s.work().HostFunc(f)
}

// Close gives the stream up without waiting: what is queued still runs, and more is refused. A
// kernel's failure that no wait has seen is returned by the device's Close. A second Close does
// nothing, nor does the Close of the device's own stream. The error is nil: a Stream is an io.Closer.
func (s *Stream) Close() error {
	if s.own {
		return nil
	}
	if _, now := s.life.End(); now && s.queue != nil {
		s.queue.Retire()
	}
	return nil
}

// hold keeps the stream open for the operation op until release, or says why op cannot use it.
func (s *Stream) hold(op string) error {
	switch {
	case s == nil:
		return noStream(op)
	case s.err != nil:
		return fmt.Errorf("%s: there is no stream: %w", op, s.err)
	case s.queue == nil || s.dev.closed.Load():
		return s.dev.closedError(op)
	case !s.life.Hold():
		return device.Errorf(ErrClosed, "%s: the stream is closed", op)
	}
	return nil
}

// noStream is the error of an operation on a nil stream.
func noStream(op string) error {
	return device.Errorf(ErrArgument, "%s: the stream is nil; Device.Stream and Device.NewStream give one", op)
}

func (s *Stream) release() {
	if s.life.Release() {
		s.queue.Retire()
	}
}
