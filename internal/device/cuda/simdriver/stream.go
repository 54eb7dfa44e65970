//go:build linux

package simdriver

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
)

// stream is a queue of work, done by a goroutine while there is some.
type stream struct {
	c        *context
	alone    bool // CU_STREAM_NON_BLOCKING: it does not keep to the order of the default stream
	flags    uint32
	priority int32
	number   uint64
	line     *streamcheck.Stream // for the checks; nil where nothing compares streams

	mu      sync.Mutex
	ops     []func() cuda.Result
	working bool
	idle    sync.Cond // there is no work

	capture atomic.Pointer[capture] // nil where work is run, and not made a graph of
}

// streams are a context's.
type streams struct {
	mu        sync.Mutex
	null      *stream         // the legacy default stream
	perThread map[int]*stream // the default streams of threads
	made      []*stream
}

var streamNumbers atomic.Uint64

func (s *stream) owner() *context { return s.c }

func newStream(c *context, alone bool) *stream {
	s := &stream{c: c, alone: alone, number: streamNumbers.Add(1)}
	s.idle.L = &s.mu
	if c.checks != nil && c.checks.Ordered() {
		s.line = streamcheck.NewStream()
	}
	return s
}

// The handles of the default streams besides 0.
const (
	legacyStream    = 1
	perThreadStream = 2
)

// streamOf is the stream of a handle of a default stream.
func (d *driver) streamOf(c *context, h uintptr) (*stream, bool) {
	switch h {
	case 0, legacyStream:
		return c.streams.null, true
	case perThreadStream:
		thread := syscall.Gettid()
		c.streams.mu.Lock()
		defer c.streams.mu.Unlock()
		s := c.streams.perThread[thread]
		if s == nil {
			s = newStream(c, false)
			if c.streams.perThread == nil {
				c.streams.perThread = map[int]*stream{}
			}
			c.streams.perThread[thread] = s
		}
		return s, true
	}
	return find[*stream](d, h)
}

// all are the streams of a context without the legacy default stream.
func (x *streams) all() []*stream {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append(slices.Collect(maps.Values(x.perThread)), x.made...)
}

// finish waits for all work of a context.
func (c *context) finish() {
	for _, s := range c.streams.all() {
		s.wait()
	}
	c.streams.null.wait()
}

// push queues work.
func (s *stream) push(op func() cuda.Result) {
	s.follow()
	s.enqueue(op)
}

func (s *stream) enqueue(op func() cuda.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ops = append(s.ops, op)
	if !s.working {
		s.working = true
		go s.run()
	}
}

// do is push, and waits until the work is done.
func (s *stream) do(op func() cuda.Result) cuda.Result {
	s.follow()
	return s.now(op)
}

// now does work at once if the stream is idle, on the thread that asks for it, and otherwise when its
// turn has come. It returns when the work is done.
func (s *stream) now(op func() cuda.Result) cuda.Result {
	if s.begin() {
		r := op()
		s.end(r)
		return r
	}
	done := make(chan cuda.Result, 1)
	s.enqueue(func() cuda.Result {
		r := op()
		done <- r
		return r
	})
	return <-done
}

// begin takes an idle stream for work of the caller.
func (s *stream) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working {
		return false
	}
	s.working = true
	return true
}

// end gives a stream back that begin took.
func (s *stream) end(r cuda.Result) {
	s.failed(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ops) > 0 {
		go s.run()
		return
	}
	s.working = false
	s.idle.Broadcast()
}

// follow makes what is queued next wait as the default stream has it: its work waits for all that
// was queued on the context's other streams, and theirs for its own, apart from streams that were
// made to stand alone.
func (s *stream) follow() {
	switch null := s.c.streams.null; {
	case s.alone:
	case s != null:
		s.after(null)
	default:
		for _, other := range s.c.streams.all() {
			if !other.alone {
				s.after(other)
			}
		}
	}
}

// after makes what is queued next wait for what is queued on another stream.
func (s *stream) after(other *stream) {
	if s.line != nil {
		s.line.After(other.line.Point())
	}
	other.mu.Lock()
	working := other.working
	other.mu.Unlock()
	if !working {
		return
	}
	done := make(chan struct{})
	other.enqueue(func() cuda.Result {
		close(done)
		return cuda.Success
	})
	s.enqueue(func() cuda.Result {
		<-done
		return cuda.Success
	})
}

// run does the work.
func (s *stream) run() {
	for op := s.next(); op != nil; op = s.next() {
		s.failed(op())
	}
}

// failed notes the result of work. Of results that are no kernel's end the context outlives.
func (s *stream) failed(r cuda.Result) {
	if r != cuda.Success && !s.c.dev.d.cfg.Forgive && (r.Sticky() || !s.c.dev.d.cfg.guest) {
		s.c.failed.CompareAndSwap(0, uint32(r))
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
	for s.working {
		s.idle.Wait()
	}
	s.mu.Unlock()
	s.reached()
}

// busy reports whether there is work.
func (s *stream) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.working
}

// reached tells the checks that the host knows that the stream's work is done.
func (s *stream) reached() {
	if s.line != nil {
		streamcheck.Reached(s.line.Point())
	}
}

func (d *driver) streamFunctions() map[string]any {
	return map[string]any{
		"cuStreamCreateWithPriority": d.streamCreateWithPriority,
		"cuStreamGetPriority": func(s, to uintptr) uintptr {
			return aboutStream(d, s, to, func(x *stream) int32 { return x.priority })
		},
		"cuStreamGetFlags": func(s, to uintptr) uintptr {
			return aboutStream(d, s, to, func(x *stream) uint32 { return x.flags })
		},
		"cuStreamGetId": func(s, to uintptr) uintptr {
			return aboutStream(d, s, to, func(x *stream) uint64 { return x.number })
		},
		"cuStreamGetCtx": func(s, to uintptr) uintptr {
			return aboutStream(d, s, to, func(x *stream) uintptr { return x.c.handle })
		},
		"cuStreamGetDevice": func(s, to uintptr) uintptr {
			return aboutStream(d, s, to, func(x *stream) int32 { return int32(x.c.dev.number) })
		},
		"cuStreamAddCallback":    d.addCallback,
		"cuStreamAttachMemAsync": func(s, addr, n, flags uintptr) uintptr { return aboutStream[byte](d, s, 0, nil) },
		"cuEventRecordWithFlags": func(e, s, flags uintptr) uintptr { return d.eventRecord(e, s) },
		"cuEventElapsedTime_v2":  d.eventElapsed,
		"cuCtxSynchronize":       d.synchronize,
		"cuCtxGetStreamPriorityRange": func(least, greatest uintptr) uintptr {
			if _, r := d.thread(); r != cuda.Success {
				return code(r)
			}
			store(least, int32(0))
			store(greatest, int32(-greatestPriority))
			return 0
		},
	}
}

// greatestPriority is how many priorities there are above the usual one. Work runs as it comes,
// whatever its priority.
const greatestPriority = 5

// store stores a value where C wants it, which may be nowhere.
func store[T any](to uintptr, v T) {
	if to != 0 {
		*at[T](to) = v
	}
}

// aboutStream stores a property of a stream.
func aboutStream[T any](d *driver, s, to uintptr, property func(*stream) T) uintptr {
	_, x, r := on[*stream](d, s)
	if r == cuda.Success && property != nil {
		if to == 0 {
			return code(cuda.InvalidValue)
		}
		store(to, property(x))
	}
	return code(r)
}

func (d *driver) synchronize() uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	for _, s := range append(c.streams.all(), c.streams.null) {
		if s.capture.Load() != nil {
			return captureUnsupported
		}
	}
	c.finish()
	return code(c.lost())
}

func (d *driver) streamCreate(to, flags uintptr) uintptr {
	return d.streamCreateWithPriority(to, flags, 0)
}

func (d *driver) streamCreateWithPriority(to, flags, priority uintptr) uintptr {
	c, r := d.thread()
	switch {
	case r != cuda.Success:
		return code(r)
	case to == 0 || flags > 1:
		return code(cuda.InvalidValue)
	}
	s := newStream(c, flags == 1)
	s.flags, s.priority = uint32(flags), min(max(int32(priority), -greatestPriority), 0)
	c.streams.mu.Lock()
	c.streams.made = append(c.streams.made, s)
	c.streams.mu.Unlock()
	return d.add(to, s)
}

// streamDestroy takes a stream away. Its work still runs.
func (d *driver) streamDestroy(h uintptr) uintptr {
	if h <= perThreadStream && d.cfg.guest {
		return code(cuda.InvalidHandle)
	}
	s, ok := find[*stream](d, h)
	if !ok {
		return code(cuda.InvalidHandle)
	}
	d.remove(h)
	s.c.streams.drop(s)
	return 0
}

// drop forgets a stream whose handle is gone, once its work is done.
func (x *streams) drop(s *stream) {
	s.enqueue(func() cuda.Result {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.made = slices.DeleteFunc(x.made, func(y *stream) bool { return y == s })
		if s.line != nil {
			s.line.End()
		}
		return cuda.Success
	})
}

func (d *driver) streamSynchronize(s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if x.capture.Load() != nil {
		return captureUnsupported
	}
	if x == c.streams.null { // which the host waits for together with those that keep to its order
		x.do(func() cuda.Result { return cuda.Success })
	}
	x.wait()
	return code(c.lost())
}

func (d *driver) streamQuery(s uintptr) uintptr {
	c, x, r := on[*stream](d, s)
	if r != cuda.Success {
		return code(r)
	}
	if x.busy() {
		return code(cuda.NotReady)
	}
	x.reached()
	return code(c.lost()) // by work that has ended since the look above
}
