package main

import (
	"os"
	"syscall"
)

// peak is the most memory that a process had resident, in bytes.
func peak(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10 // Linux counts kilobytes
	}
	return 0
}
