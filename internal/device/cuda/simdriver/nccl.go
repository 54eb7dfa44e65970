//go:build linux

package simdriver

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

// NCCL is a stand-in for NCCL on the GPUs of a simulated driver, at the level of its C functions.
// Like it, a collective waits on each rank's stream for the other ranks, for ever if one does not
// come, and until an abort. It adds from the last rank to the first: not in the order of the ranks.
type NCCL struct {
	d     *driver
	table map[string]any

	mu     sync.Mutex
	addrs  map[string]uintptr
	groups map[int]*ncclGroup // by thread
	comms  map[uintptr]*ncclComm
	joined map[ncclID]*joining
	next   uintptr
	fail   map[string]int // results of calls to come
	log    []string
	texts  map[int][]byte
}

// ncclComm is the communicator of a rank.
type ncclComm struct {
	of   *clique
	rank int
	seen int // collectives so far
}

// ncclGroup is the calls between ncclGroupStart and ncclGroupEnd.
type ncclGroup struct {
	depth  int
	calls  []ncclCall
	result int
}

// ncclCall is a collective of a rank, or its half of a send.
type ncclCall struct {
	name       string
	comm       *ncclComm
	on         *stream
	src, dst   uintptr
	n          int
	kind, op   int
	root, peer int
}

// OpenWithNCCL is Open, with an NCCL for the driver's GPUs.
func OpenWithNCCL(cfg Config) (*cuda.Driver, *NCCL, error) {
	driver, d, err := openDriver(cfg)
	if err != nil {
		return nil, nil, err
	}
	n := &NCCL{
		d: d, addrs: map[string]uintptr{}, groups: map[int]*ncclGroup{}, comms: map[uintptr]*ncclComm{}, joined: map[ncclID]*joining{}, next: 0x9000,
		fail: map[string]int{}, texts: map[int][]byte{},
	}
	n.table = n.functions()
	return driver, n, nil
}

// Lookup returns the C address of a function.
func (n *NCCL) Lookup(name string) (uintptr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, ok := n.table[name]
	if !ok {
		return 0, fmt.Errorf("no %s", name)
	}
	if n.addrs[name] == 0 {
		n.addrs[name] = purego.NewCallback(f)
	}
	return n.addrs[name], nil
}

// Fail makes the next call of a function return a result. For "async" it is the next
// ncclCommGetAsyncError that finds it.
func (n *NCCL) Fail(name string, result int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fail[name] = result
}

// Calls are the calls since the last Calls, each with its communicator's rank if it has one.
func (n *NCCL) Calls() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	log := n.log
	n.log = nil
	return log
}

// Comms is how many communicators there are.
func (n *NCCL) Comms() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.comms)
}

func (n *NCCL) functions() map[string]any {
	return map[string]any{
		"ncclGetVersion":           n.getVersion,
		"ncclGetErrorString":       n.errorString,
		"ncclGetLastError":         n.lastError,
		"ncclCommInitAll":          n.initAll,
		"ncclGetUniqueId":          n.uniqueID,
		"ncclCommDestroy":          func(comm uintptr) uintptr { return n.giveUp("ncclCommDestroy", comm, false) },
		"ncclCommAbort":            func(comm uintptr) uintptr { return n.giveUp("ncclCommAbort", comm, true) },
		"ncclCommGetAsyncError":    n.asyncError,
		"ncclGroupStart":           n.groupStart,
		"ncclGroupEnd":             n.groupEnd,
		"ncclCommInitRankScalable": n.initRank,
		"ncclAllReduce": func(src, dst, count, kind, op, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclAllReduce", src: src, dst: dst, n: int(count), kind: int(kind), op: int(op)}, comm, s)
		},
		"ncclReduceScatter": func(src, dst, count, kind, op, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclReduceScatter", src: src, dst: dst, n: int(count), kind: int(kind), op: int(op)}, comm, s)
		},
		"ncclReduce": func(src, dst, count, kind, op, root, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclReduce", src: src, dst: dst, n: int(count), kind: int(kind), op: int(op), root: int(root)}, comm, s)
		},
		"ncclAllGather": func(src, dst, count, kind, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclAllGather", src: src, dst: dst, n: int(count), kind: int(kind)}, comm, s)
		},
		"ncclBroadcast": func(src, dst, count, kind, root, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclBroadcast", src: src, dst: dst, n: int(count), kind: int(kind), root: int(root)}, comm, s)
		},
		"ncclSend": func(src, count, kind, peer, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclSend", src: src, n: int(count), kind: int(kind), peer: int(peer)}, comm, s)
		},
		"ncclRecv": func(dst, count, kind, peer, comm, s uintptr) uintptr {
			return n.queue(ncclCall{name: "ncclRecv", dst: dst, n: int(count), kind: int(kind), peer: int(peer)}, comm, s)
		},
	}
}

func (n *NCCL) getVersion(to uintptr) uintptr {
	*at[int32](to) = 22809
	return 0
}

// The results of the functions.
const (
	ncclUnhandledCudaError = 1
	ncclInternalError      = 3
	ncclInvalidArgument    = 4
	ncclInvalidUsage       = 5
)

func (n *NCCL) errorString(result uintptr) uintptr {
	return n.text(int(int32(result)), "error %d of the stand-in\x00")
}

func (n *NCCL) lastError(uintptr) uintptr { return n.text(-1, "the last words\x00") }

// text is a text of C's, kept for good.
func (n *NCCL) text(key int, format string) uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.texts[key] == nil {
		text := format
		if key >= 0 {
			text = fmt.Sprintf(format, key)
		}
		n.texts[key] = []byte(text)
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(n.texts[key])))
}

// planned is the result that a test wants of this call, or 0. It needs n.mu.
func (n *NCCL) planned(name string) int {
	r := n.fail[name]
	delete(n.fail, name)
	return r
}

func (n *NCCL) initAll(to, count, list uintptr) uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = append(n.log, "ncclCommInitAll")
	if r := n.planned("ncclCommInitAll"); r != 0 {
		return uintptr(r)
	}
	devices := slices.Clone(unsafe.Slice(at[int32](list), count))
	for i, dev := range devices {
		if dev < 0 || int(dev) >= len(n.d.devices) {
			return ncclInvalidArgument
		}
		if slices.Contains(devices[:i], dev) {
			return ncclInvalidUsage
		}
	}
	of := newClique(devices)
	for rank := range devices {
		n.next += 0x10
		n.comms[n.next] = &ncclComm{of: of, rank: rank}
		unsafe.Slice(at[uintptr](to), count)[rank] = n.next
	}
	return 0
}

// giveUp ends a communicator. An abort ends what waits.
func (n *NCCL) giveUp(name string, comm uintptr, abort bool) uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.comm(comm)
	n.log = append(n.log, fmt.Sprintf("%s %d", name, c.rank))
	if abort {
		c.of.abort()
	}
	delete(n.comms, comm)
	return uintptr(n.planned(name))
}

// comm is the communicator of a handle. It needs n.mu.
func (n *NCCL) comm(handle uintptr) *ncclComm {
	c := n.comms[handle]
	if c == nil {
		panic(fmt.Sprintf("BUG: NCCL was given %#x, which is no communicator now", handle))
	}
	return c
}

func (n *NCCL) asyncError(comm, to uintptr) uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.planned("async")
	if of := n.comm(comm).of; r == 0 && of.broken() {
		r = ncclInvalidUsage
	}
	*at[int32](to) = int32(r)
	return 0
}

// group is the calling thread's. It needs n.mu.
func (n *NCCL) group() *ncclGroup {
	thread := syscall.Gettid()
	if n.groups[thread] == nil {
		n.groups[thread] = &ncclGroup{}
	}
	return n.groups[thread]
}

func (n *NCCL) groupStart() uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r := n.planned("ncclGroupStart"); r != 0 {
		return uintptr(r)
	}
	n.group().depth++
	return 0
}

func (n *NCCL) groupEnd() uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	g := n.group()
	if g.depth--; g.depth < 0 {
		g.depth = 0
		return ncclInvalidUsage
	}
	if g.depth > 0 {
		return 0
	}
	calls, r := g.calls, g.result
	delete(n.groups, syscall.Gettid())
	if r == 0 {
		r = n.planned("ncclGroupEnd")
	}
	if r == 0 {
		launch(calls)
	}
	return uintptr(r)
}

// queue takes a call into the thread's group, or launches it.
func (n *NCCL) queue(c ncclCall, comm, s uintptr) uintptr {
	on, _ := find[*stream](n.d, s)
	n.mu.Lock()
	defer n.mu.Unlock()
	c.comm, c.on = n.comm(comm), on
	n.log = append(n.log, fmt.Sprintf("%s %d", c.name, c.comm.rank))
	g, r := n.group(), n.planned(c.name)
	switch ranks := len(c.comm.of.devices); {
	case r != 0:
	case int32(on.c.dev.number) != c.comm.of.devices[c.comm.rank]:
		r = ncclUnhandledCudaError
	case c.n < 0 || c.kind < 0 || c.kind > 9 || c.op < 0 || c.op > 3 || c.root >= ranks || c.peer >= ranks:
		r = ncclInvalidArgument
	}
	if g.depth == 0 {
		if r == 0 {
			launch([]ncclCall{c})
		}
		return uintptr(r)
	}
	g.calls = append(g.calls, c)
	if r != 0 {
		g.result = r
	}
	return uintptr(r)
}
