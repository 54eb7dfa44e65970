package gridstride

import (
	"context"
	"sync/atomic"
	"time"
)

// The states of a copy between the host and a simulated device: whoever leaves copyQueued first,
// the worker to copy or the waiting goroutine to give up, decides.
const (
	copyQueued = iota
	copyRuns
	copyGivenUp
)

func (s *simStream) copyIn(ctx context.Context, dst uint64, src []byte) error {
	return s.transfer(ctx, func() error { return s.b.write(dst, src) })
}

func (s *simStream) copyOut(ctx context.Context, dst []byte, src uint64) error {
	return s.transfer(ctx, func() error { return s.b.read(dst, src) })
}

// transfer queues a copy and waits for it. Once it returns the copy does not touch the host's
// memory.
func (s *simStream) transfer(ctx context.Context, copyBytes func() error) error {
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

// startIn and startOut queue a copy that nobody waits for here.
func (s *simStream) startIn(dst uint64, src []byte) error {
	_, err := s.enqueue(func() { _ = s.b.write(dst, src) })
	return err
}

func (s *simStream) startOut(dst []byte, src uint64) error {
	_, err := s.enqueue(func() { _ = s.b.read(dst, src) })
	return err
}

func (s *simStream) zero(addr uint64, n int64) error {
	_, err := s.enqueue(func() { _ = s.b.change(addr, int(n), func(mem []byte) { clear(mem) }) })
	return err
}

// simEvent is a point in a simulated stream.
type simEvent struct {
	s  *simStream
	op uint64
	at time.Time // when it happened; set before op is done
}

func (s *simStream) record() (backendEvent, error) {
	e := &simEvent{s: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.push(simOp{call: always(func() { e.at = time.Now() })})
	e.op = s.queued
	return e, err
}

func (s *simStream) after(e backendEvent) error {
	other := e.(*simEvent)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.push(simOp{call: func() bool { return other.s.reach(s.b.ctx, other.op) == nil }})
	return err
}

func (e *simEvent) wait(ctx context.Context) error { return e.s.waitFor(ctx, e.op) }

func (e *simEvent) since(start backendEvent) (time.Duration, error) {
	return e.at.Sub(start.(*simEvent).at), nil
}

// retire frees the stream's record behind its work.
func (s *simStream) retire() {
	_, _ = s.enqueue(func() { s.b.drop(s) })
}

// whenBusy queues a call behind the work there is, after calling before; it does neither when there
// is none.
func (s *simStream) whenBusy(before, call func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working {
		before()
		_, _ = s.push(simOp{call: always(call)})
	}
}
