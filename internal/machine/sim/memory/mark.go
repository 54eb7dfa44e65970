package memory

import "slices"

// Mark has the allocations at a moment. The contents of the memory are not in it.
type Mark struct {
	next          uint64
	used, garbage int64
	freed         []*Segment
	table         []*Segment
	gone          []bool // which of table were freed
	dead          int
	deadBytes     int64
}

// Mark notes what is allocated.
func (m *Space) Mark() *Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := &Mark{
		next: m.next, used: m.used, garbage: m.garbage, freed: slices.Clone(m.freed),
		table: slices.Clone(*m.table.Load()), dead: m.dead, deadBytes: m.deadBytes,
	}
	for _, s := range k.table {
		k.gone = append(k.gone, s.freed.Load())
	}
	return k
}

// Return makes what is allocated what it was at a mark. An allocation made since then is no more, and
// its address will be handed out again. Nothing else may use the space meanwhile.
func (m *Space) Return(k *Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next, m.used, m.garbage, m.dead, m.deadBytes = k.next, k.used, k.garbage, k.dead, k.deadBytes
	m.freed = slices.Clone(k.freed)
	table := slices.Clone(k.table)
	for i, s := range table {
		s.freed.Store(k.gone[i])
	}
	m.table.Store(&table)
}

// Live returns the segments that were allocated at the mark, by address.
func (k *Mark) Live() []*Segment {
	var list []*Segment
	for i, s := range k.table {
		if !k.gone[i] {
			list = append(list, s)
		}
	}
	return list
}
