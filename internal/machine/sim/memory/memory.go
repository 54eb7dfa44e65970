// Package memory is the address space of the simulated device: the places of shared, local and
// global memory, and the allocations of global memory.
//
//	address                space      note
//	0 … 64 Ki              none       an access is a null pointer
//	0x0100_0000_0000 + s   shared     the generic address of shared address s. Shared memory starts at
//	                                  s = 1024, as on recent GPUs. The memory of the block with rank r
//	                                  of the cluster is 16 Mi * (r+1) further on
//	0x0200_0000_0000 + l   local      local memory starts at l = 64
//	0x0300_0000_0000       param      the kernel's parameters
//	0x0400_0000_0000       code       the values of function pointers, not readable
//	0x7000_0000_0000 …     global     allocations, .global and .const variables, 512-byte aligned, at
//	                                  least 4 KiB apart. Those of device d start 1 Ti * d further on
//
// Addresses are not handed out twice, so an access through a stale pointer is found.
package memory

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/ptx"
)

// The errors of the host's calls, for errors.Is.
var (
	ErrOutOfMemory  = errors.New("out of memory")
	ErrDoubleFree   = errors.New("already freed")
	ErrNotAllocated = errors.New("not an allocation")
)

// FaultKind says what is wrong with an access of memory, or with another instruction. It is an
// error.
type FaultKind string

// UseAfterFree is an access to memory that was given back, by the host or by a kernel.
const UseAfterFree FaultKind = "use after free"

// Error returns the kind's text.
func (k FaultKind) Error() string { return string(k) }

// The flat address space. Shared and local memory are seen through windows by generic addresses.
// Everything from GlobalBase on is global memory (allocations, module variables, constants). No
// address below the windows is valid, so a null pointer with any reasonable offset is an error.
const (
	SharedWindow = 0x0100_0000_0000 // generic address of shared address 0
	LocalWindow  = 0x0200_0000_0000 // generic address of local address 0
	WindowSize   = 1 << 32
	ParamWindow  = 0x0300_0000_0000 // kernel parameters, seen by cvta.param
	CodeBase     = 0x0400_0000_0000 // functions: nothing can be read there
	GlobalBase   = 0x7000_0000_0000
	deviceSize   = 0x0100_0000_0000 // between the memory of one device and of the next
	// Devices is how many devices have addresses of their own.
	Devices = 8

	// SharedBase is the shared address of a block's first byte. It is not 0, as on recent GPUs,
	// where the system keeps the first KiB, so that a null pointer into shared memory is an error
	// too.
	SharedBase = 1024
	// LocalBase is the local address of a thread's first byte, not 0 for the same reason.
	LocalBase = 64

	Align     = 512     // alignment of every allocation, twice what CUDA promises
	GuardGap  = 4 << 10 // unmapped bytes between allocations
	keepFreed = 4096    // freed ranges remembered for messages
)

// Segment is a range of the address space with its bytes: an allocation, a module variable, a
// block's shared memory, the parameters of a launch.
type Segment struct {
	Base, Size uint64
	P          unsafe.Pointer // the bytes; nil once freed or when size is 0
	Mem        []byte         // the same, kept for host copies
	Name       string         // module variable, "" for an allocation
	ReadOnly   bool           // .const
	Owner      any            // of a module variable: its module

	freed atomic.Bool // it is in the table still, but not allocated any more
}

// Windows are the generic addresses of the state spaces that have windows.
var Windows = map[ptx.Space]uint64{ptx.SharedSpace: SharedWindow, ptx.LocalSpace: LocalWindow}

// Space is the memory of a device. All its methods may be called from any goroutine.
type Space struct {
	capacity int64

	mu      sync.Mutex // guards the allocator: everything that changes table
	next    uint64     // next address to hand out
	used    int64      // bytes held
	garbage int64      // bytes freed since the last collection that this asked for
	freed   []*Segment // lately freed ranges, oldest first, for messages
	// table is sorted by address, with freed segments among the others: each change appends to it
	// or marks one, which costs little whatever its length. Readers take no lock.
	table atomic.Pointer[[]*Segment]
	// hosted is host memory that is also the device's, sorted by address. It is changed as a whole.
	hosted atomic.Pointer[[]*Segment]
	// peers are other devices' memories that this one reaches.
	peers     atomic.Pointer[[]*Space]
	dead      int   // freed segments in the table,
	deadBytes int64 // and what they hold
}

// Init makes the memory empty. capacity is the number of bytes that allocations and variables may
// hold together. device is the device's number, below Devices: the memories of two numbers have no
// address in common.
func (m *Space) Init(capacity int64, device int) {
	m.capacity, m.next = capacity, GlobalBase+uint64(device)*deviceSize
	m.table.Store(new([]*Segment))
}

// NewBytes returns n zero bytes aligned to 8 at the start of a whole number of words, so that an
// atomic on the aligned word around any byte stays inside.
func NewBytes(n int64) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// NewSegment returns n zero bytes at an address. They are in no Space.
func NewSegment(base uint64, n int64) *Segment {
	s := &Segment{Base: base, Size: uint64(n), Mem: NewBytes(n)}
	s.P = unsafe.Pointer(unsafe.SliceData(s.Mem))
	return s
}

// Alloc reserves size bytes and returns their address, aligned to 512. The memory is poisoned,
// since a GPU's memory holds anything. Size 0 gives a unique address that no access may use. The
// error wraps ErrOutOfMemory.
func (m *Space) Alloc(size int64) (addr uint64, err error) {
	s, err := m.Reserve(size, nil, "")
	if err != nil {
		return 0, err
	}
	Poison(s.Mem)
	return s.Base, nil
}

// Reserve is Alloc for a variable of a module, which FreeAll gives back. A variable is zero. No
// page of it is touched unless the Go runtime hands out again what was used before.
func (m *Space) Reserve(size int64, owner any, name string) (*Segment, error) {
	if size < 0 {
		return nil, fmt.Errorf("allocate %d bytes: size is negative", size)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > m.capacity-m.used {
		return nil, fmt.Errorf("allocate %d bytes: %w: %d of %d bytes in use", size, ErrOutOfMemory, m.used, m.capacity)
	}
	s := NewSegment(m.next, size)
	s.Owner, s.Name = owner, name
	m.used += size
	m.next += (uint64(size)+Align-1)&^(Align-1) + GuardGap
	table := append(*m.table.Load(), s) // addresses only grow, so the table stays sorted
	m.table.Store(&table)
	return s, nil
}

// Free gives memory back. Its range of addresses is not handed out again, so a later access through
// a stale pointer is reported as a use after free. Freeing what a running kernel uses is not
// detected.
func (m *Space) Free(addr uint64) error { return m.FreeOf(addr, nil) }

// FreeOf is Free for what was reserved with an owner.
func (m *Space) FreeOf(addr uint64, owner any) error {
	defer m.collect()
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := holding(*m.table.Load(), addr); s != nil && s.Base == addr && s.Owner == owner {
		m.release(s)
		return nil
	}
	for _, f := range m.freed {
		if f.Base == addr {
			return fmt.Errorf("free %#x: %w", addr, ErrDoubleFree)
		}
	}
	return fmt.Errorf("free %#x: %w", addr, ErrNotAllocated)
}

// FreeAll gives back the variables of an owner.
func (m *Space) FreeAll(owner any) {
	defer m.collect()
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.live() {
		if s.Owner == owner {
			m.release(s)
		}
	}
}

// collect makes the host give up freed memory once it is much, so that a program needs little more
// than what is allocated here. It is called without m.mu.
func (m *Space) collect() {
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

// release frees a segment. It needs m.mu. It makes a table without freed segments when these have
// become many, or hold much.
func (m *Space) release(s *Segment) {
	s.freed.Store(true)
	m.dead++
	m.deadBytes += int64(s.Size)
	if m.dead > len(*m.table.Load())/2 || m.deadBytes > max(m.used/4, 64<<10) {
		table := slices.Collect(m.live())
		m.table.Store(&table)
		m.dead, m.deadBytes = 0, 0
	}
	m.used -= int64(s.Size)
	m.garbage += int64(s.Size)
	m.freed = append(m.freed, &Segment{Base: s.Base, Size: s.Size, Name: s.Name})
	if len(m.freed) > keepFreed {
		m.freed = slices.Delete(m.freed, 0, len(m.freed)-keepFreed)
	}
}

// Bytes returns the n bytes at addr: the memory itself, for host copies. They must be in one
// allocation or module variable. The slice stays readable after Free, but no longer is the device's
// memory.
func (m *Space) Bytes(addr uint64, n int64) ([]byte, error) {
	s := m.Find(addr)
	if s == nil || n < 0 || uint64(n) > s.Size-(addr-s.Base) {
		near := m.Nearest(addr)
		err := ErrNotAllocated
		if near != nil && near.Freed && addr-near.Addr < uint64(near.Size) {
			err = UseAfterFree
		}
		return nil, fmt.Errorf("host access of %d bytes at %#x: %w%s", n, addr, err, near.Describe(addr))
	}
	off := addr - s.Base
	return s.Mem[off : off+uint64(n) : off+uint64(n)], nil
}

// live are the segments that are not freed, by address.
func (m *Space) live() iter.Seq[*Segment] {
	return func(yield func(*Segment) bool) {
		for _, s := range *m.table.Load() {
			if !s.freed.Load() && !yield(s) {
				return
			}
		}
	}
}

// Used returns the bytes held by allocations and module variables, and how many allocations there
// are.
func (m *Space) Used() (bytes int64, allocations int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.live() {
		if s.Owner == nil {
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
func (m *Space) Extents() []Extent {
	var list []Extent
	for s := range m.live() {
		list = append(list, Extent{s.Base, int64(s.Size), s.Name, s.ReadOnly})
	}
	if hosted := m.hosted.Load(); hosted != nil {
		for _, s := range *hosted {
			list = append(list, Extent{s.Base, int64(s.Size), s.Name, s.ReadOnly})
		}
		slices.SortFunc(list, func(a, b Extent) int { return cmp.Compare(a.Addr, b.Addr) })
	}
	return list
}

// Find returns the live Segment that holds addr (or ends there, or is empty there), nil for none.
func (m *Space) Find(addr uint64) *Segment {
	if s := holding(*m.table.Load(), addr); s != nil {
		return s
	}
	return m.findElsewhere(addr)
}

// SpaceOf is the state space that a generic address points into. What is nowhere counts as global,
// as on the GPU.
func (m *Space) SpaceOf(addr uint64) ptx.Space {
	if space := WindowOf(addr); space != ptx.GenericSpace {
		return space
	}
	if s := m.Find(addr); s != nil && s.ReadOnly {
		return ptx.ConstSpace
	}
	return ptx.GlobalSpace
}

// WindowOf is the state space into whose window a generic address points, GenericSpace for none.
func WindowOf(addr uint64) ptx.Space {
	switch addr &^ (WindowSize - 1) {
	case SharedWindow:
		return ptx.SharedSpace
	case LocalWindow:
		return ptx.LocalSpace
	case ParamWindow:
		return ptx.ParamSpace
	}
	return ptx.GenericSpace
}

// Nearest describes the allocation, live or lately freed, that is closest to addr. A freed one that
// holds addr is preferred.
func (m *Space) Nearest(addr uint64) *Allocation {
	m.mu.Lock()
	defer m.mu.Unlock()
	var best *Allocation
	bestGap := ^uint64(0)
	consider := func(s *Segment, freed bool) {
		gap := uint64(0)
		switch {
		case addr < s.Base:
			gap = s.Base - addr
		case addr >= s.Base+s.Size:
			gap = addr - (s.Base + s.Size) + 1
		}
		if gap < bestGap {
			bestGap = gap
			best = &Allocation{Addr: s.Base, Size: int64(s.Size), Name: s.Name, Freed: freed}
		}
	}
	for _, s := range m.freed {
		consider(s, true)
	}
	for s := range m.live() {
		consider(s, false)
	}
	return best
}

// Allocation is a range of memory as a message names it.
type Allocation struct {
	Addr  uint64
	Size  int64
	Name  string // of a variable, "" for an allocation
	Freed bool
}

// Describe says where addr is relative to the allocation, to follow an address in a message: ", 4
// bytes past …".
func (a *Allocation) Describe(addr uint64) string {
	if a == nil {
		return ""
	}
	what := fmt.Sprintf("the %d bytes at %#x", a.Size, a.Addr)
	if a.Name != "" {
		what = fmt.Sprintf("%s (%d bytes at %#x)", a.Name, a.Size, a.Addr)
	}
	if a.Freed {
		what += ", which are freed"
	}
	switch end := a.Addr + uint64(a.Size); {
	case addr < a.Addr:
		return fmt.Sprintf(", %d bytes before %s", a.Addr-addr, what)
	case addr >= end:
		return fmt.Sprintf(", %d bytes past the end of %s", addr-end, what)
	}
	return fmt.Sprintf(", byte %d of %s", addr-a.Addr, what)
}

// poison is the value of all bytes of fresh memory: NaN as a float, -1 as an integer.
const poison = 0xff

var poisonPage = bytes.Repeat([]byte{poison}, 4096)

// Poison fills fresh memory, so that nothing that has not been written looks like a result.
func Poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, poisonPage):]
	}
}
