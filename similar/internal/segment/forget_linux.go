package segment

import "syscall"

// forget takes a file out of the process's memory. What is read of it again comes from the system's
// cache, or from the disk.
func (m *mapping) forget() {
	if m != nil && len(m.m) > 0 {
		_ = syscall.Madvise(m.m, syscall.MADV_DONTNEED)
	}
}
