package gridstride

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/checked"
	"github.com/gridstride/gridstride/internal/sim"
)

// simStream is a queue worked off by a goroutine that lives only while there is work.
type simStream struct {
	b     *simulator
	fault uint64 // address of the fault record
	work  func() // s.run, bound once, so that starting it allocates nothing
	now   simOp  // what the worker is at

	mu      sync.Mutex
	ops     simQueue
	working bool
	queued  uint64 // number of the last operation queued; they count from 1
	done    uint64 // number of the last operation done
	waiters []simWaiter
	// failed is the first failure that no wait has returned yet, of operation failedAt.
	failed   *KernelError
	failedAt uint64
}

// simWaiter is a wait for an operation; ch is closed when it is done.
type simWaiter struct {
	op uint64
	ch chan struct{}
}

func newSimStream(b *simulator) (*simStream, error) {
	record, err := b.alloc(abi.FaultSize)
	if err != nil {
		return nil, err
	}
	s := &simStream{b: b, fault: record}
	s.work = s.run
	return s, b.change(record, abi.FaultSize, func(mem []byte) { clear(mem) })
}

func (s *simStream) launch(k *Kernel, cfg Config, params []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := simOp{kernel: k, cfg: cfg, params: params}
	if s.b.checks != nil {
		op.from = checked.Caller()
	}
	o, err := s.push(op)
	if err == nil && k.faultAt >= 0 {
		binary.LittleEndian.PutUint64(o.params[k.faultAt:], s.fault)
	}
	return err
}

// push queues an operation and sees that a worker is at it. It needs s.mu.
func (s *simStream) push(o simOp) (*simOp, error) {
	if !s.working && !s.b.startWorker(s.work) {
		return nil, errorf(ErrClosed, "the device is closed")
	}
	s.working = true
	s.queued++
	return s.ops.push(o), nil
}

// enqueue queues a call and returns its number.
func (s *simStream) enqueue(call func()) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.push(simOp{call: always(call)})
	return s.queued, err
}

// always is f as an operation that comes to its end.
func always(f func()) func() bool {
	return func() bool {
		f()
		return true
	}
}

// run works the queue off, until it is empty or the device is closed.
func (s *simStream) run() {
	defer s.b.workers.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.ops.n > 0 && s.b.ctx.Err() == nil {
		s.now = s.ops.front()
		s.mu.Unlock()
		failure, ended := s.execute(&s.now)
		s.mu.Lock()
		if !ended { // the device is being closed
			break
		}
		s.finish(failure)
	}
	s.now = simOp{}
	s.working = false
}

// execute runs an operation. It reports false when the device was closed before the operation had
// come to its end.
func (s *simStream) execute(o *simOp) (failure *KernelError, ended bool) {
	if o.kernel == nil {
		return nil, o.call()
	}
	k := o.kernel
	err := s.launchNow(o)
	failure = s.takeRecord(k)
	switch {
	case err == nil || failure != nil:
		return failure, true
	case s.b.ctx.Err() != nil:
		return nil, false
	}
	return simFailure(k, err), true
}

// launchNow runs a launch, under the device's checks if it has any.
func (s *simStream) launchNow(o *simOp) error {
	l := sim.Launch{
		Grid:   [3]int{o.cfg.GridDim.X, o.cfg.GridDim.Y, o.cfg.GridDim.Z},
		Block:  [3]int{o.cfg.BlockDim.X, o.cfg.BlockDim.Y, o.cfg.BlockDim.Z},
		Shared: o.cfg.SharedBytes,
		Params: o.params,
	}
	machine, entry := s.b.machine.Load(), o.kernel.entry.(simEntry).entry
	if s.b.checks != nil {
		return s.b.checks.Launch(s.b.ctx, machine, entry, l, o.kernel.name, o.from)
	}
	_, err := machine.Launch(s.b.ctx, entry, l)
	return err
}

// takeRecord reads the fault record that kernel k may have written, and resets it.
func (s *simStream) takeRecord(k *Kernel) *KernelError {
	if k.faultAt < 0 {
		return nil
	}
	var r abi.FaultRecord
	_ = s.b.change(s.fault, abi.FaultSize, func(mem []byte) {
		r = abi.DecodeFault(mem)
		clear(mem)
	})
	if r.State != abi.FaultWritten {
		return nil
	}
	return k.failure(r, s.b.text(r.Msg))
}

// finish ends the operation in progress and wakes those who wait for it. It needs s.mu.
func (s *simStream) finish(failure *KernelError) {
	s.ops.pop()
	s.done++
	if failure != nil && s.failed == nil {
		s.failed, s.failedAt = failure, s.done
	}
	s.waiters = slices.DeleteFunc(s.waiters, func(w simWaiter) bool {
		if w.op > s.done {
			return false
		}
		close(w.ch)
		return true
	})
}

// wait waits until the work queued so far has run.
func (s *simStream) wait(ctx context.Context) error {
	s.mu.Lock()
	op := s.queued
	s.mu.Unlock()
	return s.waitFor(ctx, op)
}

// waitFor waits until operation op is done, and takes the failure there is by then.
func (s *simStream) waitFor(ctx context.Context, op uint64) error {
	if err := s.reach(ctx, op); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeFailure(op)
}

// reach waits until operation op is done.
func (s *simStream) reach(ctx context.Context, op uint64) error {
	s.mu.Lock()
	if op <= s.done {
		s.mu.Unlock()
		return nil
	}
	w := simWaiter{op, make(chan struct{})}
	s.waiters = append(s.waiters, w)
	s.mu.Unlock()
	var err error
	select {
	case <-w.ch:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.b.ctx.Done():
		err = errorf(ErrClosed, "wait: the device was closed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if op <= s.done {
		return nil
	}
	s.waiters = slices.DeleteFunc(s.waiters, func(x simWaiter) bool { return x == w })
	return err
}

// takeFailure returns the failure of an operation up to op that no wait has returned. It needs
// s.mu.
func (s *simStream) takeFailure(op uint64) error {
	if s.failed == nil || s.failedAt > op {
		return nil
	}
	failure := s.failed
	s.failed = nil
	return failure
}

func (s *simStream) native(func(uintptr) error) error {
	return fmt.Errorf("a simulated device has no stream of CUDA's: %w", errors.ErrUnsupported)
}
