//go:build linux

package simdriver

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// The results of captures, as C returns them.
const (
	illegalState       uintptr = 401
	captureUnsupported uintptr = 900
	captureInvalidated uintptr = 901
	captureMerge       uintptr = 902
	captureUnmatched   uintptr = 903
	captureUnjoined    uintptr = 904
	captureIsolation   uintptr = 905
)

// capture makes a graph of what is queued on a stream, and on streams that wait for it.
type capture struct {
	id     uint64
	origin *stream

	mu      sync.Mutex
	graph   *graph
	last    map[*stream][]*node // what the next work of each stream depends on
	spoiled bool                // something was asked for that no graph can hold
	list    []uintptr           // what C was given of last
}

// moment is a point of a capture that an event has recorded.
type moment struct {
	c    *capture
	last []*node
}

// add makes an operation the next node of a stream.
func (c *capture) add(s *stream, o *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[s] = []*node{c.graph.add(o, c.last[s])}
}

func (c *capture) spoil() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoiled = true
}

// moment is the point that a stream has reached.
func (c *capture) moment(s *stream) *moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &moment{c, slices.Clone(c.last[s])}
}

// join makes the next work of a stream depend on the moment, and takes the stream into the capture.
func (m *moment) join(s *stream) uintptr {
	now := s.capture.Load()
	switch {
	case now == nil && s == s.c.streams.null:
		return captureUnsupported
	case now != nil && now != m.c:
		now.spoil()
		return captureMerge
	}
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	for _, n := range m.last {
		if !slices.Contains(m.c.last[s], n) {
			m.c.last[s] = append(m.c.last[s], n)
		}
	}
	s.capture.Store(m.c)
	return 0
}

func (d *driver) captureFunctions() map[string]any {
	return map[string]any{
		"cuStreamBeginCapture_v2":   d.beginCapture,
		"cuStreamBeginCapture":      func(s uintptr) uintptr { return d.beginCapture(s, 0) },
		"cuStreamEndCapture":        d.endCapture,
		"cuStreamIsCapturing":       func(s, to uintptr) uintptr { return d.captureInfo(s, to, 0, 0, 0, 0) },
		"cuStreamGetCaptureInfo":    func(s, to, id uintptr) uintptr { return d.captureInfo(s, to, id, 0, 0, 0) },
		"cuStreamGetCaptureInfo_v2": d.captureInfo,
		"cuStreamGetCaptureInfo_v3": func(s, to, id, graph, last, edges, n uintptr) uintptr {
			store(edges, uintptr(0))
			return d.captureInfo(s, to, id, graph, last, n)
		},
		"cuStreamUpdateCaptureDependencies":    d.updateCapture,
		"cuStreamUpdateCaptureDependencies_v2": func(s, nodes, edges, n, flags uintptr) uintptr { return d.updateCapture(s, nodes, n, flags) },
	}
}

func (d *driver) beginCapture(h, mode uintptr) uintptr {
	_, s, r := on[*stream](d, h)
	switch {
	case r != cuda.Success:
		return code(r)
	case s == s.c.streams.null:
		return captureUnsupported
	case s.capture.Load() != nil:
		return illegalState
	}
	s.capture.Store(&capture{id: streamNumbers.Add(1), origin: s, graph: d.newGraph(), last: map[*stream][]*node{s: nil}})
	return 0
}

func (d *driver) endCapture(h, to uintptr) uintptr {
	_, s, r := on[*stream](d, h)
	if r != cuda.Success {
		return code(r)
	}
	c := s.capture.Load()
	switch {
	case to == 0:
		return code(cuda.InvalidValue)
	case c == nil:
		return illegalState
	case c.origin != s:
		return captureUnmatched
	}
	*at[uintptr](to) = 0
	c.mu.Lock()
	defer c.mu.Unlock()
	joined := true
	for other, last := range c.last {
		other.capture.Store(nil)
		joined = joined && (other == s || c.graph.reach(c.last[s], last))
	}
	switch {
	case c.spoiled:
		return captureInvalidated
	case !joined:
		return captureUnjoined
	}
	*at[uintptr](to) = c.graph.handle
	return 0
}

func (d *driver) captureInfo(h, to, id, graph, last, n uintptr) uintptr {
	_, s, r := on[*stream](d, h)
	if r != cuda.Success {
		return code(r)
	}
	const none, active, invalidated = 0, 1, 2
	c := s.capture.Load()
	if c == nil {
		store(to, int32(none))
		store(n, uint64(0))
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status := int32(active)
	if c.spoiled {
		status = invalidated
	}
	store(to, status)
	store(id, c.id)
	store(graph, c.graph.handle)
	store(n, uint64(len(c.last[s])))
	c.list = nil
	for _, x := range c.last[s] {
		c.list = append(c.list, x.handle)
	}
	store(last, uintptr(unsafe.Pointer(unsafe.SliceData(c.list))))
	return 0
}

func (d *driver) updateCapture(h, nodes, n, flags uintptr) uintptr {
	_, s, r := on[*stream](d, h)
	if r != cuda.Success {
		return code(r)
	}
	c := s.capture.Load()
	if c == nil {
		return illegalState
	}
	list, ok := d.nodesAt(nodes, n)
	if !ok {
		return code(cuda.InvalidValue)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	const replace = 1
	if flags != replace {
		list = append(slices.Clone(c.last[s]), list...)
	}
	c.last[s] = list
	return 0
}
