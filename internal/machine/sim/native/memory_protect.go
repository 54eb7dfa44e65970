//go:build linux || darwin

package native

import "syscall"

// protect changes what may be done to memory.
func protect(text []byte, how int) error { return syscall.Mprotect(text, how) }
