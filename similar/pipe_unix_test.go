//go:build unix

package similar_test

import "syscall"

func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
