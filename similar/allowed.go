package similar

import (
	"context"
	"math/bits"
)

// A docSet is the documents of a part that meet a condition, and how many they are.
type docSet struct {
	bitset
	n int
}

// allowed returns the documents that meet a condition, nil for no condition.
func (p *part) allowed(c Condition) (*docSet, error) {
	if c == nil {
		return nil, nil
	}
	return p.setOf(c)
}

// lookCost is how many postings can be added up in the time that it takes to look a document up in
// one list.
const lookCost = 10

// few reports whether so few documents are allowed that they are looked up one by one in the lists of
// the terms.
func (s *scan) few() bool {
	if s.allow == nil {
		return false
	}
	postings := 0
	for i := range s.terms {
		postings += s.terms[i].DF()
	}
	return s.allow.n*len(s.terms)*lookCost < postings
}

// runAllowed scores the documents that are allowed, from the lists of all terms.
func (s *scan) runAllowed(ctx context.Context) error {
	s.loose = 0
	for w, word := range s.allow.bitset {
		if w%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for ; word != 0; word &= word - 1 {
			s.look(uint32(w*64 + bits.TrailingZeros64(word)))
		}
	}
	return nil
}

// look scores a document.
func (s *scan) look(doc uint32) {
	if s.p.isDead(int(doc)) || s.skips(doc) || s.matcher != nil && !s.matcher.reads && !s.matcher.matches(doc) {
		return
	}
	score := 0.0
	for i := range s.terms {
		t := &s.terms[i]
		if docs := s.advance(t, doc); docs != nil && docs[t.at] == doc {
			score += float64(s.share(t, t.TFs()[t.at], doc))
		}
	}
	s.offer(doc, score)
}
