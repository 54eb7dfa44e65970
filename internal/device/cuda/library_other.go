//go:build !windows && !(linux && !android && (amd64 || arm64 || ppc64le))

package cuda

// libraryPaths is empty: there is no driver of NVIDIA's for this system.
func libraryPaths() []string { return nil }

// syscallN is not reached: no library has functions to call.
func syscallN(uintptr, ...uintptr) uintptr {
	panic("BUG: a call of a driver that cannot be loaded")
}

// newCallback is not reached either.
func newCallback(func(uintptr) uintptr) uintptr {
	panic("BUG: a callback of a driver that cannot be loaded")
}
