//go:build windows || (linux && !android && (amd64 || arm64 || ppc64le))

package cuda

import "github.com/ebitengine/purego"

// syscallN calls a C function and returns its first result.
//
//go:uintptrescapes
func syscallN(addr uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(addr, args...)
	return r
}

// newCallback is the C address of a Go function. It is never given back.
func newCallback(f func(uintptr) uintptr) uintptr { return purego.NewCallback(f) }
