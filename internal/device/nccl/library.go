package nccl

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/dynlib"
)

// PathEnv is the environment variable that names the library's file if it is in no usual folder.
const PathEnv = "GRIDSTRIDE_NCCL"

// ErrNotFound: there is no NCCL in any of the usual places.
var ErrNotFound = errors.New("NCCL is not found; " + PathEnv + " can name its library")

// Library is a loaded NCCL. It is never unloaded. Any goroutine may use it.
type Library struct {
	path   string
	lookup func(symbol string) (uintptr, error)
	addrs  sync.Map // of name to address
	groups sync.Mutex
}

// Load finds and loads the library, once a process: the one that GRIDSTRIDE_NCCL names, else by the
// loader's own search, in CUDA's usual folder and among Python's packages. Multicast over NVLink is
// switched off, by NCCL_NVLS_ENABLE=0 in the environment of the process, unless that is set.
//
// Errors: ErrNotFound, or what the loader says of a library that is there.
func Load() (*Library, error) {
	if l := standIn.Load(); l != nil {
		return l, nil
	}
	return load()
}

var load = sync.OnceValues(func() (*Library, error) {
	if !callable {
		return nil, ErrNotFound
	}
	if _, set := os.LookupEnv("NCCL_NVLS_ENABLE"); !set {
		if err := os.Setenv("NCCL_NVLS_ENABLE", "0"); err != nil {
			return nil, err
		}
	}
	if path := os.Getenv(PathEnv); path != "" {
		lookup, err := dynlib.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", PathEnv, path, err)
		}
		return &Library{path: path, lookup: lookup}, nil
	}
	lookup, path, err := dynlib.First(candidates(os.Getenv, dynlib.Glob))
	if errors.Is(err, dynlib.ErrNone) {
		return nil, ErrNotFound
	} else if err != nil {
		return nil, err
	}
	return &Library{path: path, lookup: lookup}, nil
})

// candidates are the names and paths to try, in their order.
func candidates(getenv func(string) string, glob func(pattern string) []string) []string {
	const name = "libnccl.so.2"
	return append([]string{name}, dynlib.Installed(name, getenv, glob)...)
}

// standIn is the library that Load returns in tests.
var standIn atomic.Pointer[Library]

// UseStandIn makes Load return l from now on, and NCCL itself again where l is nil. It is for tests.
func UseStandIn(l *Library) { standIn.Store(l) }

// StandIn is a library whose functions are found by lookup, for tests.
func StandIn(lookup func(symbol string) (uintptr, error)) *Library {
	return &Library{path: "a stand-in", lookup: lookup}
}

// Path is where the library was found.
func (l *Library) Path() string { return l.path }

// Version is the version of the library, "2.28.9".
func (l *Library) Version() (string, error) {
	var v int32
	if err := l.call("ncclGetVersion", uintptr(unsafe.Pointer(&v))); err != nil {
		return "", err
	}
	if v < 10000 { // NCCL before 2.9 counts otherwise
		return fmt.Sprintf("%d.%d.%d", v/1000, v%1000/100, v%100), nil
	}
	return fmt.Sprintf("%d.%d.%d", v/10000, v%10000/100, v%100), nil
}

// address is the address of a function.
func (l *Library) address(name string) (uintptr, error) {
	addr, ok := l.addrs.Load(name)
	if !ok {
		found, err := l.lookup(name)
		if err != nil {
			return 0, fmt.Errorf("NCCL (%s) has no %s: %w", l.path, name, err)
		}
		addr, _ = l.addrs.LoadOrStore(name, found)
	}
	return addr.(uintptr), nil
}

// call calls a function that returns an ncclResult_t.
//
//go:uintptrescapes
func (l *Library) call(name string, args ...uintptr) error {
	addr, err := l.address(name)
	if err != nil {
		return err
	}
	if r := Result(int32(syscallN(addr, args...))); r != Success {
		return &Error{Call: name, Result: r, Detail: l.text(r)}
	}
	return nil
}

// text is NCCL's own words for a result.
func (l *Library) text(r Result) string { return l.said("ncclGetErrorString", uintptr(r)) }

// last is NCCL's own words for the last error of a communicator, or of the process where comm is 0.
// It is empty where NCCL has none, as before 2.13.
func (l *Library) last(comm uintptr) string { return l.said("ncclGetLastError", comm) }

// said is the text that a function returns, or nothing if there is no such function.
func (l *Library) said(name string, arg uintptr) string {
	addr, err := l.address(name)
	if err != nil {
		return ""
	}
	return cString(syscallN(addr, arg))
}

// cString is the text at an address of C's, of 1,000 bytes at most.
func cString(addr uintptr) string {
	if addr == 0 {
		return ""
	}
	start := *(**byte)(unsafe.Pointer(&addr))
	n := 0
	for n < 1000 && *(*byte)(unsafe.Add(unsafe.Pointer(start), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(start, n))
}
