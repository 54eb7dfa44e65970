//go:build linux

package simdriver

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharedFile is a file in memory, which several processes can map.
type sharedFile struct {
	fd   int
	size uintptr
}

// newSharedFile makes a file of zeros.
func newSharedFile(size uintptr) (*sharedFile, error) {
	fd, err := unix.MemfdCreate("gridstride", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := &sharedFile{fd, size}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// openedFile is a sharedFile of a descriptor, which it owns. inode is the file's number, or 0 for any.
func openedFile(fd int, inode uint64) (*sharedFile, error) {
	f := &sharedFile{fd: fd}
	var s unix.Stat_t
	err := unix.Fstat(fd, &s)
	if err == nil && (s.Size <= 0 || inode != 0 && s.Ino != inode) {
		err = fmt.Errorf("the memory is gone")
	}
	if err != nil {
		f.close()
		return nil, err
	}
	f.size = uintptr(s.Size)
	return f, nil
}

func (f *sharedFile) close() { _ = unix.Close(f.fd) }

// duplicate is another descriptor of the file, for the program.
func (f *sharedFile) duplicate() (int, error) {
	return unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
}

// inode is the file's number.
func (f *sharedFile) inode() uint64 {
	var s unix.Stat_t
	_ = unix.Fstat(f.fd, &s)
	return s.Ino
}

// mapAt maps the file's first n bytes at an address, over what is there.
func (f *sharedFile) mapAt(addr, n uintptr) error {
	_, err := unix.MmapPtr(f.fd, 0, unsafe.Pointer(at[byte](addr)), n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
	return err
}

// mapped maps the whole file.
func (f *sharedFile) mapped() (uintptr, error) {
	p, err := unix.MmapPtr(f.fd, 0, nil, f.size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return uintptr(p), err
}

// emptied makes mapped memory private and zero: what still has its address finds no other's memory.
func emptied(addr, n uintptr) {
	_, _ = unix.MmapPtr(-1, 0, unsafe.Pointer(at[byte](addr)), n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED)
}

// fileOf opens a file of another process of the same user.
func fileOf(pid, fd uint32, inode uint64) (*sharedFile, error) {
	mine, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return openedFile(mine, inode)
}

var processID = uint32(os.Getpid())
