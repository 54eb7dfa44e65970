//go:build linux

package simdriver

import (
	"time"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// operation is a run of the graph as work of a stream.
func (x *graphExec) operation(s *stream) *operation {
	return &operation{name: "launch of a graph", kind: graphNode, params: x, run: func() cuda.Result { return x.work(s)() }}
}

// work queues a run of the graph on a stream, after the earlier runs, and returns it.
func (x *graphExec) work(s *stream) func() cuda.Result {
	x.mu.Lock()
	defer x.mu.Unlock()
	before, over := x.over, make(chan struct{})
	x.over = over
	runs := x.queue(s)
	return func() cuda.Result {
		defer close(over)
		if before != nil {
			<-before
		}
		for _, run := range runs {
			if r := run(); r != cuda.Success {
				return r
			}
		}
		return cuda.Success
	}
}

// queue returns the work of the steps. The checks know each as an operation of its branch. It needs
// x.mu.
func (x *graphExec) queue(s *stream) []func() cuda.Result {
	runs := make([]func() cuda.Result, len(x.steps))
	if s.line == nil {
		for i := range x.steps {
			runs[i] = x.steps[i].run(s, nil)
		}
		return runs
	}
	if x.branches == nil {
		deps := make([][]int, len(x.steps))
		for i := range x.steps {
			deps[i] = x.steps[i].deps
		}
		x.branches = streamcheck.NewGraph(deps)
	}
	s.line.After(x.point)
	launch := x.branches.Launch(s.line)
	for i := range x.steps {
		line := launch.Line(i)
		var op *streamcheck.Op
		if o := x.steps[i].op; o != nil {
			op = line.Queue(o.name, o.at)
		}
		runs[i] = x.steps[i].run(s, op)
		launch.Queued(i)
	}
	launch.End()
	x.point = s.line.Point()
	return runs
}

// run returns the work of the step.
func (x *step) run(s *stream, op *streamcheck.Op) func() cuda.Result {
	of := x.of
	switch {
	case of.kind == waitNode:
		return func() cuda.Result {
			if m := of.event.last(); m != nil {
				<-m.done
			}
			return cuda.Success
		}
	case of.kind == recordNode:
		return func() cuda.Result {
			m := &mark{done: make(chan struct{}), at: time.Now()}
			close(m.done)
			of.event.mu.Lock()
			defer of.event.mu.Unlock()
			of.event.mark = m
			return cuda.Success
		}
	case x.op == nil:
		return func() cuda.Result { return cuda.Success }
	}
	return s.as(x.op, op)
}

// end gives the branches back.
func (x *graphExec) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.branches != nil {
		x.branches.End()
		x.branches = nil
	}
}
