package cuda

import (
	"cmp"
	"context"
	"runtime"
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
	err := c.call(&procStreamCreate, onDevice(c.device), uintptr(unsafe.Pointer(&s)), nonBlocking)
	return s, err
}

// DestroyStream destroys s. Work on it still runs to its end.
func (c *Context) DestroyStream(s Stream) error {
	return c.call(&procStreamDestroy, object{}, uintptr(s))
}

// WaitStream returns when all work on s so far is done, with the first error of that work, or when
// ctx ends, with its error. The work goes on then.
func (c *Context) WaitStream(ctx context.Context, s Stream) error {
	return c.wait(ctx, uintptr(s), &procStreamSynchronize, &procStreamQuery)
}

// StreamWaitEvent makes later work on s wait for e.
func (c *Context) StreamWaitEvent(s Stream, e Event) error {
	return c.call(&procStreamWaitEvent, object{}, uintptr(s), uintptr(e), 0)
}

// NewEvent makes an event that keeps time.
func (c *Context) NewEvent() (Event, error) { return c.newEvent(0) }

// NewMark makes an event that keeps none, which costs the device less to record.
func (c *Context) NewMark() (Event, error) {
	const disableTiming = 2
	return c.newEvent(disableTiming)
}

func (c *Context) newEvent(flags uintptr) (Event, error) {
	var e Event
	err := c.call(&procEventCreate, onDevice(c.device), uintptr(unsafe.Pointer(&e)), flags)
	return e, err
}

// DestroyEvent destroys e.
func (c *Context) DestroyEvent(e Event) error { return c.call(&procEventDestroy, object{}, uintptr(e)) }

// Record marks the present end of s with e.
func (c *Context) Record(e Event, s Stream) error {
	return c.call(&procEventRecord, object{}, uintptr(e), uintptr(s))
}

// WaitEvent is WaitStream for the work before e.
func (c *Context) WaitEvent(ctx context.Context, e Event) error {
	return c.wait(ctx, uintptr(e), &procEventSynchronize, &procEventQuery)
}

// Elapsed is the device's time between two events that are done, to about half a microsecond.
func (c *Context) Elapsed(start, end Event) (time.Duration, error) {
	var ms float32
	err := c.call(&procEventElapsedTime, object{}, uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// EventDone reports whether the work before e is done, with the first error of that work.
func (c *Context) EventDone(e Event) (bool, error) {
	r, err := c.try(&procEventQuery, uintptr(e))
	if err != nil || r == NotReady {
		return false, err
	}
	return true, result(uintptr(r), &procEventQuery, onDevice(c.device))
}

// A wait that can be cancelled asks without a pause for so long, and then with pauses of this part
// of the time waited. Pauses below longPause are [nap]'s: a timer of the runtime takes a millisecond
// at least in a process that is idle otherwise, as the poller's timeouts are whole milliseconds.
const (
	denseWait = 250 * time.Microsecond
	pausePart = 32
	longPause = time.Millisecond
)

// wait waits for a stream or an event: in the driver when ctx cannot end, else by asking it again
// and again, letting other goroutines run in between.
func (c *Context) wait(ctx context.Context, handle uintptr, synchronize, query *proc) error {
	if ctx.Done() == nil {
		return c.call(synchronize, onDevice(c.device), handle)
	}
	start := time.Now()
	var timer *time.Timer
	for {
		r, err := c.try(query, handle)
		if err != nil || r != NotReady {
			return cmp.Or(err, result(uintptr(r), query, onDevice(c.device)))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		waited := time.Since(start)
		if waited < denseWait {
			runtime.Gosched()
			continue
		}
		pause := min(waited/pausePart, longPause)
		if pause < longPause {
			nap(pause)
			continue
		}
		if timer == nil {
			timer = time.NewTimer(pause)
			defer timer.Stop()
		} else {
			timer.Reset(pause)
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
}
