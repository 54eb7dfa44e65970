package source

import "syscall"

// limitData bounds the memory that the process may ask the system for. Where the system refuses,
// the watch stays.
func limitData(bytes uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
