package sim

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"unsafe"
)

// The flat address space. Shared and local memory are seen through windows by generic addresses;
// everything from globalBase on is global memory (allocations, module variables, constants). No
// address below the windows is valid, so a null pointer with any reasonable offset is an error.
const (
	sharedWindow = 0x0100_0000_0000 // generic address of shared address 0
	localWindow  = 0x0200_0000_0000 // generic address of local address 0
	windowSize   = 1 << 32
	paramWindow  = 0x0300_0000_0000 // kernel parameters, seen by cvta.param
	globalBase   = 0x7000_0000_0000

	// sharedBase is the shared address of a block's first byte. It is not 0, as on recent GPUs,
	// where the system keeps the first KiB, so that a null pointer into shared memory is an error
	// too.
	sharedBase = 1024
	// localBase is the local address of a thread's first byte, not 0 for the same reason.
	localBase = 64

	allocAlign = 512     // alignment of every allocation, twice what CUDA promises
	guardGap   = 4 << 10 // unmapped bytes between allocations
	keepFreed  = 4096    // freed ranges remembered for messages
)

// segment is a range of the address space with its bytes: an allocation, a module variable, a
// block's shared memory, the parameters of a launch.
type segment struct {
	base, size uint64
	p          unsafe.Pointer // the bytes; nil once freed or when size is 0
	mem        []byte         // the same, kept for host copies
	name       string         // module variable, "" for an allocation
	readOnly   bool           // .const
	owner      *Program       // of a module variable
}

// newBytes returns n zero bytes aligned to 8 at the start of a whole number of words, so that an
// atomic on the aligned word around any byte stays inside.
func newBytes(n int64) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

func newSegment(base uint64, n int64) *segment {
	s := &segment{base: base, size: uint64(n), mem: newBytes(n)}
	s.p = unsafe.Pointer(unsafe.SliceData(s.mem))
	return s
}

// Alloc reserves size bytes and returns their address, aligned to 512. The memory is zero; no page
// of it is touched unless the Go runtime hands out again what was used before. Size 0 gives an
// address of its own that no access may use. The error wraps ErrOutOfMemory.
func (m *Machine) Alloc(size int64) (addr uint64, err error) {
	s, err := m.reserve(size, nil, "")
	if err != nil {
		return 0, err
	}
	return s.base, nil
}

func (m *Machine) reserve(size int64, owner *Program, name string) (*segment, error) {
	if size < 0 {
		return nil, fmt.Errorf("allocate %d bytes: size is negative", size)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > m.cfg.Memory-m.used {
		return nil, fmt.Errorf("allocate %d bytes: %w: %d of %d bytes in use", size, ErrOutOfMemory, m.used, m.cfg.Memory)
	}
	s := newSegment(m.next, size)
	s.owner, s.name = owner, name
	m.used += size
	m.next += (uint64(size)+allocAlign-1)&^(allocAlign-1) + guardGap
	old := *m.table.Load()
	table := append(slices.Clip(old), s) // addresses only grow, so the table stays sorted
	m.table.Store(&table)
	return s, nil
}

// Free gives memory back. Its range of addresses is not handed out again, so a later access through
// a stale pointer is reported as a use after free. Freeing what a running kernel uses is not
// detected.
func (m *Machine) Free(addr uint64) error {
	defer m.collect()
	m.mu.Lock()
	defer m.mu.Unlock()
	old := *m.table.Load()
	i, ok := slices.BinarySearchFunc(old, addr, func(s *segment, a uint64) int { return cmp.Compare(s.base, a) })
	if ok && old[i].owner == nil {
		m.release(i)
		return nil
	}
	for _, f := range m.freed {
		if f.base == addr {
			return fmt.Errorf("free %#x: %w", addr, ErrDoubleFree)
		}
	}
	return fmt.Errorf("free %#x: %w", addr, ErrNotAllocated)
}

// collect makes the host give up freed memory once it is much, so that a program needs little more
// than what is allocated here. It is called without m.mu.
func (m *Machine) collect() {
	m.mu.Lock()
	due := m.garbage > max(m.used/4, 64<<20)
	if due {
		m.garbage = 0
	}
	m.mu.Unlock()
	if due {
		// A collection alone is not enough: a small object in the hole that a large allocation left
		// keeps the next large one from it.
		debug.FreeOSMemory()
	}
}

// release drops the i-th segment of the table; m.mu is held.
func (m *Machine) release(i int) {
	old := *m.table.Load()
	s := old[i]
	table := slices.Concat(old[:i], old[i+1:])
	m.table.Store(&table)
	m.used -= int64(s.size)
	m.garbage += int64(s.size)
	m.freed = append(m.freed, &segment{base: s.base, size: s.size, name: s.name})
	if len(m.freed) > keepFreed {
		m.freed = slices.Delete(m.freed, 0, len(m.freed)-keepFreed)
	}
}

// Bytes returns the n bytes at addr: the memory itself, for host copies. They must lie in one
// allocation or module variable. The slice stays readable after Free, but no longer is the device's
// memory.
func (m *Machine) Bytes(addr uint64, n int64) ([]byte, error) {
	s := m.find(addr)
	if s == nil || n < 0 || uint64(n) > s.size-(addr-s.base) {
		near := m.nearest(addr)
		err := ErrNotAllocated
		if near != nil && near.Freed && addr-near.Addr < uint64(near.Size) {
			err = ErrUseAfterFree
		}
		return nil, fmt.Errorf("host access of %d bytes at %#x: %w%s", n, addr, err, near.describe(addr))
	}
	off := addr - s.base
	return s.mem[off : off+uint64(n) : off+uint64(n)], nil
}

// Used returns the bytes held by allocations and module variables, and how many allocations there
// are.
func (m *Machine) Used() (bytes int64, allocations int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range *m.table.Load() {
		if s.owner == nil {
			allocations++
		}
	}
	return m.used, allocations
}

// Extent is a live allocation or module variable.
type Extent struct {
	Addr     uint64
	Size     int64
	Name     string // of a module variable
	ReadOnly bool   // .const
}

// Extents lists what is allocated, sorted by address.
func (m *Machine) Extents() []Extent {
	var list []Extent
	for _, s := range *m.table.Load() {
		list = append(list, Extent{s.base, int64(s.size), s.name, s.readOnly})
	}
	return list
}

// find returns the live segment that holds addr (or ends there, or is empty there), nil for none.
func (m *Machine) find(addr uint64) *segment {
	table := *m.table.Load()
	i, ok := slices.BinarySearchFunc(table, addr, func(s *segment, a uint64) int { return cmp.Compare(s.base, a) })
	if !ok {
		i--
	}
	if i < 0 || addr-table[i].base > table[i].size {
		return nil
	}
	return table[i]
}

// nearest describes the allocation, live or lately freed, that lies closest to addr; a freed one
// that holds addr comes first.
func (m *Machine) nearest(addr uint64) *Allocation {
	m.mu.Lock()
	defer m.mu.Unlock()
	var best *Allocation
	bestGap := ^uint64(0)
	consider := func(s *segment, freed bool) {
		gap := uint64(0)
		switch {
		case addr < s.base:
			gap = s.base - addr
		case addr >= s.base+s.size:
			gap = addr - (s.base + s.size) + 1
		}
		if gap < bestGap {
			bestGap = gap
			best = &Allocation{Addr: s.base, Size: int64(s.size), Name: s.name, Freed: freed}
		}
	}
	for _, s := range m.freed {
		consider(s, true)
	}
	for _, s := range *m.table.Load() {
		consider(s, false)
	}
	return best
}
