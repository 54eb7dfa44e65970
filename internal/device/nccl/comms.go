package nccl

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Type is an ncclDataType_t.
type Type int

// The types of elements.
const (
	Int8     Type = 0
	Uint8    Type = 1
	Int32    Type = 2
	Uint32   Type = 3
	Int64    Type = 4
	Uint64   Type = 5
	Float16  Type = 6
	Float32  Type = 7
	Float64  Type = 8
	BFloat16 Type = 9
)

// Op is an ncclRedOp_t.
type Op int

// The operations.
const (
	Sum  Op = 0
	Prod Op = 1
	Max  Op = 2
	Min  Op = 3
)

// ErrAborted: the communicators were aborted.
var ErrAborted = errors.New("NCCL's communicators were aborted")

// Comms is the communicators of the ranks of a group that this process has. Any goroutine may use it.
type Comms struct {
	lib     *Library
	handles []uintptr   // by rank; 0 where another process has it
	order   *sync.Mutex // held while a group of calls is queued

	using sync.Mutex // by a group of calls, or by the end
	mu    sync.Mutex
	ended bool          // destroyed or aborted, or about to be
	gone  chan struct{} // closed when that is done
}

// InitAll makes communicators of different GPUs, one each, by the numbers by which the driver counts
// them. Rank r is devices[r].
func (l *Library) InitAll(devices []int) (*Comms, error) {
	handles, list := make([]uintptr, len(devices)), make([]int32, len(devices))
	for rank, dev := range devices {
		list[rank] = int32(dev)
	}
	l.groups.Lock()
	defer l.groups.Unlock()
	err := l.locked(func() error {
		return l.call("ncclCommInitAll", uintptr(unsafe.Pointer(unsafe.SliceData(handles))), uintptr(len(handles)), uintptr(unsafe.Pointer(unsafe.SliceData(list))))
	})
	if err != nil {
		return nil, l.explain(err, 0)
	}
	return &Comms{lib: l, handles: handles, order: &l.groups, gone: make(chan struct{})}, nil
}

// IDSize is the size of an ncclUniqueId in bytes.
const IDSize = 128

// needForJoin is the first function that older libraries lack. ncclCommInitRank itself takes the id
// by value, more bytes than a call without cgo can push.
const needForJoin = "ncclCommInitRankScalable"

// CanJoin reports, as an error, why the library cannot have a rank a process: it is older than 2.23.
func (l *Library) CanJoin() error {
	_, err := l.address(needForJoin)
	return err
}

// UniqueID is a new id, by which the ranks of a group find each other. One rank asks for it and
// gives it to the others.
func (l *Library) UniqueID() (id [IDSize]byte, err error) {
	err = l.locked(func() error { return l.call("ncclGetUniqueId", uintptr(unsafe.Pointer(&id))) })
	return id, l.explain(err, 0)
}

// Join makes the communicator of one rank, on the GPU whose context is current on the calling
// thread, and waits for the other ranks, which are of other processes and have the same id. The first
// collective waits for them again, so that its group of calls holds up no other communicator's.
func (l *Library) Join(id [IDSize]byte, rank, ranks int) (*Comms, error) {
	handles := make([]uintptr, ranks)
	err := l.call(needForJoin, uintptr(unsafe.Pointer(&handles[rank])), uintptr(ranks), uintptr(rank), 1, uintptr(unsafe.Pointer(&id)), 0)
	if err != nil {
		return nil, l.explain(err, 0)
	}
	return &Comms{lib: l, handles: handles, order: new(sync.Mutex), gone: make(chan struct{})}, nil
}

// locked calls f on one OS thread.
func (l *Library) locked(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f()
}

// explain adds NCCL's words for its last error.
func (l *Library) explain(err error, comm uintptr) error {
	if e, ok := errors.AsType[*Error](err); ok {
		if last := l.last(comm); last != "" {
			e.Detail += ": " + last
		}
	}
	return err
}

// Group queues the collectives that calls queues as one: what they make the GPUs do begins when all
// of them are queued. If one is refused, none runs.
func (c *Comms) Group(calls func() error) error {
	c.using.Lock()
	defer c.using.Unlock()
	if c.isEnded() {
		return ErrAborted
	}
	c.order.Lock()
	defer c.order.Unlock()
	return c.lib.locked(func() error {
		if err := c.lib.call("ncclGroupStart"); err != nil {
			return c.lib.explain(err, c.first())
		}
		failed := calls()
		ended := c.lib.call("ncclGroupEnd") // also after a failure: it closes the group
		if failed != nil {
			return c.lib.explain(failed, c.first())
		}
		return c.lib.explain(ended, c.first())
	})
}

// first is one of the communicators.
func (c *Comms) first() uintptr {
	return c.handles[slices.IndexFunc(c.handles, func(h uintptr) bool { return h != 0 })]
}

// AllReduce queues rank's part of an all-reduce of n elements, on its stream. It and the calls below
// are for calls inside of Group.
func (c *Comms) AllReduce(rank int, dst, src uintptr, n int, t Type, op Op, stream uintptr) error {
	return c.lib.call("ncclAllReduce", src, dst, uintptr(n), uintptr(t), uintptr(op), c.handles[rank], stream)
}

// ReduceScatter queues rank's part of a reduce-scatter, where each rank gets n elements.
func (c *Comms) ReduceScatter(rank int, dst, src uintptr, n int, t Type, op Op, stream uintptr) error {
	return c.lib.call("ncclReduceScatter", src, dst, uintptr(n), uintptr(t), uintptr(op), c.handles[rank], stream)
}

// Reduce queues rank's part of a reduction of n elements to root. Only root needs a dst.
func (c *Comms) Reduce(rank int, dst, src uintptr, n int, t Type, op Op, root int, stream uintptr) error {
	return c.lib.call("ncclReduce", src, dst, uintptr(n), uintptr(t), uintptr(op), uintptr(root), c.handles[rank], stream)
}

// AllGather queues rank's part of a gather, where each rank gives n bytes.
func (c *Comms) AllGather(rank int, dst, src uintptr, n int, stream uintptr) error {
	return c.lib.call("ncclAllGather", src, dst, uintptr(n), uintptr(Uint8), c.handles[rank], stream)
}

// Broadcast queues rank's part of a broadcast of root's n bytes.
func (c *Comms) Broadcast(rank int, dst, src uintptr, n, root int, stream uintptr) error {
	return c.lib.call("ncclBroadcast", src, dst, uintptr(n), uintptr(Uint8), uintptr(root), c.handles[rank], stream)
}

// Send queues that rank sends n bytes to peer, which receives them in the same group.
func (c *Comms) Send(rank int, src uintptr, n, peer int, stream uintptr) error {
	return c.lib.call("ncclSend", src, uintptr(n), uintptr(Uint8), uintptr(peer), c.handles[rank], stream)
}

// Recv queues that rank receives n bytes from peer.
func (c *Comms) Recv(rank int, dst uintptr, n, peer int, stream uintptr) error {
	return c.lib.call("ncclRecv", dst, uintptr(n), uintptr(Uint8), uintptr(peer), c.handles[rank], stream)
}

// Failed is the error that NCCL has found since on one of the ranks, or nil. It does not wait.
func (c *Comms) Failed() error {
	if !c.using.TryLock() { // by a call that will return the error
		return nil
	}
	defer c.using.Unlock()
	if c.isEnded() {
		return nil
	}
	for rank, h := range c.handles {
		if h == 0 {
			continue
		}
		var r int32
		if err := c.lib.call("ncclCommGetAsyncError", h, uintptr(unsafe.Pointer(&r))); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		if found := Result(r); found != Success && found != InProgress {
			return fmt.Errorf("rank %d: %w", rank, &Error{Call: "ncclCommGetAsyncError", Result: found, Detail: c.lib.last(h)})
		}
	}
	return nil
}

// Destroy gives the communicators back. All that they have queued has run.
func (c *Comms) Destroy() error {
	c.using.Lock()
	defer c.using.Unlock()
	if !c.end() {
		return nil
	}
	defer close(c.gone)
	return c.each("ncclCommDestroy")
}

// Abort ends what the communicators have queued, wherever it is, and gives them back: kernels that
// wait for another rank stop. Group refuses afterwards. A call that is inside NCCL is given limit to
// return, and NCCL is given limit to abort. The error says that it has not by then. A second Abort
// waits for the first, or for Destroy.
func (c *Comms) Abort(limit time.Duration) error {
	if c.end() {
		go c.abort(limit)
	}
	select {
	case <-c.gone:
		return nil
	case <-time.After(2 * limit):
		return fmt.Errorf("ncclCommAbort has not returned in %v", limit)
	}
}

func (c *Comms) abort(limit time.Duration) {
	defer close(c.gone)
	for deadline := time.Now().Add(limit); !c.using.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // a call waits in NCCL, and an abort ends it
			_ = c.each("ncclCommAbort")
			return
		}
	}
	defer c.using.Unlock()
	_ = c.each("ncclCommAbort")
}

// each calls a function with each communicator, at the same time: one may wait for another.
func (c *Comms) each(name string) error {
	errs := make([]error, len(c.handles))
	var wg sync.WaitGroup
	for rank, h := range c.handles {
		if h == 0 {
			continue
		}
		wg.Go(func() {
			if err := c.lib.locked(func() error { return c.lib.call(name, h) }); err != nil {
				errs[rank] = fmt.Errorf("rank %d: %w", rank, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// end notes the end, and reports whether it is the first.
func (c *Comms) end() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.ended
	c.ended = true
	return first
}

func (c *Comms) isEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}
