//go:build linux || darwin || freebsd

package native

import "syscall"

// executable returns the code in memory that can be executed and not written; nil where the system
// refuses it, as SELinux, seccomp and the hardened runtime of macOS may.
func executable(code []byte) []byte {
	text, err := syscall.Mmap(-1, 0, len(code), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	copy(text, code)
	if protect(text, syscall.PROT_READ|syscall.PROT_EXEC) != nil {
		release(text)
		return nil
	}
	coherent(text)
	return text
}

// release gives the memory of code back.
func release(text []byte) { _ = syscall.Munmap(text) }
