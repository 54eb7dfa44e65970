package memory

import (
	"cmp"
	"slices"
)

// Reachable returns the live segments that the device's threads reach, by address: its own, host memory
// that is also the device's, and peers'.
func (m *Space) Reachable() []*Segment {
	list := slices.Collect(m.live())
	if hosted := m.hosted.Load(); hosted != nil {
		list = append(list, *hosted...)
	}
	if peers := m.peers.Load(); peers != nil {
		for _, p := range *peers {
			list = slices.AppendSeq(list, p.live())
		}
	}
	slices.SortFunc(list, func(a, b *Segment) int { return cmp.Compare(a.Base, b.Base) })
	return list
}

// Put adds a segment at its own address, so that a space becomes like another one. It must overlap none
// that is there. Later allocations follow it.
func (m *Space) Put(s *Segment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	table := append(slices.Clone(*m.table.Load()), s)
	slices.SortFunc(table, func(a, b *Segment) int { return cmp.Compare(a.Base, b.Base) })
	m.table.Store(&table)
	m.used += int64(s.Size)
	first := m.next &^ (deviceSize - 1)
	if end := (s.Base+s.Size+Align-1)&^(Align-1) + GuardGap; s.Base >= first && end > m.next && end < first+deviceSize {
		m.next = end
	}
}
