package simdev

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/checked"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// The states of a copy between the host and a simulated device: whoever leaves copyQueued first,
// the worker to copy or the waiting goroutine to give up, decides.
const (
	copyQueued = iota
	copyRuns
	copyGivenUp
)

// CopyIn implements device.Stream.
func (s *stream) CopyIn(ctx context.Context, dst uint64, src []byte) error {
	return s.transfer(ctx, "write", func() error { return s.b.Write(dst, src) }, use{s.b, streamcheck.Write, dst, int64(len(src)), nil})
}

// CopyOut implements device.Stream.
func (s *stream) CopyOut(ctx context.Context, dst []byte, src uint64, elem reflect.Type) error {
	return s.transfer(ctx, "read", s.reading(dst, src, elem), use{s.b, streamcheck.Read, src, int64(len(dst)), nil})
}

// transfer queues a copy and waits for it. Once it returns the copy does not touch the host's
// memory. Only after a read does the host count as having waited: on a GPU a write may return
// before the copy has run.
func (s *stream) transfer(ctx context.Context, name string, copyBytes func() error, u use) error {
	var state atomic.Int32
	var failed error
	done := make(chan struct{})
	s.beginWait()
	op, point, err := s.enqueueUse(name, func() {
		defer close(done)
		if state.CompareAndSwap(copyQueued, copyRuns) {
			failed = copyBytes()
		}
	}, u)
	if err != nil {
		return err
	}
	if u.kind != streamcheck.Read {
		point = nil
	}
	err = s.waitFor(ctx, op, point)
	s.endWait(ctx)
	if err != nil && state.CompareAndSwap(copyQueued, copyGivenUp) {
		return err
	}
	<-done
	if err == nil {
		err = failed
	}
	return err
}

// StartIn implements device.Stream.
func (s *stream) StartIn(dst uint64, src []byte) error {
	_, _, err := s.enqueueUse("write", func() { _ = s.b.Write(dst, src) }, use{s.b, streamcheck.Write, dst, int64(len(src)), src})
	return err
}

// StartOut implements device.Stream.
func (s *stream) StartOut(dst []byte, src uint64, elem reflect.Type) error {
	read := s.reading(dst, src, elem)
	_, _, err := s.enqueueUse("read", func() { _ = read() }, use{s.b, streamcheck.Read, src, int64(len(dst)), dst})
	return err
}

// reading is a copy out as an operation of the stream. If launches are checked, so is the host's
// read, except for the failure of a kernel, which the host is told anyway.
func (s *stream) reading(dst []byte, src uint64, elem reflect.Type) func() error {
	if s.b.checks == nil {
		return func() error { return s.b.read(dst, src) }
	}
	from := s.from()
	return func() (err error) {
		if s.hasFailed() {
			return s.b.read(dst, src)
		}
		h := checked.HostRead{Addr: src, N: len(dst), Elem: elem, At: positionOf(&from)}
		lost := s.b.checks.HostRead(s.b.machine.Load(), h, func() { err = s.b.bytes(src, len(dst), func(mem []byte) { copy(dst, mem) }) })
		return cmp.Or(err, lost)
	}
}

// positionOf is where the program made a call.
func positionOf(c *device.Caller) event.Position {
	file, line := c.Position()
	return event.Position{File: file, Line: line}
}

// Copy implements device.Stream.
func (s *stream) Copy(dst, src device.Place, n int64) error {
	to, from := dst.Of.(*Backend), src.Of.(*Backend)
	reads, writes := use{from, streamcheck.Read, src.Addr, n, nil}, use{to, streamcheck.Write, dst.Addr, n, nil}
	if to == from {
		_, _, err := s.enqueueUse("copy", func() { _ = s.b.move(dst.Addr, src.Addr, int(n)) }, reads, writes)
		return err
	}
	op, _, err := s.enqueueUse("copy", func() { _ = carry(to, dst.Addr, from, src.Addr, int(n)) }, reads, writes)
	if err != nil {
		return err
	}
	other := to
	if to == s.b {
		other = from
	}
	return other.follow(s, op)
}

// CopyRows implements device.Stream.
func (s *stream) CopyRows(dst, src uint64, r device.Rows) error {
	var uses []use
	if s.line != nil {
		for i := range uint64(r.Count) {
			uses = append(uses, use{s.b, streamcheck.Read, src + i*uint64(r.SrcPitch), r.Width, nil},
				use{s.b, streamcheck.Write, dst + i*uint64(r.DstPitch), r.Width, nil})
		}
	}
	_, _, err := s.enqueueUse("copy", func() {
		for i := range uint64(r.Count) {
			_ = s.b.move(dst+i*uint64(r.DstPitch), src+i*uint64(r.SrcPitch), int(r.Width))
		}
	}, uses...)
	return err
}

// follow makes an operation of another device's stream count as work of b: so that memory of b is
// not given back before it has run.
func (b *Backend) follow(s *stream, op uint64) error {
	t, err := b.NewStream()
	if err != nil {
		return err
	}
	defer t.Retire()
	return t.(*stream).after(s, op, nil)
}

// Fill implements device.Stream.
func (s *stream) Fill(dst uint64, element []byte, n int64) error {
	element = bytes.Clone(element)
	_, _, err := s.enqueueUse("fill", func() {
		_ = s.b.change(dst, int(n), func(mem []byte) {
			for done := copy(mem, element); done < len(mem); {
				done += copy(mem[done:], mem[:done])
			}
		})
	}, use{s.b, streamcheck.Write, dst, n, nil})
	return err
}

// streamEvent is a point in a simulated stream.
type streamEvent struct {
	s  *stream
	op uint64
	// point is the one that the stream has reached, for the checks.
	point streamcheck.Clock
	at    time.Time // when it happened; set before op is done
}

// Record implements device.Stream.
func (s *stream) Record() (device.EventID, error) {
	e := &streamEvent{s: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeLines()
	if _, err := s.push(operation{call: always(func() { e.at = time.Now() })}); err != nil {
		return 0, err
	}
	e.op, e.point = s.queued, s.point()
	return s.b.events.Add(e), nil
}

// After implements device.Stream.
func (s *stream) After(of device.Backend, id device.EventID) error {
	e := of.(*Backend).events.At(id)
	return s.after(e.s, e.op, e.point)
}

// after queues a wait for an operation of another stream, which is the point reached then. The wait
// ends with that stream's device, when nothing runs there any more.
func (s *stream) after(other *stream, op uint64, point streamcheck.Clock) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil {
		s.line.After(point)
	}
	_, err := s.push(operation{call: func() bool { return other.over(s.b.ctx, op) }})
	return err
}

// WaitEvent implements device.Backend.
func (b *Backend) WaitEvent(ctx context.Context, id device.EventID) error {
	e := b.events.At(id)
	defer e.s.printLines(ctx)
	return e.s.waitFor(ctx, e.op, e.point)
}

// EventDone implements device.Backend. A program that polls in a loop lets the simulation run
// meanwhile, also where goroutines share one thread and nothing interrupts them, as on js/wasm.
func (b *Backend) EventDone(id device.EventID) (bool, error) {
	done, err := b.eventDone(b.events.At(id))
	if !done && err == nil {
		runtime.Gosched()
	}
	return done, err
}

func (b *Backend) eventDone(e *streamEvent) (bool, error) {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	switch {
	case e.op <= e.s.done:
		streamcheck.Reached(e.point)
		return true, e.s.takeFailure(e.op)
	case b.ctx.Err() != nil:
		return false, device.Errorf(device.ErrClosed, "the device was closed")
	}
	return false, nil
}

// Wait implements device.Backend.
func (b *Backend) Wait(ctx context.Context) error {
	type last struct {
		s     *stream
		op    uint64
		point streamcheck.Clock
	}
	var work []last
	b.mu.Lock()
	ended := slices.Clone(b.ended)
	b.mu.Unlock()
	for _, s := range b.allStreams() {
		op, point := s.beginWait()
		work = append(work, last{s, op, point})
	}
	streamcheck.Reached(ended)
	var failures []error
	for _, w := range work {
		if err := w.s.reach(ctx, w.op); err != nil {
			return errors.Join(append(failures, err)...)
		}
		streamcheck.Reached(w.point)
		w.s.endWait(ctx)
		w.s.mu.Lock()
		if err := w.s.takeFailure(w.op); err != nil {
			failures = append(failures, err)
		}
		w.s.mu.Unlock()
	}
	return errors.Join(failures...)
}

// Elapsed implements device.Backend.
func (b *Backend) Elapsed(start, end device.EventID) (time.Duration, error) {
	return b.events.At(end).at.Sub(b.events.At(start).at), nil
}

// DropEvent implements device.Backend.
func (b *Backend) DropEvent(id device.EventID) { b.events.Remove(id) }

// Retire implements device.Stream: it frees the stream's fault record after its work.
func (s *stream) Retire() {
	_, _ = s.enqueue(func() { s.b.drop(s) })
}

// whenBusy calls before and queues call after the present work. It does neither if there is no
// work.
func (s *stream) whenBusy(before, call func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working {
		before()
		_, _ = s.push(operation{call: always(call)})
	}
}
