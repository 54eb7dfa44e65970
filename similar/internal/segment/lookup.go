package segment

import (
	"sort"
	"sync"
)

// A lookup is what searches of the dictionary look at instead of the names and the lists. It is
// computed when it is first needed.
type lookup struct {
	keysOnce  sync.Once
	keys      []uint64 // of each group the first bytes of its first name
	stepsOnce sync.Once
	steps     []step
}

// A step is the lowest rank of the terms with a frequency. Ranks rise as frequencies fall.
type step struct{ rank, df uint32 }

func (l *lookup) keysOf(s *Segment) []uint64 {
	l.keysOnce.Do(func() {
		if !s.checkFirstNames() {
			s.fail("the names of the terms are broken, or have another checksum")
			return
		}
		l.keys = make([]uint64, len(s.nameAt))
		for i := range l.keys {
			l.keys[i] = keyOf(s.firstName(i))
		}
	})
	return l.keys
}

// checkFirstNames reports whether the first name of each group can be read.
func (s *Segment) checkFirstNames() bool {
	if s.groups == nil {
		return true
	}
	if !s.guard.whole(s.names) || !s.guard.whole(bytesOf(s.nameAt)) {
		return false
	}
	for _, at := range s.nameAt {
		if int(at) > len(s.names) {
			return false
		}
		if same, _, _, ok := checkName(s.names, int(at)); !ok || same != 0 {
			return false
		}
	}
	return true
}

func (l *lookup) stepsOf(s *Segment) []step {
	l.stepsOnce.Do(func() {
		lowest := map[uint32]uint32{} // the lowest rank of a frequency
		for w := s.Walk(); w.Next(); {
			t := w.Term()
			if rank, ok := lowest[t.DF]; !ok || t.Rank < rank {
				lowest[t.DF] = t.Rank
			}
		}
		for df, rank := range lowest {
			l.steps = append(l.steps, step{rank, df})
		}
		sort.Slice(l.steps, func(i, j int) bool { return l.steps[i].rank < l.steps[j].rank })
	})
	return l.steps
}

// Frequency returns the rank of a term and in how many documents it is. It is faster than FindTerm
// after the first call, which reads all of the dictionary.
func (s *Segment) Frequency(name string) (rank, df uint32, ok bool) {
	place, ok := s.findPlace(name)
	if !ok {
		return 0, 0, false
	}
	rank, steps := s.rank.at(place), s.lookup.stepsOf(s)
	i := sort.Search(len(steps), func(i int) bool { return steps[i].rank > rank })
	if i == 0 { // the dictionary is damaged, which Err says
		return 0, 0, false
	}
	return rank, steps[i-1].df, true
}
