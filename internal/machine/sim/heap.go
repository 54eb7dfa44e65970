package sim

import (
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// heapBytes is how many bytes the device's heap has for the malloc of kernels: CUDA's default.
const heapBytes = 8 << 20

// heap has the memory that kernels allocated and did not free. It lives as long as the machine.
type heap struct {
	mu     sync.Mutex
	used   int64
	blocks map[uint64]int64 // size by address
}

// HeapChanges are the changes of one launch to the device's heap, for a launch that will run again
// from the memory that it found: see Launch.Heap.
type HeapChanges struct {
	made  []uint64 // allocated and not freed
	freed []uint64 // allocated before the launch: given back by Keep
}

// alloc returns the address of n bytes of the heap, or 0 if it has no room.
func (r *launch) alloc(n uint64) uint64 {
	h := &r.m.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	if n == 0 || n > uint64(heapBytes-h.used) {
		return 0
	}
	s, err := r.m.Reserve(int64(n), h, "memory of malloc")
	if err != nil {
		return 0
	}
	if h.blocks == nil {
		h.blocks = map[uint64]int64{}
	}
	memory.Poison(s.Mem)
	h.blocks[s.Base] = int64(n)
	h.used += int64(n)
	if r.Heap != nil {
		r.Heap.made = append(r.Heap.made, s.Base)
	}
	return s.Base
}

// free gives a block of the heap back. It reports whether there was one.
func (r *launch) free(addr uint64) bool {
	h := &r.m.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.blocks[addr]; !ok {
		return false
	}
	if c := r.Heap; c != nil {
		i := slices.Index(c.made, addr)
		switch {
		case i >= 0:
			c.made = slices.Delete(c.made, i, i+1)
		case slices.Contains(c.freed, addr):
			return false
		default:
			c.freed = append(c.freed, addr)
			return true
		}
	}
	r.m.release(addr)
	return true
}

// release gives a block back. It needs heap.mu.
func (m *Machine) release(addr uint64) {
	h := &m.heap
	h.used -= h.blocks[addr]
	delete(h.blocks, addr)
	if err := m.FreeOf(addr, h); err != nil {
		panic("BUG: " + err.Error())
	}
}

// KeepHeap makes the changes of a launch permanent.
func (m *Machine) KeepHeap(c *HeapChanges) { m.releaseAll(c.freed) }

// DropHeap undoes the changes of a launch.
func (m *Machine) DropHeap(c *HeapChanges) { m.releaseAll(c.made) }

func (m *Machine) releaseAll(list []uint64) {
	m.heap.mu.Lock()
	defer m.heap.mu.Unlock()
	for _, addr := range list {
		m.release(addr)
	}
}
