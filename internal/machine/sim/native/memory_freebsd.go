package native

import (
	"syscall"
	"unsafe"
)

// protect changes what may be done to memory: package syscall has no Mprotect for FreeBSD.
func protect(text []byte, how int) error {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(text)))
	if _, _, err := syscall.Syscall(syscall.SYS_MPROTECT, at, uintptr(len(text)), uintptr(how)); err != 0 {
		return err
	}
	return nil
}
