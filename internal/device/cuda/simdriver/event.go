//go:build linux

package simdriver

import (
	"sync"
	"time"

	"github.com/ebitengine/purego"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// streamEvent is a mark in a stream.
type streamEvent struct {
	c *context

	mu   sync.Mutex
	mark *mark   // the last one; nil before the first record
	at   *moment // where a capture has recorded it last; nil where no capture has

	flags uint32
}

// eventDisableTiming is CU_EVENT_DISABLE_TIMING.
const eventDisableTiming = 2

// mark is one recording of an event.
type mark struct {
	done  chan struct{}
	at    time.Time
	point streamcheck.Clock // the one that the stream had reached; nil where nothing is compared
}

func (e *streamEvent) owner() *context { return e.c }

// last is the last recording.
func (e *streamEvent) last() *mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mark
}

func (d *driver) eventCreate(to, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	return d.add(to, &streamEvent{c: c, flags: uint32(flags)})
}

func (d *driver) eventDestroy(e uintptr) uintptr {
	if _, ok := find[*streamEvent](d, e); !ok {
		return code(cuda.InvalidHandle)
	}
	d.remove(e)
	return 0
}

func (d *driver) eventRecord(e, s uintptr) uintptr {
	_, x, r := on[*streamEvent](d, e)
	if r != cuda.Success {
		return code(r)
	}
	_, on, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if c := on.capture.Load(); c != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.at = c.moment(on)
		return 0
	}
	on.follow()
	on.record(x)
	return 0
}

// record marks the point that the stream's queue has reached.
func (s *stream) record(e *streamEvent) {
	m := &mark{done: make(chan struct{})}
	if s.line != nil {
		m.point = s.line.Point()
	}
	e.mu.Lock()
	e.mark, e.at = m, nil
	e.mu.Unlock()
	if s.begin() {
		m.at = time.Now()
		close(m.done)
		s.end(cuda.Success)
		return
	}
	s.enqueue(func() cuda.Result {
		m.at = time.Now()
		close(m.done)
		return cuda.Success
	})
}

func (d *driver) eventSynchronize(e uintptr) uintptr {
	c, x, r := on[*streamEvent](d, e)
	if r != cuda.Success {
		return code(r)
	}
	if m := x.last(); m != nil {
		<-m.done
		streamcheck.Reached(m.point)
	}
	return code(c.lost())
}

func (d *driver) eventQuery(e uintptr) uintptr {
	c, x, r := on[*streamEvent](d, e)
	if r != cuda.Success {
		return code(r)
	}
	if m := x.last(); m != nil {
		select {
		case <-m.done:
		default:
			return code(cuda.NotReady)
		}
		streamcheck.Reached(m.point)
	}
	return code(c.lost()) // by work that has ended since the look above
}

func (d *driver) streamWaitEvent(s, e, flags uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	ev, ok := find[*streamEvent](d, e) // of any context
	if !ok {
		return code(cuda.InvalidHandle)
	}
	ev.mu.Lock()
	moment := ev.at
	ev.mu.Unlock()
	if moment != nil {
		return moment.join(x)
	}
	if m := ev.last(); m != nil {
		if x.capture.Load() != nil {
			return captureIsolation
		}
		x.await(m)
	}
	return 0
}

// await makes what is queued next wait for a mark.
func (s *stream) await(m *mark) {
	if s.line != nil {
		s.line.After(m.point)
	}
	select {
	case <-m.done:
		return
	default:
	}
	s.enqueue(func() cuda.Result {
		<-m.done
		return cuda.Success
	})
}

func (d *driver) eventElapsed(to, from, until uintptr) uintptr {
	_, a, r := on[*streamEvent](d, from)
	if r != cuda.Success {
		return code(r)
	}
	_, b, r := on[*streamEvent](d, until)
	if r != cuda.Success {
		return code(r)
	}
	first, last := a.last(), b.last()
	if first == nil || last == nil || (a.flags|b.flags)&eventDisableTiming != 0 && d.cfg.guest {
		return code(cuda.InvalidHandle)
	}
	for _, m := range []*mark{first, last} {
		select {
		case <-m.done:
		default:
			return code(cuda.NotReady)
		}
	}
	*at[float32](to) = float32(last.at.Sub(first.at).Seconds() * 1000)
	return 0
}

// launchHostFunc calls a C function with one argument.
func (d *driver) launchHostFunc(s, f, argument uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	switch {
	case r != cuda.Success:
		return code(r)
	case f == 0:
		return code(cuda.InvalidValue)
	}
	x.submit(hostCall(f, argument))
	return 0
}

// hostCall is a call of a C function with one argument as work of a stream.
func hostCall(f, argument uintptr) *operation {
	return &operation{name: "host function", kind: hostNode, params: [2]uintptr{f, argument}, run: func() cuda.Result {
		purego.SyscallN(f, argument)
		return cuda.Success
	}}
}

// addCallback calls a C function with the stream, the result of its work so far, and one argument.
func (d *driver) addCallback(s, f, argument, flags uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	switch {
	case r != cuda.Success:
		return code(r)
	case f == 0 || flags != 0:
		return code(cuda.InvalidValue)
	case x.capture.Load() != nil:
		return captureUnsupported
	}
	x.push(func() cuda.Result {
		purego.SyscallN(f, s, uintptr(x.c.lost()), argument)
		return cuda.Success
	})
	return 0
}
