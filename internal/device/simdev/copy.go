package simdev

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/internal/device"
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
	return s.transfer(ctx, func() error { return s.b.Write(dst, src) })
}

// CopyOut implements device.Stream.
func (s *stream) CopyOut(ctx context.Context, dst []byte, src uint64) error {
	return s.transfer(ctx, func() error { return s.b.read(dst, src) })
}

// transfer queues a copy and waits for it. Once it returns the copy does not touch the host's
// memory.
func (s *stream) transfer(ctx context.Context, copyBytes func() error) error {
	var state atomic.Int32
	var failed error
	done := make(chan struct{})
	op, err := s.enqueue(func() {
		defer close(done)
		if state.CompareAndSwap(copyQueued, copyRuns) {
			failed = copyBytes()
		}
	})
	if err != nil {
		return err
	}
	err = s.waitFor(ctx, op)
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
	_, err := s.enqueue(func() { _ = s.b.Write(dst, src) })
	return err
}

// StartOut implements device.Stream.
func (s *stream) StartOut(dst []byte, src uint64) error {
	_, err := s.enqueue(func() { _ = s.b.read(dst, src) })
	return err
}

// Zero implements device.Stream.
func (s *stream) Zero(addr uint64, n int64) error {
	_, err := s.enqueue(func() { _ = s.b.change(addr, int(n), func(mem []byte) { clear(mem) }) })
	return err
}

// event is a point in a simulated stream.
type event struct {
	s  *stream
	op uint64
	at time.Time // when it happened; set before op is done
}

// Record implements device.Stream.
func (s *stream) Record() (device.EventID, error) {
	e := &event{s: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.push(operation{call: always(func() { e.at = time.Now() })}); err != nil {
		return 0, err
	}
	e.op = s.queued
	return s.b.events.Add(e), nil
}

// After implements device.Stream.
func (s *stream) After(e device.EventID) error {
	other := s.b.events.At(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.push(operation{call: func() bool { return other.s.reach(s.b.ctx, other.op) == nil }})
	return err
}

// WaitEvent implements device.Backend.
func (b *Backend) WaitEvent(ctx context.Context, id device.EventID) error {
	e := b.events.At(id)
	return e.s.waitFor(ctx, e.op)
}

// Elapsed implements device.Backend.
func (b *Backend) Elapsed(start, end device.EventID) (time.Duration, error) {
	return b.events.At(end).at.Sub(b.events.At(start).at), nil
}

// DropEvent implements device.Backend.
func (b *Backend) DropEvent(id device.EventID) { b.events.Remove(id) }

// Retire implements device.Stream: it frees the stream's fault record behind its work.
func (s *stream) Retire() {
	_, _ = s.enqueue(func() { s.b.drop(s) })
}

// whenBusy queues a call behind the work there is, after calling before; it does neither when there
// is none.
func (s *stream) whenBusy(before, call func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working {
		before()
		_, _ = s.push(operation{call: always(call)})
	}
}
