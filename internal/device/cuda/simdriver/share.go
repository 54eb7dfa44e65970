//go:build linux

package simdriver

import (
	"sync"

	"github.com/gridstride/gridstride/internal/device/cuda"
)

const posixHandle = 1 // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

// shared is memory of the device that several processes have: allocations whose bytes are in a file in
// memory.
type shared struct {
	moving sync.Mutex               // held while an allocation moves to a file, which waits for the device
	mu     sync.Mutex               // never held while anything waits; after driver.mu and memory.mu
	own    map[uint64]*sharedMemory // what this process has allocated, by its address on the device
	opened map[uint64]*sharedMemory // what another one has, by its address here
}

// sharedMemory is an allocation in a file, mapped at an address of the host.
type sharedMemory struct {
	c      *context
	file   *sharedFile
	host   uintptr
	from   ipcHandle // of what another process has
	users  int       // of what was opened
	pooled bool      // it was made in its file, and its address on the device is the host's
}

// ipcHandle is a CUipcMemHandle, and a CUmemPoolPtrExportData: the file of an allocation in the process
// that has it.
type ipcHandle struct {
	mark     [8]byte
	pid, fd  uint32
	inode    uint64
	addr     uint64
	reserved [32]byte
}

var ipcMark = [8]byte{'g', 'r', 'i', 'd', 'i', 'p', 'c', '1'}

func (d *driver) shareFunctions() map[string]any {
	return map[string]any{
		"cuIpcGetMemHandle":                  d.ipcGet,
		"cuIpcOpenMemHandle_v2":              d.ipcOpen,
		"cuIpcOpenMemHandle":                 d.ipcOpen,
		"cuIpcCloseMemHandle":                d.ipcClose,
		"cuMemExportToShareableHandle":       d.exportPhysical,
		"cuMemImportFromShareableHandle":     d.importPhysical,
		"cuMemPoolExportToShareableHandle":   d.exportPool,
		"cuMemPoolImportFromShareableHandle": d.importPool,
		"cuMemPoolExportPointer":             d.exportPointer,
		"cuMemPoolImportPointer":             d.importPointer,
	}
}

// handle names an allocation for other processes.
func (m *sharedMemory) handle(addr uint64) ipcHandle {
	return ipcHandle{mark: ipcMark, pid: processID, fd: uint32(m.file.fd), inode: m.file.inode(), addr: addr}
}

// ipcGet gives the handle of the allocation that an address is in. At first it moves the allocation's
// bytes to a file, while nothing on the device runs.
func (d *driver) ipcGet(to, addr uintptr) uintptr {
	if _, r := d.thread(); r != cuda.Success {
		return code(r)
	}
	p := d.pointee(addr)
	if to == 0 || p == nil || p.pinned != nil || p.s.Name != "" {
		return code(cuda.InvalidValue)
	}
	base := p.s.Base
	p.c.memory.mu.Lock()
	_, own := p.c.memory.allocs[base]
	p.c.memory.mu.Unlock()
	if !own {
		return code(cuda.InvalidValue)
	}
	m, r := d.inFile(p.c, base, uintptr(p.s.Size))
	if r != cuda.Success {
		return code(r)
	}
	if m.pooled {
		return code(cuda.InvalidValue)
	}
	*at[ipcHandle](to) = m.handle(base)
	return 0
}

// inFile moves the bytes of an allocation to a file, if they are not in one.
func (d *driver) inFile(c *context, addr uint64, size uintptr) (*sharedMemory, cuda.Result) {
	s := &d.shared
	s.moving.Lock()
	defer s.moving.Unlock()
	if m := s.of(addr); m != nil {
		return m, cuda.Success
	}
	m, r := d.moved(c, addr, size)
	if r != cuda.Success {
		return nil, r
	}
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	if _, still := c.memory.allocs[addr]; !still {
		emptied(m.host, m.file.size)
		m.file.close()
		return nil, cuda.InvalidValue
	}
	s.keep(addr, m)
	return m, cuda.Success
}

// of is the file of an allocation, nil if it has none.
func (s *shared) of(addr uint64) *sharedMemory {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[addr]
}

// keep notes the file of an allocation.
func (s *shared) keep(addr uint64, m *sharedMemory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		s.own = map[uint64]*sharedMemory{}
	}
	s.own[addr] = m
}

// moved puts the bytes of an allocation into a file.
func (d *driver) moved(c *context, addr uint64, size uintptr) (*sharedMemory, cuda.Result) {
	file, err := newSharedFile(size)
	if err != nil {
		return nil, cuda.OutOfMemory
	}
	host, err := file.mapped()
	if err != nil {
		file.close()
		return nil, cuda.OutOfMemory
	}
	var moved bool
	d.still(c.dev, func() { moved = c.machine.Move(addr, memoryAt(host, size)) })
	if !moved { // it was freed meanwhile
		unmap(host, size)
		file.close()
		return nil, cuda.InvalidValue
	}
	return &sharedMemory{c: c, file: file, host: host}, cuda.Success
}

// free gives up the file of an allocation, if it has one. It reports whether that was all of it.
func (s *shared) free(c *context, addr uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.own[addr]
	if m == nil {
		return false
	}
	delete(s.own, addr)
	m.file.close()
	if !m.pooled {
		emptied(m.host, m.file.size) // its addresses stay: nothing else comes to be there
		return false
	}
	c.machine.Disown(addr)
	unmap(m.host, m.file.size)
	return true
}

// ended gives up what a context has opened.
func (s *shared) ended(c *context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for addr, m := range s.opened {
		if m.c == c {
			s.close(addr, m)
		}
	}
}

// close gives up what was opened. It needs s.mu.
func (s *shared) close(addr uint64, m *sharedMemory) {
	delete(s.opened, addr)
	m.c.machine.Disown(addr)
	unmap(m.host, m.file.size)
	m.file.close()
}

func (d *driver) ipcOpen(to, handle, flags uintptr) uintptr {
	return d.inContext(func(c *context) uintptr { return code(d.open(c, to, *at[ipcHandle](handle))) })
}

// open makes the memory of another process the device's.
func (d *driver) open(c *context, to uintptr, h ipcHandle) cuda.Result {
	switch {
	case to == 0 || h.mark != ipcMark:
		return cuda.InvalidValue
	case h.pid == processID: // as the driver has it
		return cuda.InvalidContext
	}
	s := &d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	for addr, m := range s.opened {
		if m.c == c && m.from == h {
			m.users++
			*at[uint64](to) = addr
			return cuda.Success
		}
	}
	file, err := fileOf(h.pid, h.fd, h.inode)
	if err != nil {
		return cuda.InvalidValue
	}
	host, err := file.mapped()
	if err == nil {
		if err = c.machine.Adopt(memoryAt(host, file.size)); err != nil {
			unmap(host, file.size)
		}
	}
	if err != nil {
		file.close()
		return cuda.OutOfMemory
	}
	if s.opened == nil {
		s.opened = map[uint64]*sharedMemory{}
	}
	s.opened[uint64(host)] = &sharedMemory{c: c, file: file, host: host, from: h, users: 1}
	*at[uint64](to) = uint64(host)
	return cuda.Success
}

// ipcClose gives up what ipcOpen gave, once it is called as often. It waits for the device's work.
func (d *driver) ipcClose(addr uintptr) uintptr {
	s := &d.shared
	s.mu.Lock()
	m := s.opened[uint64(addr)]
	s.mu.Unlock()
	if m == nil {
		return code(cuda.InvalidValue)
	}
	m.c.finish()
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.users--; m.users == 0 {
		s.close(uint64(addr), m)
	}
	return 0
}

// exportPhysical gives a file descriptor of memory of cuMemCreate.
func (d *driver) exportPhysical(to, h, kind, flags uintptr) uintptr {
	p, ok := find[*physical](d, h)
	if !ok || to == 0 || kind != posixHandle || flags != 0 || p.prop.handles&posixHandle == 0 {
		return code(cuda.InvalidValue)
	}
	fd, err := p.file.duplicate()
	if err != nil {
		return code(cuda.OutOfMemory)
	}
	*at[int32](to) = int32(fd)
	return 0
}

// here is the current context's device, or the first one where there is no context: a file descriptor
// does not say whose memory it is of.
func (d *driver) here() (*device, cuda.Result) {
	c, r := d.thread()
	switch r {
	case cuda.Success:
		return c.dev, r
	case cuda.InvalidContext:
		return d.devices[0], cuda.Success
	}
	return nil, r
}

// importPhysical makes a handle of a file descriptor, which stays the program's.
func (d *driver) importPhysical(to, fd, kind uintptr) uintptr {
	dev, r := d.here()
	if r != cuda.Success {
		return code(r)
	}
	if to == 0 || kind != posixHandle || int32(fd) < 0 {
		return code(cuda.InvalidValue)
	}
	mine, err := (&sharedFile{fd: int(int32(fd))}).duplicate()
	if err != nil {
		return code(cuda.InvalidValue)
	}
	file, err := openedFile(mine, 0)
	if err != nil {
		return code(cuda.InvalidValue)
	}
	if !dev.take(int64(file.size)) {
		file.close()
		return code(cuda.OutOfMemory)
	}
	prop := allocProp{kind: 1, handles: posixHandle, location: location{onDevice, int32(dev.number)}}
	return d.add(to, &physical{file: file, dev: dev, prop: prop, held: 1})
}
