//go:build linux && cgo

package main

/*
#include <stdint.h>
#include <stdlib.h>
#include "hostline.h"

static const void *calledFrom(uintptr_t f) { return ((const void *(*)(void))f)(); }
*/
import "C"

import (
	"path/filepath"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// longestPath bounds the name of a file of the program.
const longestPath = 4096

// hostPosition returns the position of the program that is calling on this thread: of a program in Python
// its own innermost line, and otherwise the function that called, or its address in its file, as
// addr2line takes it. dir is the folder that files are named from, where they are below it. caller is the
// address of the C function that returns the calling thread's caller.
func hostPosition(dir string, caller uintptr) func() event.Position {
	return func() event.Position {
		buf := (*C.char)(C.malloc(longestPath))
		defer C.free(unsafe.Pointer(buf))
		line := C.hostline(buf, longestPath, C.calledFrom(C.uintptr_t(caller)))
		name := C.GoString(buf)
		if line == 0 {
			return event.Position{File: name}
		}
		if path, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(path) {
			name = path
		}
		return event.Position{File: name, Line: int(line)}
	}
}
