// Package mpfr binds MPFR, the library of correctly rounded arithmetic in any precision, which the
// accuracy of mathematics is measured with. It loads the library without cgo where one is found
// (Load). Functions have MPFR's own names and meaning, without the "mpfr_":
// https://www.mpfr.org/mpfr-current/mpfr.html.
package mpfr

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/gridstride/gridstride/internal/device/dynlib"
)

// ErrNotFound: there is no MPFR where the loader looks.
var ErrNotFound = errors.New("MPFR is not found; Debian has it in libmpfr6, and GRIDSTRIDE_MPFR may say which file it is")

// Library is a loaded MPFR. It is never unloaded. Any goroutine may use it.
type Library struct {
	lookup func(symbol string) (uintptr, error)
}

// Load finds and loads the library, once a process. The environment variable GRIDSTRIDE_MPFR is the
// path of its file if the loader would not find it. libgmp.so.10 may be in the same folder.
//
// Errors: ErrNotFound.
func Load() (*Library, error) { return load() }

var load = sync.OnceValues(func() (*Library, error) {
	// Number has the layout of an mpfr_t where a C long has 64 bits.
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return nil, ErrNotFound
	}
	path := os.Getenv("GRIDSTRIDE_MPFR")
	if path == "" {
		path = "libmpfr.so.6"
	} else {
		// MPFR needs GMP by its name, which is known once GMP is loaded from anywhere.
		_, _ = dynlib.Open(filepath.Join(filepath.Dir(path), "libgmp.so.10"))
	}
	lookup, err := dynlib.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return &Library{lookup}, nil
})

// Version is MPFR's version.
func (l *Library) Version() string {
	address, err := l.lookup("mpfr_get_version")
	if err != nil {
		return "unknown"
	}
	var version func() string
	purego.RegisterFunc(&version, address)
	return version()
}

// nearest is MPFR's rounding to nearest, ties to even.
const nearest = 0

// Unary is a function of one number, such as "exp": it sets z to the value for x, correctly rounded
// to Precision bits. A Number is for one goroutine at a time.
//
// Errors: this version of MPFR has no function of that name.
func (l *Library) Unary(name string) (func(z, x *Number), error) {
	address, err := l.lookup("mpfr_" + name)
	if err != nil {
		return nil, err
	}
	return func(z, x *Number) {
		purego.SyscallN(address, uintptr(unsafe.Pointer(z)), uintptr(unsafe.Pointer(x)), nearest)
	}, nil
}

// Binary is a function of two numbers, such as "pow" or "add".
//
// Errors: as Unary.
func (l *Library) Binary(name string) (func(z, x, y *Number), error) {
	address, err := l.lookup("mpfr_" + name)
	if err != nil {
		return nil, err
	}
	return func(z, x, y *Number) {
		purego.SyscallN(address, uintptr(unsafe.Pointer(z)), uintptr(unsafe.Pointer(x)), uintptr(unsafe.Pointer(y)), nearest)
	}, nil
}

// OfInteger is a function of an integer and a number, such as "jn".
//
// Errors: as Unary.
func (l *Library) OfInteger(name string) (func(z *Number, n int, x *Number), error) {
	address, err := l.lookup("mpfr_" + name)
	if err != nil {
		return nil, err
	}
	return func(z *Number, n int, x *Number) {
		purego.SyscallN(address, uintptr(unsafe.Pointer(z)), uintptr(n), uintptr(unsafe.Pointer(x)), nearest)
	}, nil
}

// Lgamma is the function lgamma, which gives the sign of the gamma function as well.
//
// Errors: as Unary.
func (l *Library) Lgamma() (func(z, x *Number) (sign int), error) {
	address, err := l.lookup("mpfr_lgamma")
	if err != nil {
		return nil, err
	}
	return func(z, x *Number) int {
		sign := new(int32)
		purego.SyscallN(address, uintptr(unsafe.Pointer(z)), uintptr(unsafe.Pointer(sign)), uintptr(unsafe.Pointer(x)), nearest)
		return int(*sign)
	}, nil
}
