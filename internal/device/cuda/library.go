package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/gridstride/gridstride/internal/device/dynlib"
)

// ErrNoDriver is in the chain of the error of Open when there is no usable driver on this machine.
var ErrNoDriver = errors.New("no NVIDIA driver")

// A LibraryError says that libcuda could not be loaded, and lists the searched places. It matches
// ErrNoDriver.
type LibraryError struct {
	Tried []string // library names and paths in the order tried
	Err   error    // the loader's error for the last one that exists, or for the first
}

func (e *LibraryError) Error() string {
	if len(e.Tried) == 0 {
		return fmt.Sprintf("no NVIDIA driver: %v", e.Err)
	}
	return fmt.Sprintf("no NVIDIA driver: cannot load %s: %v", strings.Join(e.Tried, ", "), e.Err)
}

// Unwrap returns ErrNoDriver and the loader's error.
func (e *LibraryError) Unwrap() []error { return []error{ErrNoDriver, e.Err} }

// A SymbolError says that the installed driver is too old for a call.
type SymbolError struct {
	Name   string // the driver function
	Needs  Version
	Driver Version // the CUDA version the driver supports
}

func (e *SymbolError) Error() string {
	return fmt.Sprintf("the driver supports CUDA %s and has no %s: a driver for CUDA %s or newer is needed", e.Driver, e.Name, e.Needs)
}

// Version is a CUDA version as the driver reports it: 1000*major + 10*minor.
type Version int

// String returns "13.0".
func (v Version) String() string { return fmt.Sprintf("%d.%d", int(v)/1000, int(v)%1000/10) }

// A proc is a driver function, looked up when first called.
type proc struct {
	name  string
	needs Version // the first CUDA version that has it
}

// library is the loaded driver library. It is never unloaded: libcuda does not support that.
type library struct {
	lookup func(symbol string) (uintptr, error)
	path   string
}

func loadLibrary() (library, error) {
	e := &LibraryError{}
	if len(libraryPaths()) == 0 {
		e.Err = fmt.Errorf("NVIDIA GPUs are not supported on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	for _, path := range libraryPaths() {
		lookup, err := dynlib.Open(path)
		if err == nil {
			return library{lookup, path}, nil
		}
		e.Tried = append(e.Tried, path)
		if e.Err == nil || !notFound(err) {
			e.Err = err
		}
	}
	return library{}, e
}

// notFound reports whether a loader's message says that the file is absent, rather than broken,
// which is worth more to a reader.
func notFound(err error) bool {
	s := err.Error()
	return strings.Contains(s, "No such file") || strings.Contains(s, "cannot find") || strings.Contains(s, "could not be found")
}
