//go:build !(linux && !android && (amd64 || arm64 || ppc64le))

package nccl

// callable: there is no NCCL for this system.
const callable = false

// syscallN is not reached: no library has functions to call.
func syscallN(uintptr, ...uintptr) uintptr {
	panic("BUG: a call of an NCCL that cannot be loaded")
}
