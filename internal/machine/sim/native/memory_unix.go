//go:build linux || darwin || freebsd

package native

import "golang.org/x/sys/unix"

// executable returns the code in memory that can be executed and not written; nil where the system
// refuses it, as SELinux, seccomp and the hardened runtime of macOS may.
func executable(code []byte) []byte {
	text, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	copy(text, code)
	if unix.Mprotect(text, unix.PROT_READ|unix.PROT_EXEC) != nil {
		release(text)
		return nil
	}
	coherent(text)
	return text
}

// release gives the memory of code back.
func release(text []byte) { _ = unix.Munmap(text) }
