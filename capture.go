package gridstride

import (
	"sync"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/graph"
)

// Capture calls f, and makes a graph of what f queues on the stream, which does not run. Launching
// the graph runs it: see [Graph]. The call of a library that queues its work on the stream, such as
// one of gpublas, is captured whole.
//
// Another stream of the device joins the capture when it waits for an event that was recorded in it
// (see [Stream.After]). From then on its work is captured too, and depends on what is before the
// event. Before f returns, s must wait for an event of each stream that has joined. Work of two
// streams that no event orders runs at the same time.
//
// Each launch of the graph does what the calls in f have queued, with the arguments that they had:
// the values of numbers, and the memory of buffers. [Buffer.Write] copies its slice now, and each
// launch writes that copy. [Buffer.WriteAsync] and [Buffer.ReadAsync] use the pinned memory itself,
// and so transfer what it holds at each launch. A function given to [Stream.LaunchHostFunc] is
// called by each launch. Memory that f allocates and frees, as libraries do for intermediate
// results, stays the graph's.
//
// A call that needs a result cannot be captured: Wait, Read, the waits for events of the capture.
// Nor can Native, a wait for an event from outside, and a copy to another device. Such a call
// returns ErrCapture, and so does Capture then, whatever f makes of it. When f returns an error,
// panics or ends its goroutine, the capture is over and there is no graph.
//
// The work that other goroutines queue on s meanwhile is captured as well. Use a stream of f's own
// where that may happen.
//
// Errors: f's; ErrCapture, also for a stream that is being captured already, and for work of
// another stream that s does not wait for; ErrClosed; ErrLimit for a graph of more than 1,048,576
// nodes.
func (s *Stream) Capture(f func(s *Stream) error) (*Graph, error) {
	if err := s.hold("capture"); err != nil {
		return nil, err
	}
	defer s.release()
	g := NewGraph(s.dev)
	c := newCapture(g.nodes, nil)
	if !s.captured.CompareAndSwap(nil, c.first) {
		g.Close()
		return nil, device.Errorf(ErrCapture, "capture: the stream is being captured already")
	}
	c.streams = append(c.streams, s)
	if _, err := c.run(s, f); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// Capturing reports whether the stream is being captured now: a library that keeps memory from call
// to call must not count on what it queues then, which runs later or never, and perhaps often.
func (s *Stream) Capturing() bool { return s != nil && s.captured.Load() != nil }

// capture is a recording of streams into a graph.
type capture struct {
	g     *graph.Graph
	first *captured // of the stream that it began with

	mu      sync.Mutex
	streams []*Stream // that take part
}

// captured is a stream's part in a capture.
type captured struct {
	in       *capture
	recorder *graph.Recorder
}

// newCapture begins a capture into a graph, after some of its nodes.
func newCapture(g *graph.Graph, after []int) *capture {
	c := &capture{g: g}
	c.first = &captured{c, graph.Begin(g, after)}
	return c
}

// run calls f with the first stream of the capture, and ends the capture, however f ends. It
// returns the nodes that the work ends with.
func (c *capture) run(s *Stream, f func(*Stream) error) (last []int, err error) {
	returned := false
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.streams {
			s.captured.Store(nil)
		}
		if !returned {
			_, _ = c.first.recorder.End()
			c.g.Close()
		}
	}()
	err = f(s)
	returned = true
	last, refused := c.first.recorder.End()
	if err == nil {
		err = refused
	}
	return last, err
}

// join makes a stream wait for a point of a capture. If it is not captured it is from now on.
func (s *Stream) join(e *Event) error {
	for {
		c := s.captured.Load()
		switch {
		case c == nil:
			if joined, err := e.enter(s); joined || err != nil {
				return err
			}
		case !e.moment.Of(c.recorder):
			return c.recorder.Refuse("after: the event is of another capture than the stream is in")
		default:
			return c.recorder.AfterMoment(e.moment)
		}
	}
}

// enter takes a stream into the capture of an event. It reports false if the stream is in one.
func (e *Event) enter(s *Stream) (joined bool, err error) {
	recorder, err := e.moment.Join()
	if err != nil {
		return false, err
	}
	e.capture.mu.Lock()
	defer e.capture.mu.Unlock()
	if !s.captured.CompareAndSwap(nil, &captured{e.capture, recorder}) {
		return false, nil
	}
	e.capture.streams = append(e.capture.streams, s)
	return true, nil
}

// work is where operations of the stream go that use the memory of some buffers: to its queue, or
// while it is captured to the graph, which keeps the memory.
func (s *Stream) work(uses ...*memory) device.Stream {
	if c := s.captured.Load(); c != nil {
		return c.recorder.Using(keeping(nil, uses...)...)
	}
	return s.queue
}

// workPinned is work for a copy between pinned memory and a buffer's.
func (s *Stream) workPinned(p *pinnedMemory, m *memory) device.Stream {
	if c := s.captured.Load(); c != nil {
		return c.recorder.Using(keeping([]graph.Held{(*graphPinned)(p)}, m)...)
	}
	return s.queue
}

// workLaunch is work for a launch.
func (s *Stream) workLaunch(a *Args) device.Stream {
	if c := s.captured.Load(); c != nil {
		list := []graph.Held{(*graphModule)(a.k.mod)}
		for _, h := range a.mems {
			list = keeping(list, h.mem)
		}
		return c.recorder.Using(list...)
	}
	return s.queue
}

// keeping adds the memory of buffers to a list. Some buffers may have none.
func keeping(list []graph.Held, memories ...*memory) []graph.Held {
	for _, m := range memories {
		if m != nil {
			list = append(list, (*graphMemory)(m))
		}
	}
	return list
}

// The nodes of graphs use memory, modules and pinned memory.
type (
	graphMemory memory
	graphModule Module
	graphPinned pinnedMemory
)

// Hold implements graph.Held.
func (m *graphMemory) Hold() bool { return (*memory)(m).keep() == nil }

// Release implements graph.Held.
func (m *graphMemory) Release() { (*memory)(m).release() }

// Freed implements graph.Held.
func (m *graphMemory) Freed() error {
	for at := (*memory)(m); at != nil; at = at.of {
		if !at.life.Alive() {
			return device.Errorf(ErrFreed, "%s", at.whenFreed())
		}
	}
	return nil
}

// Hold implements graph.Held.
func (m *graphModule) Hold() bool { return m.life.Hold() }

// Release implements graph.Held.
func (m *graphModule) Release() { (*Module)(m).release() }

// Freed implements graph.Held.
func (m *graphModule) Freed() error {
	if m.life.Alive() {
		return nil
	}
	return device.Errorf(ErrClosed, "module %s is closed", m.name)
}

// Hold implements graph.Held.
func (m *graphPinned) Hold() bool { return m.life.Hold() }

// Release implements graph.Held.
func (m *graphPinned) Release() {
	if m.life.Release() {
		(*pinnedMemory)(m).give()
	}
}

// Freed implements graph.Held.
func (m *graphPinned) Freed() error {
	if m.life.Alive() {
		return nil
	}
	return device.Errorf(ErrFreed, "the pinned memory made at %v was freed", &m.made)
}
