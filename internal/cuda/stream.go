package cuda

import (
	"context"
	"time"
	"unsafe"
)

var (
	procStreamCreate      = proc{name: "cuStreamCreate", needs: 2000}
	procStreamDestroy     = proc{name: "cuStreamDestroy_v2", needs: 4000}
	procStreamSynchronize = proc{name: "cuStreamSynchronize", needs: 2000}
	procStreamQuery       = proc{name: "cuStreamQuery", needs: 2000}
	procStreamWaitEvent   = proc{name: "cuStreamWaitEvent", needs: 3020}
	procEventCreate       = proc{name: "cuEventCreate", needs: 2000}
	procEventDestroy      = proc{name: "cuEventDestroy_v2", needs: 4000}
	procEventRecord       = proc{name: "cuEventRecord", needs: 2000}
	procEventSynchronize  = proc{name: "cuEventSynchronize", needs: 2000}
	procEventQuery        = proc{name: "cuEventQuery", needs: 2000}
	procEventElapsedTime  = proc{name: "cuEventElapsedTime", needs: 2000}
)

// Stream is a queue of device work, a CUstream.
type Stream uintptr

// Event is a mark in a stream, a CUevent.
type Event uintptr

// NewStream makes a stream that does not order with the null stream.
func (c *Context) NewStream() (Stream, error) {
	const nonBlocking = 1
	var s Stream
	err := c.call(&procStreamCreate, object(c.device), uintptr(unsafe.Pointer(&s)), nonBlocking)
	return s, err
}

// DestroyStream destroys s; work on it still runs to its end.
func (c *Context) DestroyStream(s Stream) error {
	return c.call(&procStreamDestroy, "", uintptr(s))
}

// WaitStream returns when all work on s so far is done, with the first error of that work, or when ctx ends, with its error; the work goes on then.
func (c *Context) WaitStream(ctx context.Context, s Stream) error {
	return c.wait(ctx, uintptr(s), &procStreamSynchronize, &procStreamQuery)
}

// StreamWaitEvent makes later work on s wait for e.
func (c *Context) StreamWaitEvent(s Stream, e Event) error {
	return c.call(&procStreamWaitEvent, "", uintptr(s), uintptr(e), 0)
}

// NewEvent makes an event that keeps time.
func (c *Context) NewEvent() (Event, error) {
	var e Event
	err := c.call(&procEventCreate, object(c.device), uintptr(unsafe.Pointer(&e)), 0)
	return e, err
}

// DestroyEvent destroys e.
func (c *Context) DestroyEvent(e Event) error { return c.call(&procEventDestroy, "", uintptr(e)) }

// Record marks the present end of s with e.
func (c *Context) Record(e Event, s Stream) error {
	return c.call(&procEventRecord, "", uintptr(e), uintptr(s))
}

// WaitEvent is WaitStream for the work before e.
func (c *Context) WaitEvent(ctx context.Context, e Event) error {
	return c.wait(ctx, uintptr(e), &procEventSynchronize, &procEventQuery)
}

// Elapsed is the device's time between two events that are done, to about half a microsecond.
func (c *Context) Elapsed(start, end Event) (time.Duration, error) {
	var ms float32
	err := c.call(&procEventElapsedTime, "", uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// wait waits for a stream or an event: in the driver when ctx cannot end, else by polling, densely at first because most waits are short.
func (c *Context) wait(ctx context.Context, handle uintptr, synchronize, query *proc) error {
	if ctx.Done() == nil {
		return c.call(synchronize, object(c.device), handle)
	}
	pause := 5 * time.Microsecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		err := c.call(query, object(c.device), handle)
		if e, ok := err.(*Error); !ok || e.Result != NotReady {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		pause = min(pause*5/4, time.Millisecond)
		timer.Reset(pause)
	}
}
