package simdev

import (
	"slices"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// use is device memory that an operation of a stream uses.
type use struct {
	b    *Backend
	kind streamcheck.Kind
	addr uint64
	n    int64
	// pinned is the host's memory that the operation copies from or to without the host waiting for
	// it, or nil if there is none.
	pinned []byte
}

// enqueueUse queues a call that uses device memory, and tells the checks of it, for which it has a
// name. It returns the number of the operation, and the point that the queue has reached with it.
func (s *stream) enqueueUse(name string, call func(), uses ...use) (uint64, streamcheck.Clock, error) {
	if s.line == nil {
		n, err := s.enqueue(call)
		return n, nil, err
	}
	held := slices.DeleteFunc(slices.Clone(uses), func(u use) bool { return u.b.checks == nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	op := s.queueOp(name)
	for _, u := range held {
		u.b.checks.Queued(op)
		call = u.pin(op, call)
	}
	_, err := s.push(operation{call: always(func() {
		call()
		for _, u := range held {
			_ = u.b.checks.Used(u.b.machine.Load(), op, u.kind, u.addr, u.n)
			u.b.checks.Ran(op)
		}
	})})
	return s.queued, s.line.Point(), err
}

// pin makes a copy from or to pinned memory known, and returns its call.
func (u *use) pin(op *streamcheck.Op, call func()) func() {
	if u.pinned == nil {
		return call
	}
	toHost := u.kind == streamcheck.Read
	c := streamcheck.Pin(op, u.pinned, toHost, u.b.checks.PinnedTouched)
	if toHost {
		return func() { c.ToHost(call) }
	}
	return call
}

// queueOp is the next operation of the stream for the checks, nil where nothing compares the
// operations of streams. It needs s.mu.
func (s *stream) queueOp(name string) *streamcheck.Op {
	if s.line == nil {
		return nil
	}
	from := s.from()
	return s.line.Queue(name, positionOf(&from))
}

// point is the point that the queue has reached, for the checks. It needs s.mu.
func (s *stream) point() streamcheck.Clock {
	if s.line == nil {
		return nil
	}
	return s.line.Point()
}

// endLine takes the stream out of those that are compared, when its work has run.
func (s *stream) endLine() {
	if s.line != nil {
		s.line.End()
	}
}

// from is the call that queues an operation. Of a graph's node it is the one that made it.
func (s *stream) from() device.Caller {
	if s.at != nil {
		return *s.at
	}
	return device.FromHere()
}
