package guestlib

import (
	"os"
	"syscall"
)

// lock waits for its turn with a file, so that one process builds at a time.
func lock(name string) (unlock func(), err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
