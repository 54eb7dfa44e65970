package nccl

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// recorder is an NCCL that records the arguments of its calls. Ranks look functions up and call them
// at the same time.
type recorder struct {
	mu    sync.Mutex
	names []string
	log   [][]uintptr
	addrs map[string]uintptr
	lacks string
}

func (r *recorder) lookup(symbol string) (uintptr, error) {
	if symbol == r.lacks {
		return 0, errors.New("undefined symbol")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.addrs[symbol] == 0 {
		r.addrs[symbol] = purego.NewCallback(func(a0, a1, a2, a3, a4, a5, a6, a7 uintptr) uintptr {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.names, r.log = append(r.names, symbol), append(r.log, []uintptr{a0, a1, a2, a3, a4, a5, a6, a7})
			switch symbol {
			case "ncclGetErrorString", "ncclGetLastError":
				return 0
			case "ncclGetVersion":
				*(*int32)(*(*unsafe.Pointer)(unsafe.Pointer(&a0))) = 2804
			case "ncclCommInitAll":
				to := unsafe.Slice((*uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&a0))), a1)
				list := unsafe.Slice((*int32)(*(*unsafe.Pointer)(unsafe.Pointer(&a2))), a1)
				for i := range to {
					to[i] = 0x100 + uintptr(list[i])
				}
			}
			return 0
		})
	}
	return r.addrs[symbol], nil
}

// TestCalls holds the calls to the argument lists of nccl.h.
func TestCalls(t *testing.T) {
	r := &recorder{addrs: map[string]uintptr{}}
	l := StandIn(r.lookup)
	if v, err := l.Version(); v != "2.8.4" || err != nil {
		t.Errorf("version %q, %v", v, err)
	}
	c, err := l.InitAll([]int{6, 5})
	if err != nil {
		t.Fatal(err)
	}
	r.names, r.log = nil, nil
	const dst, src, stream, comm = 0xd, 0x5, 0x57, 0x105
	err = c.Group(func() error {
		return errors.Join(
			c.AllReduce(1, dst, src, 9, Float32, Max, stream), c.ReduceScatter(1, dst, src, 9, Int64, Prod, stream),
			c.Reduce(1, dst, src, 9, BFloat16, Min, 3, stream), c.AllGather(1, dst, src, 9, stream),
			c.Broadcast(1, dst, src, 9, 3, stream), c.Send(1, src, 9, 4, stream), c.Recv(1, dst, 9, 4, stream),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name string
		args []uintptr
	}{
		{"ncclGroupStart", nil},
		{"ncclAllReduce", []uintptr{src, dst, 9, 7, 2, comm, stream}},
		{"ncclReduceScatter", []uintptr{src, dst, 9, 4, 1, comm, stream}},
		{"ncclReduce", []uintptr{src, dst, 9, 9, 3, 3, comm, stream}},
		{"ncclAllGather", []uintptr{src, dst, 9, 1, comm, stream}},
		{"ncclBroadcast", []uintptr{src, dst, 9, 1, 3, comm, stream}},
		{"ncclSend", []uintptr{src, 9, 1, 4, comm, stream}},
		{"ncclRecv", []uintptr{dst, 9, 1, 4, comm, stream}},
		{"ncclGroupEnd", nil},
	}
	for i, w := range want {
		if r.names[i] != w.name || !slices.Equal(r.log[i][:len(w.args)], w.args) {
			t.Errorf("%s%#x, want %s%#x", r.names[i], r.log[i], w.name, w.args)
		}
	}
	if err := c.Destroy(); err != nil || len(r.names) != len(want)+2 {
		t.Errorf("%v after %v", err, r.names)
	}
	if err := errors.Join(c.Destroy(), c.Abort(time.Second), c.Failed()); err != nil || len(r.names) != len(want)+2 {
		t.Errorf("%v after %v", err, r.names)
	}
	if err := c.Group(func() error { return nil }); !errors.Is(err, ErrAborted) {
		t.Errorf("a group of calls after the end: %v", err)
	}
}

// TestMissing: a function that the library lacks is named.
func TestMissing(t *testing.T) {
	l := StandIn((&recorder{addrs: map[string]uintptr{}, lacks: "ncclGetVersion"}).lookup)
	if _, err := l.Version(); err == nil || err.Error() != "NCCL (a stand-in) has no ncclGetVersion: undefined symbol" {
		t.Errorf("%v", err)
	}
}

// TestCandidates: the loader's own search goes first, then what is installed.
func TestCandidates(t *testing.T) {
	got := candidates(func(k string) string { return map[string]string{"VIRTUAL_ENV": "/venv"}[k] }, func(pattern string) []string {
		if strings.HasPrefix(pattern, "/venv/") && strings.Contains(pattern, "site-packages/nvidia/*/lib/") {
			return []string{strings.Replace(strings.Replace(pattern, "python3*", "python3.12", 1), "*", "nccl", 1)}
		}
		return nil
	})
	if want := []string{"libnccl.so.2", "/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestResults(t *testing.T) {
	err := error(&Error{Call: "ncclSend", Result: InvalidUsage, Detail: "why"})
	if err.Error() != "ncclSend: ncclInvalidUsage: why" || !errors.Is(err, InvalidUsage) || errors.Is(err, RemoteError) {
		t.Errorf("%v", err)
	}
	if s := (&Error{Call: "ncclSend", Result: 77}).Error(); s != "ncclSend: ncclResult_t 77" {
		t.Errorf("%q", s)
	}
}
