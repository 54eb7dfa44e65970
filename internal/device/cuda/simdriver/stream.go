//go:build linux

package simdriver

import (
	"sync"
	"time"

	"github.com/ebitengine/purego"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// stream is a queue of work, done by a goroutine while there is some.
type stream struct {
	c *context

	mu      sync.Mutex
	ops     []func() cuda.Result
	working bool
	idle    sync.Cond // there is no work
}

func (s *stream) owner() *context { return s.c }

func newStream(c *context) *stream {
	s := &stream{c: c}
	s.idle.L = &s.mu
	return s
}

// push queues work.
func (s *stream) push(op func() cuda.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ops = append(s.ops, op)
	if !s.working {
		s.working = true
		go s.run()
	}
}

// run does the work.
func (s *stream) run() {
	for op := s.next(); op != nil; op = s.next() {
		if r := op(); r != cuda.Success {
			s.c.failed.CompareAndSwap(0, uint32(r))
		}
	}
}

// next takes the next piece of work. Without any the stream is idle, and the answer is nil.
func (s *stream) next() func() cuda.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ops) == 0 {
		s.working = false
		s.idle.Broadcast()
		return nil
	}
	op := s.ops[0]
	s.ops = s.ops[1:]
	return op
}

// wait waits until there is no work.
func (s *stream) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.working {
		s.idle.Wait()
	}
}

func (d *driver) streamCreate(to, flags uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	*at[uintptr](to) = d.handle(newStream(c))
	return 0
}

func (d *driver) streamDestroy(s uintptr) uintptr {
	_, _, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.handles, s)
	return 0
}

func (d *driver) streamSynchronize(s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	x.wait()
	return code(c.lost())
}

func (d *driver) streamQuery(s uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.working {
		return code(cuda.NotReady)
	}
	return 0
}

// streamEvent is a mark in a stream.
type streamEvent struct {
	c *context

	mu   sync.Mutex
	mark *mark // the last one; nil before the first record
}

// mark is one recording of an event.
type mark struct {
	done chan struct{}
	at   time.Time
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
	d.mu.Lock()
	defer d.mu.Unlock()
	*at[uintptr](to) = d.handle(&streamEvent{c: c})
	return 0
}

func (d *driver) eventDestroy(e uintptr) uintptr {
	_, _, r := on[*streamEvent](d, e)
	if r != cuda.Success {
		return code(r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.handles, e)
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
	m := &mark{done: make(chan struct{})}
	x.mu.Lock()
	x.mark = m
	x.mu.Unlock()
	on.push(func() cuda.Result {
		m.at = time.Now()
		close(m.done)
		return cuda.Success
	})
	return 0
}

func (d *driver) eventSynchronize(e uintptr) uintptr {
	c, x, r := on[*streamEvent](d, e)
	if r != cuda.Success {
		return code(r)
	}
	if m := x.last(); m != nil {
		<-m.done
	}
	return code(c.lost())
}

func (d *driver) eventQuery(e uintptr) uintptr {
	_, x, r := on[*streamEvent](d, e)
	if r != cuda.Success {
		return code(r)
	}
	if m := x.last(); m != nil {
		select {
		case <-m.done:
		default:
			return code(cuda.NotReady)
		}
	}
	return 0
}

func (d *driver) streamWaitEvent(s, e, flags uintptr) uintptr {
	_, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if m := find[*streamEvent](d, e).last(); m != nil { // of any context
		x.push(func() cuda.Result {
			<-m.done
			return cuda.Success
		})
	}
	return 0
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
	if first == nil || last == nil {
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
	if r != cuda.Success {
		return code(r)
	}
	x.push(func() cuda.Result {
		purego.SyscallN(f, argument)
		return cuda.Success
	})
	return 0
}
