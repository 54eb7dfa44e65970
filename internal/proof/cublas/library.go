package cublas

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/gridstride/gridstride/internal/device/dynlib"
)

// PathEnv is the environment variable that names the library's file if it is in no usual folder.
const PathEnv = "GRIDSTRIDE_CUBLAS"

// ErrNotFound: there is no cuBLAS in any of the usual places.
var ErrNotFound = errors.New("cuBLAS is not found; GRIDSTRIDE_CUBLAS can name its library")

// Library is a loaded cuBLAS. It is never unloaded. Any goroutine may use it.
type Library struct {
	path   string
	lookup func(symbol string) (uintptr, error)
	addrs  sync.Map // of name to address
}

// Load finds and loads the library, once a process: the one that GRIDSTRIDE_CUBLAS names, else by
// the loader's own search, in CUDA's usual folder and among Python's packages, the newest version
// first.
//
// Errors: ErrNotFound, or what the loader says of a library that is there.
func Load() (*Library, error) { return load() }

var load = sync.OnceValues(func() (*Library, error) {
	if path := os.Getenv(PathEnv); path != "" {
		lookup, err := dynlib.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", PathEnv, path, err)
		}
		return &Library{path: path, lookup: lookup}, nil
	}
	return first(candidates(runtime.GOOS, os.Getenv, dynlib.Glob))
})

// first loads the first library that can be.
func first(paths []string) (*Library, error) {
	lookup, path, err := dynlib.First(paths)
	if errors.Is(err, dynlib.ErrNone) {
		return nil, ErrNotFound
	} else if err != nil {
		return nil, err
	}
	return &Library{path: path, lookup: lookup}, nil
}

// StandIn is a library whose functions are found by lookup, for tests.
func StandIn(lookup func(symbol string) (uintptr, error)) *Library {
	return &Library{path: "a stand-in", lookup: lookup}
}

// Path is where the library was found.
func (l *Library) Path() string { return l.path }

// versions are the major versions of cuBLAS whose calls are bound here, the newest first.
var versions = []string{"13", "12", "11"}

// candidates are the names and paths to try, in their order. On Windows they are in the folder that
// CUDA's installer names in CUDA_PATH: a bare name would find any program's library.
func candidates(system string, getenv func(string) string, glob func(pattern string) []string) (paths []string) {
	if system == "windows" {
		for _, v := range versions {
			for _, dir := range []string{"bin/x64", "bin"} { // the first one from CUDA 13 on
				if cuda := getenv("CUDA_PATH"); cuda != "" {
					paths = append(paths, filepath.Join(cuda, dir, "cublas64_"+v+".dll"))
				}
			}
		}
		return paths
	}
	for _, v := range versions {
		paths = append(paths, "libcublas.so."+v)
	}
	for _, v := range versions {
		paths = append(paths, dynlib.Installed("libcublas.so."+v, getenv, glob)...)
	}
	return paths
}

// Status is a cublasStatus_t that is no success.
type Status int

// StatusNotSupported is the status of a product whose types, sizes or places cuBLAS does not take.
const StatusNotSupported Status = 15

// statusNames are the names of the manual, section cublasStatus_t.
var statusNames = map[Status]string{
	1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE", 8: "CUBLAS_STATUS_ARCH_MISMATCH",
	11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR", StatusNotSupported: "CUBLAS_STATUS_NOT_SUPPORTED",
}

func (s Status) Error() string {
	if name := statusNames[s]; name != "" {
		return name
	}
	return fmt.Sprintf("cublasStatus_t %d", int(s))
}

// call calls a function that returns a cublasStatus_t.
//
//go:uintptrescapes
func (l *Library) call(name string, args ...uintptr) error {
	addr, ok := l.addrs.Load(name)
	if !ok {
		found, err := l.lookup(name)
		if err != nil {
			return fmt.Errorf("cuBLAS (%s) has no %s: %w", l.path, name, err)
		}
		addr, _ = l.addrs.LoadOrStore(name, found)
	}
	if r, _, _ := purego.SyscallN(addr.(uintptr), args...); r != 0 {
		return fmt.Errorf("%s: %w", name, Status(int32(r)))
	}
	return nil
}
