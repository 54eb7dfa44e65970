package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// ErrAdopted is the error of host memory that the device has already.
var ErrAdopted = errors.New("already the device's")

// hostOwner owns host memory in a Space, so that Free does not take it for an allocation.
type hostOwner struct{}

// Adopt makes host memory the device's too, at its own address, until Disown. The memory does not
// move and is no allocation of Go's, or is pinned. It does not count as held.
func (m *Space) Adopt(mem []byte) error {
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))
	if len(mem) == 0 || base < CodeBase+WindowSize {
		return fmt.Errorf("host memory at %#x: the device has no such address", base)
	}
	s := &Segment{Base: base, Size: uint64(len(mem)), Mem: mem, P: unsafe.Pointer(unsafe.SliceData(mem)), Owner: hostOwner{}}
	m.mu.Lock()
	defer m.mu.Unlock()
	if base < m.next && base+s.Size > GlobalBase {
		return fmt.Errorf("host memory at %#x: the device's own memory is there", base)
	}
	var hosted []*Segment
	if now := m.hosted.Load(); now != nil {
		hosted = *now
	}
	i, _ := slices.BinarySearchFunc(hosted, base, byBase)
	if i < len(hosted) && base+s.Size > hosted[i].Base || i > 0 && hosted[i-1].Base+hosted[i-1].Size > base {
		return fmt.Errorf("host memory at %#x: %w", base, ErrAdopted)
	}
	hosted = slices.Insert(slices.Clone(hosted), i, s)
	m.hosted.Store(&hosted)
	return nil
}

// Disown takes back what Adopt gave. It reports whether host memory at that address was the
// device's. Disowning what a running kernel uses is not detected.
func (m *Space) Disown(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.hosted.Load()
	if now == nil {
		return false
	}
	i, ok := slices.BinarySearchFunc(*now, addr, byBase)
	if !ok {
		return false
	}
	hosted := slices.Delete(slices.Clone(*now), i, i+1)
	m.hosted.Store(&hosted)
	return true
}

// findHosted is Find among host memory.
func (m *Space) findHosted(addr uint64) *Segment {
	hosted := m.hosted.Load()
	if hosted == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(*hosted, addr, byBase)
	if !ok {
		i--
	}
	if i < 0 || addr-(*hosted)[i].Base > (*hosted)[i].Size {
		return nil
	}
	return (*hosted)[i]
}

func byBase(s *Segment, addr uint64) int { return cmp.Compare(s.Base, addr) }
