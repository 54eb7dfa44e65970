//go:build linux

package simdriver

import (
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// operation is work of a stream, or of a graph's node.
type operation struct {
	name string // for reports: "copy", "launch of add"
	kind uint32 // of a graph's node
	// params has the parameters of the work: *launchParams, a copy's, a filling's, or a host
	// function's.
	params any
	uses   []use
	at     event.Position // of the program that has queued it, empty where it is not known
	run    func() cuda.Result
	// launch is run instead by kernels: it is told the operation among the streams' operations.
	launch func(*streamcheck.Op) cuda.Result
}

// use is device memory that an operation uses.
type use struct {
	c    *context
	kind streamcheck.Kind
	addr uintptr
	n    uintptr
}

// submit queues an operation, or makes it a node of the graph that the stream's work is captured
// in.
func (s *stream) submit(o *operation) {
	if c := s.capture.Load(); c != nil {
		c.add(s, o)
		return
	}
	s.follow()
	s.enqueue(s.compared(o))
}

// perform is submit, and waits until the operation is done.
func (s *stream) perform(o *operation) cuda.Result {
	if c := s.capture.Load(); c != nil {
		c.spoil()
		return cuda.Result(captureUnsupported)
	}
	s.follow()
	return s.now(s.compared(o))
}

// compared is an operation's work, and tells the checks what memory it uses, and of a launch that it
// is queued.
func (s *stream) compared(o *operation) func() cuda.Result {
	work := s.work(o)
	if s.c.checks == nil || o.launch == nil && o.kind != graphNode {
		return work
	}
	done := s.c.checks.Announce()
	return func() cuda.Result {
		defer done()
		return work()
	}
}

func (s *stream) work(o *operation) func() cuda.Result {
	if x, ok := o.params.(*graphExec); ok {
		return x.work(s)
	}
	if s.line == nil {
		return s.as(o, nil)
	}
	at := o.at
	if at == (event.Position{}) {
		at = s.c.dev.d.from()
	}
	return s.as(o, s.line.Queue(o.name, at))
}

// as is an operation's work, which the checks know as op, nil where nothing compares streams.
func (s *stream) as(o *operation, op *streamcheck.Op) func() cuda.Result {
	switch {
	case op == nil && o.launch != nil:
		return func() cuda.Result { return o.launch(nil) }
	case op == nil:
		return o.run
	case o.launch != nil:
		s.c.checks.Queued(op)
		return func() cuda.Result {
			r := o.launch(op)
			s.c.checks.Ran(op)
			return r
		}
	}
	for _, u := range o.uses {
		u.c.checks.Queued(op)
	}
	return func() cuda.Result {
		r := o.run()
		for _, u := range o.uses {
			_ = u.c.checks.Used(u.c.machine, op, u.kind, uint64(u.addr), int64(u.n))
			u.c.checks.Ran(op)
		}
		return r
	}
}

// from is the position of the program that is calling, if somebody asks for it.
func (d *driver) from() event.Position {
	if d.cfg.From == nil {
		return event.Position{}
	}
	return d.cfg.From()
}

// positionText is "race.py:24", or without a line the address of a call.
func positionText(p event.Position) string {
	if p.Line == 0 {
		return p.File
	}
	return p.String()
}
