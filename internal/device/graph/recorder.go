package graph

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/device"
)

// Capture is a recording of streams into a graph, from its beginning to its end.
type Capture struct {
	g    *Graph
	from int // its first node

	mu      sync.Mutex
	tracks  []*track
	spoiled error // the first thing that was refused
	ended   bool
}

// track is a stream in a capture.
type track struct{ last []int } // the nodes that its next work depends on

// Moment is a point of a capture that an event marks.
type Moment struct {
	c    *Capture
	last []int
}

// Begin begins a capture into a graph. The first work of the stream depends on some of its nodes.
func Begin(g *Graph, after []int) *Recorder {
	c := &Capture{g: g, from: g.Len()}
	return c.enter(after)
}

func (c *Capture) enter(after []int) *Recorder {
	t := &track{last: slices.Clone(after)}
	c.tracks = append(c.tracks, t)
	return &Recorder{c: c, t: t}
}

// Recorder is a stream of a capture. It implements device.Stream.
type Recorder struct {
	c    *Capture
	t    *track
	held []Held // things that the next operation uses
}

// Using is the recorder for operations that use some things.
func (r *Recorder) Using(held ...Held) *Recorder { return &Recorder{r.c, r.t, held} }

// Refuse is the error of something that cannot be captured. The capture fails with it.
func (r *Recorder) Refuse(format string, args ...any) error {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	return r.c.spoil(device.Errorf(device.ErrCapture, format, args...))
}

// spoil notes the error that a capture fails with. It needs c.mu.
func (c *Capture) spoil(err error) error {
	if c.spoiled == nil {
		c.spoiled = err
	}
	return err
}

// over is the error of work for a capture that has ended. It needs c.mu.
func (c *Capture) over(op string) error {
	if !c.ended {
		return nil
	}
	return device.Errorf(device.ErrCapture, "%s: the capture has ended", op)
}

// Moment is the point that the stream has reached.
func (r *Recorder) Moment() *Moment {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	return &Moment{r.c, slices.Clone(r.t.last)}
}

// Of reports whether a moment is of the recorder's capture.
func (m *Moment) Of(r *Recorder) bool { return m.c == r.c }

// Join takes another stream into the moment's capture, after the moment.
//
// Errors: ErrCapture when the capture has ended.
func (m *Moment) Join() (*Recorder, error) {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	if err := m.c.over("after"); err != nil {
		return nil, err
	}
	return m.c.enter(m.last), nil
}

// AfterMoment makes the next work of the stream depend on a moment of its capture.
func (r *Recorder) AfterMoment(m *Moment) error {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if err := r.c.over("after"); err != nil {
		return err
	}
	for _, n := range m.last {
		if !slices.Contains(r.t.last, n) {
			r.t.last = append(r.t.last, n)
		}
	}
	return nil
}

// End ends the capture, which r began. It returns the nodes that its work ends with.
//
// Errors: the first error of what was refused, and ErrCapture for the work of a stream that the
// first one does not wait for.
func (r *Recorder) End() (last []int, err error) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.ended = true
	r.c.g.adopt(r.c.from)
	if r.c.spoiled != nil {
		return nil, r.c.spoiled
	}
	reached := r.c.g.reaches(r.t.last)
	for _, t := range r.c.tracks {
		for _, i := range t.last {
			if i < len(reached) && !reached[i] { // a graph that was closed meanwhile has none
				n := r.c.g.Node(i)
				return nil, device.Errorf(device.ErrCapture, "capture: the stream does not wait for the %s at %v, which another stream was given; let it wait before the capture ends: s.After(other.Record())", n.Name, &n.At)
			}
		}
	}
	return r.t.last, nil
}

// add makes an operation the next node of the stream.
func (r *Recorder) add(name string, l *device.Launch, queue func(device.Stream) error) error {
	at := device.FromHere()
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if err := r.c.over(name); err != nil {
		return err
	}
	i, err := r.c.g.add(device.Node{Name: name, Launch: l, At: at, Deps: slices.Clone(r.t.last), Queue: queue}, r.held)
	if err != nil {
		return r.c.spoil(err)
	}
	r.t.last = append(r.t.last[:0], i)
	return nil
}

// Splice makes the nodes of a snapshot the next of the stream.
func (r *Recorder) Splice(s *Snapshot) error {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if err := r.c.over("launch of a graph"); err != nil || len(s.Nodes) == 0 {
		return err
	}
	first, err := r.c.g.Append(s, r.t.last)
	if err != nil {
		return r.c.spoil(err)
	}
	r.t.last = r.t.last[:0:0]
	for _, i := range s.Ends() {
		r.t.last = append(r.t.last, first+i)
	}
	return nil
}

// Launch implements device.Stream.
func (r *Recorder) Launch(l device.Launch) error {
	l.Params = bytes.Clone(l.Params)
	return r.add("launch of "+l.Kernel.Name, &l, func(s device.Stream) error { return s.Launch(l) })
}

// CopyIn implements device.Stream: each run copies what src holds now.
func (r *Recorder) CopyIn(_ context.Context, dst uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	src = bytes.Clone(src)
	return r.add("write", nil, func(s device.Stream) error { return s.StartIn(dst, src) })
}

// CopyOut implements device.Stream.
func (r *Recorder) CopyOut(context.Context, []byte, uint64, reflect.Type) error {
	return r.Refuse("read: the stream is being captured, and runs nothing to wait for; ReadAsync copies to pinned memory in each launch")
}

// StartIn implements device.Stream: each run copies what src holds then.
func (r *Recorder) StartIn(dst uint64, src []byte) error {
	return r.add("write", nil, func(s device.Stream) error { return s.StartIn(dst, src) })
}

// StartOut implements device.Stream.
func (r *Recorder) StartOut(dst []byte, src uint64, elem reflect.Type) error {
	return r.add("read", nil, func(s device.Stream) error { return s.StartOut(dst, src, elem) })
}

// Wait implements device.Stream.
func (r *Recorder) Wait(context.Context) error {
	return r.Refuse("wait: the stream is being captured, and runs nothing to wait for; wait after the graph's launch")
}

// Copy implements device.Stream.
func (r *Recorder) Copy(dst, src device.Place, n int64) error {
	if dst.Of != src.Of {
		return r.Refuse("copy: a graph is of one device, and the buffers are of two")
	}
	return r.add("copy", nil, func(s device.Stream) error { return s.Copy(dst, src, n) })
}

// CopyRows implements device.Stream.
func (r *Recorder) CopyRows(dst, src uint64, rows device.Rows) error {
	return r.add("copy", nil, func(s device.Stream) error { return s.CopyRows(dst, src, rows) })
}

// FillArray implements device.Stream.
func (r *Recorder) FillArray(dst device.ArrayID, src uint64) error {
	return r.add("copy to array", nil, func(s device.Stream) error { return s.FillArray(dst, src) })
}

// DrainArray implements device.Stream.
func (r *Recorder) DrainArray(dst uint64, src device.ArrayID) error {
	return r.add("copy from array", nil, func(s device.Stream) error { return s.DrainArray(dst, src) })
}

// Fill implements device.Stream.
func (r *Recorder) Fill(dst uint64, element []byte, n int64) error {
	if n == 0 {
		return nil
	}
	element = bytes.Clone(element)
	return r.add("fill", nil, func(s device.Stream) error { return s.Fill(dst, element, n) })
}

// HostFunc implements device.Stream.
func (r *Recorder) HostFunc(f func()) error {
	return r.add("host function", nil, func(s device.Stream) error { return s.HostFunc(f) })
}

// Native implements device.Stream.
func (r *Recorder) Native(func(uintptr) error) error {
	return r.Refuse("native: what a library of CUDA's queues cannot be captured here")
}

// Record implements device.Stream. The host takes a [Moment] instead.
func (r *Recorder) Record() (device.EventID, error) {
	return 0, r.Refuse("record: the capture has ended")
}

// After implements device.Stream.
func (r *Recorder) After(device.Backend, device.EventID) error {
	return r.Refuse("after: the event was recorded outside the capture; let the stream wait for it before the graph is launched")
}

// Retire implements device.Stream.
func (r *Recorder) Retire() {}

var _ device.Stream = (*Recorder)(nil)
