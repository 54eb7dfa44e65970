package native

import "golang.org/x/sys/unix"

// executable returns the code in memory that can be executed and not written; nil where the system
// refuses it.
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
	return text
}

// release gives the memory of code back.
func release(text []byte) { _ = unix.Munmap(text) }

// canExecute asks the system, once, whether it lets memory be executed.
func canExecute() bool {
	text := executable([]byte{0xc3})
	if text == nil {
		return false
	}
	release(text)
	return true
}
