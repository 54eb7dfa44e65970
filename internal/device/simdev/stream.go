package simdev

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/machine/check/streamcheck"
	"github.com/gridstride/gridstride/internal/machine/sim"
)

// stream is a queue as the checks see it: a graph's branches are further lines, which go through
// the queue that the graph is launched on.
type stream struct {
	*worked
	// line is the stream for the checks, nil where nothing compares the operations of streams.
	line *streamcheck.Stream
	at   *device.Caller // of a node of a graph, the call that made it
}

// worked is a queue worked off by a goroutine that lives only while there is work.
type worked struct {
	b     *Backend
	fault uint64 // address of the fault record
	print printer
	work  func()    // s.run, bound once, so that starting it allocates nothing
	now   operation // the operation that the worker runs

	mu      sync.Mutex
	ops     queue
	working bool
	queued  uint64 // number of the last operation queued; they count from 1
	done    uint64 // number of the last operation done
	waiters []waiter
	// failed is the first failure that no wait has returned yet, of operation failedAt.
	failed   error
	failedAt uint64
}

// waiter is a wait for an operation. ch is closed when it is done.
type waiter struct {
	op uint64
	ch chan struct{}
}

func newStream(b *Backend) (*stream, error) {
	record, err := b.Alloc(abi.FaultSize)
	if err != nil {
		return nil, err
	}
	s := &stream{worked: &worked{b: b, fault: record}}
	s.work = s.run
	if b.checks != nil && b.checks.Ordered() {
		s.line = streamcheck.NewStream()
	}
	return s, b.change(record, abi.FaultSize, func(mem []byte) { clear(mem) })
}

// Launch implements device.Stream.
func (s *stream) Launch(l device.Launch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := operation{entry: s.b.kernels.At(l.Kernel.ID).entry, launch: l}
	if s.b.checks != nil {
		from := s.from()
		op.from = from.String()
		if op.checked = s.queueOp("launch of " + l.Kernel.Name); op.checked != nil {
			s.b.checks.Queued(op.checked)
		}
	}
	o, err := s.push(op)
	s.print.queued = s.print.queued || l.Kernel.Prints
	if err == nil && l.Kernel.FaultAt >= 0 {
		binary.LittleEndian.PutUint64(o.launch.Params[l.Kernel.FaultAt:], s.fault)
	}
	return err
}

// push queues an operation and sees that a worker is at it. It needs s.mu.
func (s *stream) push(o operation) (*operation, error) {
	if !s.working && !s.b.startWorker(s.work) {
		return nil, device.Errorf(device.ErrClosed, "the device is closed")
	}
	s.working = true
	s.queued++
	return s.ops.push(o), nil
}

// enqueue queues a call and returns its number.
func (s *stream) enqueue(call func()) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.push(operation{call: always(call)})
	return s.queued, err
}

// always is f as an operation that comes to its end.
func always(f func()) func() bool {
	return func() bool {
		f()
		return true
	}
}

// run works the queue off, until it is empty or the device is closed. The unlock is not deferred:
// an operation runs without the lock, and a panic in it is to end the program with its own message.
func (s *stream) run() {
	defer s.b.workers.Done()
	s.mu.Lock()
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
	s.now = operation{}
	s.working = false
	s.mu.Unlock()
}

// execute runs an operation. It reports false when the device was closed before the operation had
// come to its end.
func (s *stream) execute(o *operation) (failure *device.Failure, ended bool) {
	if o.entry == nil {
		return nil, o.call()
	}
	err := s.launchNow(o)
	failure = s.takeRecord(o.launch.Kernel)
	switch {
	case err == nil || failure != nil:
		return failure, true
	case s.b.ctx.Err() != nil:
		return nil, false
	}
	return failureOf(o.launch.Kernel, o.entry, err), true
}

// launchNow runs a launch, under the device's checks if it has any.
func (s *stream) launchNow(o *operation) error {
	l := sim.Launch{
		Grid: o.launch.Grid, Block: o.launch.Block, Cluster: o.launch.Cluster, Shared: o.launch.Shared, Params: o.launch.Params, Output: s.b.printer,
	}
	if o.launch.Kernel.Prints {
		if err := s.prepare(o.launch.Kernel); err != nil {
			return fmt.Errorf("no buffer for what it prints: %w", err)
		}
	}
	machine := s.b.machine.Load()
	if s.b.checks != nil {
		if o.checked != nil {
			defer s.b.checks.Ran(o.checked)
		}
		return s.b.checks.Launch(s.b.ctx, machine, o.entry, l, o.launch.Kernel.Name, o.from, o.checked)
	}
	if s.b.timeLimit <= 0 {
		_, err := machine.Launch(s.b.ctx, o.entry, l)
		return err
	}
	ctx, cancel := sim.WithTimeLimit(s.b.ctx, s.b.timeLimit)
	defer cancel()
	_, err := machine.Launch(ctx, o.entry, l)
	return err
}

// takeRecord reads the fault record that kernel k may have written, and resets it.
func (s *stream) takeRecord(k *device.Kernel) *device.Failure {
	if k.FaultAt < 0 {
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
	return k.Failure(r, s.b.text(r.Msg))
}

// finish ends the operation in progress and wakes those who wait for it. It needs s.mu.
func (s *stream) finish(failure *device.Failure) {
	s.ops.pop()
	s.done++
	if failure != nil && s.failed == nil {
		s.failed, s.failedAt = s.b.hostError(failure), s.done
	}
	s.waiters = slices.DeleteFunc(s.waiters, func(w waiter) bool {
		if w.op > s.done {
			return false
		}
		close(w.ch)
		return true
	})
}

// Wait implements device.Stream.
func (s *stream) Wait(ctx context.Context) error {
	defer s.endWait(ctx)
	op, point := s.beginWait()
	return s.waitFor(ctx, op, point)
}

// beginWait has the lines of kernels taken, and returns the last operation queued, and the point
// that is reached with it.
func (s *stream) beginWait() (op uint64, point streamcheck.Clock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeLines()
	return s.queued, s.point()
}

// waitFor waits until operation op is done, which is the point that the host has then reached, and
// takes the failure there is by then.
func (s *stream) waitFor(ctx context.Context, op uint64, point streamcheck.Clock) error {
	if err := s.reach(ctx, op); err != nil {
		return err
	}
	streamcheck.Reached(point)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeFailure(op)
}

// reach waits until operation op is done.
func (s *stream) reach(ctx context.Context, op uint64) error {
	s.mu.Lock()
	if op <= s.done {
		s.mu.Unlock()
		return nil
	}
	w := waiter{op, make(chan struct{})}
	s.waiters = append(s.waiters, w)
	s.mu.Unlock()
	var err error
	select {
	case <-w.ch:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.b.ctx.Done():
		err = device.Errorf(device.ErrClosed, "wait: the device was closed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if op <= s.done {
		return nil
	}
	s.waiters = slices.DeleteFunc(s.waiters, func(x waiter) bool { return x == w })
	return err
}

// over waits until operation op is done, or will never be, since the stream's device is closed. It
// reports whether that was before ctx ended.
func (s *stream) over(ctx context.Context, op uint64) bool {
	if s.reach(ctx, op) == nil {
		return true
	}
	select {
	case <-s.b.gone:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// hasFailed reports whether a failure waits to be returned.
func (s *stream) hasFailed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil
}

// takeFailure returns the failure of an operation up to op that no wait has returned. It needs
// s.mu.
func (s *stream) takeFailure(op uint64) error {
	if s.failed == nil || s.failedAt > op {
		return nil
	}
	failure := s.failed
	s.failed = nil
	return failure
}

// HostFunc implements device.Stream.
func (s *stream) HostFunc(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	op, point := s.queueOp("host function"), s.point()
	_, err := s.push(operation{call: always(func() {
		streamcheck.Reached(point) // f may tell the program
		f()
		streamcheck.HostRan(op)
	})})
	return err
}

// Native implements device.Stream.
func (s *stream) Native(func(uintptr) error) error {
	return fmt.Errorf("a simulated device has no stream of CUDA's: %w", errors.ErrUnsupported)
}
