package gridstride

import (
	"context"
	"runtime"
	"time"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/graph"
)

// Event is a point in a stream: it happens when the work queued before it has run.
type Event struct {
	dev *Device
	id  device.EventID
	err error // why there is none

	moment  *graph.Moment // of a stream that was being captured, in which capture
	capture *capture
}

// waits is the error of a wait for the event, nil if it can be waited for.
func (e *Event) waits() error {
	if e.moment != nil {
		return device.Errorf(ErrCapture, "wait: the event is of a capture, which runs nothing; wait for an event recorded after the graph's launch")
	}
	return e.err
}

// Record marks the point that the stream's queue has reached. On a closed stream it makes an event
// whose wait returns ErrClosed, on a nil stream one whose wait returns ErrArgument.
func (s *Stream) Record() *Event {
	if s == nil {
		return &Event{err: noStream("record")}
	}
	e := &Event{dev: s.dev}
	if e.err = s.hold("record"); e.err != nil {
		return e
	}
	defer s.release()
	if c := s.captured.Load(); c != nil {
		e.moment, e.capture = c.recorder.Moment(), c.in
		return e
	}
	if e.id, e.err = s.queue.Record(); e.err == nil {
		runtime.AddCleanup(e, s.dev.backend.DropEvent, e.id)
	}
	return e
}

// Wait waits until the event has happened.
//
// Errors: ctx's, ErrClosed, and the *KernelError of a kernel queued before the event on its stream
// that failed.
func (e *Event) Wait(ctx context.Context) error {
	if err := e.waits(); err != nil {
		return err
	}
	defer runtime.KeepAlive(e)
	return e.dev.backend.WaitEvent(ctx, e.id)
}

// Done reports, without waiting, whether the event has happened.
//
// Errors: as for Wait. The failure of a kernel is returned once the event has happened.
func (e *Event) Done() (bool, error) {
	if err := e.waits(); err != nil {
		return false, err
	}
	defer runtime.KeepAlive(e)
	return e.dev.backend.EventDone(e.id)
}

// Since waits for both events and returns the device time from start to e.
//
// Errors: as for Wait, and ErrWrongDevice for events of two devices.
func (e *Event) Since(ctx context.Context, start *Event) (time.Duration, error) {
	if err := start.Wait(ctx); err != nil {
		return 0, err
	}
	if err := e.Wait(ctx); err != nil {
		return 0, err
	}
	if e.dev != start.dev {
		return 0, device.Errorf(ErrWrongDevice, "since: the events are of device %d and device %d", start.dev.id, e.dev.id)
	}
	defer runtime.KeepAlive(e)
	defer runtime.KeepAlive(start)
	return e.dev.backend.Elapsed(start.id, e.id)
}
