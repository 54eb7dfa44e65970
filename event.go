package gridstride

import (
	"context"
	"time"
)

// Event is a point in a stream: it happens when the work queued before it has run.
type Event struct {
	dev   *Device
	point backendEvent
	err   error // why there is no point
}

// Record marks the point that the stream's queue has reached. On a closed stream it makes an event
// whose wait returns ErrClosed.
func (s *Stream) Record() *Event {
	e := &Event{dev: s.dev}
	if e.err = s.hold("record"); e.err != nil {
		return e
	}
	defer s.release()
	e.point, e.err = s.queue.record()
	return e
}

// Wait waits until the event has happened.
//
// Errors: ctx's, ErrClosed, and the *KernelError of a kernel queued before the event on its stream
// that failed.
func (e *Event) Wait(ctx context.Context) error {
	if e.err != nil {
		return e.err
	}
	return e.point.wait(ctx)
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
		return 0, errorf(ErrWrongDevice, "since: the events are of device %d and device %d", start.dev.id, e.dev.id)
	}
	return e.point.since(start.point)
}
