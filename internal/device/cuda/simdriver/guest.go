//go:build linux

package simdriver

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
)

// Guest is the simulated driver as any program calls it, function by function. A library with
// the driver's C functions calls it. All its methods may be called from any thread.
type Guest struct {
	d       *driver
	calls   []call // by the numbers of driverapi.Functions
	missing []atomic.Bool
	// address is where a function of the library is in the process, for cuGetProcAddress.
	address func(function int) uintptr
}

// call is a function with its arguments in an array. It is nil for what is not simulated.
type call func(a *[driverapi.MaxArgs]uintptr) uintptr

// NewGuest makes a driver for a program. address returns the C address of the function of a number.
func NewGuest(cfg Config, address func(function int) uintptr) *Guest {
	cfg.guest = true
	g := &Guest{d: newDriver(cfg), address: address, missing: make([]atomic.Bool, len(driverapi.Functions()))}
	g.d.table["cuGetProcAddress"] = func(symbol, to, version, flags uintptr) uintptr {
		return g.procAddress(symbol, to, version, flags, 0)
	}
	g.d.table["cuGetProcAddress_v2"] = g.procAddress
	for _, f := range driverapi.Functions() {
		g.calls = append(g.calls, callOf(g.d.table[f.Name]).checked(f.Name))
	}
	return g
}

// callOf makes a function take its arguments from an array.
func callOf(f any) call {
	switch f := f.(type) {
	case nil:
		return nil
	case func() uintptr:
		return func(*[driverapi.MaxArgs]uintptr) uintptr { return f() }
	case func(a uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0]) }
	case func(a, b uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1]) }
	case func(a, b, c uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1], a[2]) }
	case func(a, b, c, d uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1], a[2], a[3]) }
	case func(a, b, c, d, e uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1], a[2], a[3], a[4]) }
	}
	return longCallOf(f)
}

func longCallOf(f any) call {
	switch f := f.(type) {
	case func(a, b, c, d, e, g uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1], a[2], a[3], a[4], a[5]) }
	case func(a, b, c, d, e, g, h uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6]) }
	case func(a, b, c, d, e, g, h, i uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr { return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]) }
	case func(a, b, c, d, e, g, h, i, j, k uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr {
			return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])
		}
	case func(a, b, c, d, e, g, h, i, j, k, l uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr {
			return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10])
		}
	case func(a, b, c, d, e, g, h, i, j, k, l, m uintptr) uintptr:
		return func(a *[driverapi.MaxArgs]uintptr) uintptr {
			return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11])
		}
	}
	panic(fmt.Sprintf("BUG: a function of the driver is a %T", f))
}

// Call calls the function of a number with its arguments: numbers of 32 bits with zeros above them,
// structures by their addresses. It returns a CUresult. A function that is not simulated says so,
// once, on standard error.
func (g *Guest) Call(function int, args *[driverapi.MaxArgs]uintptr) uintptr {
	f := g.calls[function]
	if f == nil {
		if !g.missing[function].Swap(true) {
			fmt.Fprintf(os.Stderr, "gridstride: %s is not simulated\n", driverapi.Functions()[function].Name)
		}
		return code(notSupported)
	}
	return f(args)
}

// Begin tells of a thread's first call. The system gives the numbers of threads that have ended to
// new ones, which have no current context.
func (g *Guest) Begin() {
	g.d.mu.Lock()
	defer g.d.mu.Unlock()
	delete(g.d.stacks, syscall.Gettid())
}

// Finish waits for all work, before the process ends, so that the checks report their findings.
func (g *Guest) Finish() {
	g.d.mu.Lock()
	var list []*context
	for _, x := range g.d.handles {
		if c, ok := x.(*context); ok {
			list = append(list, c)
		}
	}
	g.d.mu.Unlock()
	for _, c := range list {
		c.finish()
	}
}

// The answers of cuGetProcAddress besides its result, CUdriverProcAddressQueryResult.
const (
	procFound        = 0
	procNotFound     = 1
	procTooOld       = 2
	perThreadDefault = 2 // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
)

// procAddress finds the newest function of a base name that came with a version of CUDA or before.
func (g *Guest) procAddress(symbol, to, version, flags, answer uintptr) uintptr {
	if symbol == 0 || to == 0 {
		return code(cuda.InvalidValue)
	}
	found, status := g.find(cString(symbol), int(int32(version)))
	if flags&perThreadDefault != 0 { // whose functions have other names, which are not there
		found, status = 0, procNotFound
	}
	*at[uintptr](to) = found
	store(answer, int32(status))
	if status != procFound && answer == 0 {
		return code(cuda.NotFound)
	}
	return 0
}

// find is the address of a function, and whether there is one.
func (g *Guest) find(name string, version int) (uintptr, int) {
	status := procNotFound
	best := -1
	for _, i := range driverapi.VersionsOf()[name] {
		if driverapi.Functions()[i].Since > version {
			status = procTooOld
		} else if best < 0 || driverapi.Functions()[i].Since >= driverapi.Functions()[best].Since {
			best = i
		}
	}
	if best < 0 {
		return 0, status
	}
	return g.address(best), procFound
}
