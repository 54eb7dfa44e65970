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
	if base < GlobalBase+Devices*deviceSize && base+s.Size > GlobalBase {
		return fmt.Errorf("host memory at %#x: the devices' own memory is there", base)
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

// findElsewhere is Find among host memory, and in the memories of peers.
func (m *Space) findElsewhere(addr uint64) *Segment {
	if hosted := m.hosted.Load(); hosted != nil {
		if s := holding(*hosted, addr); s != nil {
			return s
		}
	}
	if peers := m.peers.Load(); peers != nil {
		for _, p := range *peers {
			if s := holding(*p.table.Load(), addr); s != nil {
				return s
			}
		}
	}
	return nil
}

// holding is the live segment of a sorted table that holds addr or ends there, nil for none.
func holding(table []*Segment, addr uint64) *Segment {
	i, ok := slices.BinarySearchFunc(table, addr, byBase)
	if !ok {
		i--
	}
	if i < 0 || table[i].freed.Load() || addr-table[i].Base > table[i].Size {
		return nil
	}
	return table[i]
}

// Reach makes what another device has allocated readable and writable here, at its addresses, or ends
// that. The two devices have different numbers.
func (m *Space) Reach(other *Space, on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var peers []*Space
	if now := m.peers.Load(); now != nil {
		peers = slices.DeleteFunc(slices.Clone(*now), func(p *Space) bool { return p == other })
	}
	if on {
		peers = append(peers, other)
	}
	m.peers.Store(&peers)
}

func byBase(s *Segment, addr uint64) int { return cmp.Compare(s.Base, addr) }

// Move makes mem, which is as long, the storage of the allocation at an address, and copies its bytes
// there. Nothing may use the allocation meanwhile. It reports whether there is one.
func (m *Space) Move(addr uint64, mem []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := holding(*m.table.Load(), addr)
	if s == nil || s.Base != addr || s.Size != uint64(len(mem)) {
		return false
	}
	copy(mem, s.Mem)
	s.Mem, s.P = mem, unsafe.Pointer(unsafe.SliceData(mem))
	return true
}
