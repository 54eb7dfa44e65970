//go:build linux && cgo

// Libcuda is the simulated driver as a library: what gridstride check gives to programs that call
// CUDA's driver API. It is built with -buildmode=c-shared, and it alone uses cgo. Programs do not
// load it themselves: the library in C of package driverapi, which has the driver's name and functions,
// does so at the first call.
package main

/*
#include <stdint.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device/cuda/driverapi"
	"github.com/gridstride/gridstride/internal/device/cuda/simdriver"
)

func main() {}

var guest *simdriver.Guest

// gridstrideOpen makes the driver. functions are the addresses of the stub's functions, by number, and n
// is how many there are. caller is the stub's function that returns where the thread was called from.
// The result is 0, or 1 where the driver cannot be made.
//
//export gridstrideOpen
func gridstrideOpen(functions *C.uintptr_t, n C.int, caller C.uintptr_t) C.int {
	all := driverapi.Functions()
	if int(n) != len(all) {
		fmt.Fprintf(os.Stderr, "gridstride: libcuda.so.1 has %d functions and the simulated driver %d: they are of two versions\n", n, len(all))
		return 1
	}
	addrs := unsafe.Slice(functions, n)
	cfg, err := configured(uintptr(caller))
	if err != nil {
		fmt.Fprintf(os.Stderr, "gridstride: %v\n", err)
		return 1
	}
	guest = simdriver.NewGuest(cfg, func(function int) uintptr { return uintptr(addrs[function]) })
	return 0
}

// gridstrideCall calls a function of the driver, by its number.
//
//export gridstrideCall
func gridstrideCall(function C.int, args *C.uintptr_t) C.uint {
	return C.uint(guest.Call(int(function), (*[driverapi.MaxArgs]uintptr)(unsafe.Pointer(args))))
}

// gridstrideThread tells of a thread's first call.
//
//export gridstrideThread
func gridstrideThread() { guest.Begin() }

// gridstrideTest waits for all work, and makes what is launched from now on belong to the test of a
// name, "" for none.
//
//export gridstrideTest
func gridstrideTest(name *C.char) {
	guest.Finish()
	test.Store(C.GoString(name))
}

// gridstrideFinish waits for all work, as the process ends.
//
//export gridstrideFinish
func gridstrideFinish() { guest.Finish() }
