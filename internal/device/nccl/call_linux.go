//go:build !android && (amd64 || arm64 || ppc64le)

package nccl

import "github.com/ebitengine/purego"

// callable reports that this system can have the library.
const callable = true

// syscallN calls a C function and returns its first result.
//
//go:uintptrescapes
func syscallN(addr uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(addr, args...)
	return r
}
