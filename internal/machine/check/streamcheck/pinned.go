package streamcheck

import (
	"bytes"
	"slices"
	"sync"
	"unsafe"
)

// A copy between pinned memory and a device runs at some time between the call that queues it and
// the wait of the host for it. Until then the memory belongs to the copy. Go tells nobody of an
// access to a slice, so what is found is a change: the bytes are compared with those that the copy
// was queued with, or has left, when the host has waited for it, and before another copy changes
// them.

// pinned are the copies that the host has not waited for.
var pinned struct {
	sync.Mutex
	copies []*PinnedCopy
}

// PinnedCopy is a copy between pinned memory and a device.
type PinnedCopy struct {
	op      *Op
	mem     []byte
	toHost  bool
	want    []byte // what mem holds unless the host changes it; nil where another copy is to change it
	touched func(*Op)
}

// Pin tells that a copy from or to pinned memory was queued. touched is called, once at most, when
// the host is found to have changed the memory.
func Pin(op *Op, mem []byte, toHost bool, touched func(*Op)) *PinnedCopy {
	c := &PinnedCopy{op: op, mem: mem, toHost: toHost, touched: touched}
	pinned.Lock()
	defer pinned.Unlock()
	changes := false
	for _, o := range pinned.copies {
		changes = changes || o.toHost && o.overlaps(c)
	}
	if !changes {
		settle(func(o *PinnedCopy) bool { return o.overlaps(c) && op.behind(o.op) && len(o.mem) == len(mem) })
		c.want = bytes.Clone(mem)
	}
	pinned.copies = append(pinned.copies, c)
	return c
}

// ToHost runs a copy to the host: write writes the memory.
func (c *PinnedCopy) ToHost(write func()) {
	pinned.Lock()
	c.check()
	settle(func(o *PinnedCopy) bool { return o != c && o.overlaps(c) })
	pinned.Unlock()
	write()
	pinned.Lock()
	defer pinned.Unlock()
	c.want = bytes.Clone(c.mem)
}

// HostRan tells that a function of the host has run in the order of a stream. It may have changed
// the memory of copies that are ordered after it.
func HostRan(op *Op) {
	if op == nil {
		return
	}
	pinned.Lock()
	defer pinned.Unlock()
	for _, c := range pinned.copies {
		if c.op.behind(op) {
			c.want = nil
		}
	}
}

// settle compares the memory of some copies for the last time. It needs the lock.
func settle(which func(*PinnedCopy) bool) {
	pinned.copies = slices.DeleteFunc(pinned.copies, func(o *PinnedCopy) bool {
		if !which(o) {
			return false
		}
		o.check()
		return true
	})
}

// check compares the memory with what it should hold.
func (c *PinnedCopy) check() {
	if c.want != nil && !bytes.Equal(c.mem, c.want) {
		c.touched(c.op)
	}
	c.want = nil
}

// overlaps reports whether two copies have pinned memory in common.
func (c *PinnedCopy) overlaps(o *PinnedCopy) bool {
	a, b := start(c.mem), start(o.mem)
	return a < b+uintptr(len(o.mem)) && b < a+uintptr(len(c.mem))
}

func start(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// settlePinned compares the memory of the copies that the host knows to have run.
func settlePinned(host Clock) {
	pinned.Lock()
	defer pinned.Unlock()
	settle(func(o *PinnedCopy) bool { return host.covers(o.op.stream, o.op.number) })
}
