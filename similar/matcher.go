package similar

import (
	"cmp"
	"math"
	"slices"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// A matcher says which documents of one part meet a filter. The documents come in their
// order.
type matcher struct {
	*filter
	p       *part
	lookups []lookup               // of the filter's terms
	more    []*lookup              // of other terms that are scored
	lead    []int                  // the terms that every document has that matches, the rarest first
	never   bool                   // one of them is in no document of the part
	broken  error                  // of a document that was read
	sets    map[*condition]*docSet // of ranges
}

// A lookup finds documents with a term, in their order.
type lookup struct {
	scanTerm
	there  bool // the part has the term
	asked  bool
	next   uint32              // the first posting that is not below the document last asked about, if one was
	term   segment.Term        // of the part
	places segment.PlaceReader // of the term, if a phrase has asked for places
	placed bool                // one has
}

// none is no document.
const none = math.MaxUint32

// of returns the filter's matcher of a part, or nil without a filter.
func (f *filter) of(p *part) *matcher {
	if f == nil {
		return nil
	}
	m := &matcher{filter: f, p: p, lookups: make([]lookup, len(f.terms))}
	for i, name := range f.terms {
		m.lookups[i].open(p, name)
	}
	m.findSets(f.root)
	m.lead = f.root.must(nil)
	slices.SortFunc(m.lead, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.lookups[a].DF(), m.lookups[b].DF()), cmp.Compare(a, b))
	})
	m.lead = slices.Compact(m.lead)
	m.never = slices.ContainsFunc(m.lead, func(i int) bool { return !m.lookups[i].there })
	return m
}

// open sets a lookup before the first document with a term.
func (l *lookup) open(p *part, name string) {
	t, ok := p.FindTerm(name)
	l.text, l.block = name, -1
	if l.there = ok; ok {
		l.rank, l.term = t.Rank, t
		l.Open(p.Segment, t)
	}
}

// leads reports whether every document that matches has some terms.
func (m *matcher) leads() bool { return m != nil && len(m.lead) > 0 }

// damage returns the error of the first list that is damaged.
func (m *matcher) damage() (err error) {
	if m == nil {
		return nil
	}
	err = m.broken
	for i := range m.lookups {
		err = cmp.Or(err, m.lookups[i].Err(), m.lookups[i].streams.damage())
	}
	for _, l := range m.more {
		err = cmp.Or(err, l.Err(), l.streams.damage())
	}
	return err
}

// first returns the first document with the term that is not below doc, or none.
func (l *lookup) first(doc uint32) uint32 {
	if l.asked && l.next >= doc {
		return l.next
	}
	for l.asked = true; l.Seek(doc); {
		if l.atOf != l.Block() {
			l.at, l.atOf = 0, l.Block()
		}
		docs := l.Docs()
		if l.at += search(docs[l.at:], doc); l.at < len(docs) {
			l.next = docs[l.at]
			return l.next
		}
		if !l.Next() {
			break
		}
	}
	l.next = none
	return none
}

// frequent returns the first document from doc on, which has the term, in which the term occurs least
// times. It looks up to a last document, which is no later than the block's, and returns the first
// one with the term after it if there is none.
func (l *lookup) frequent(doc, least, last uint32) uint32 {
	if least <= 1 {
		return doc
	}
	docs, tfs := l.Docs(), l.TFs()
	for i := l.at; i < len(docs) && docs[i] <= last; i++ {
		if tfs[i] >= least {
			l.at, l.next = i, docs[i]
			return docs[i]
		}
	}
	if last == none {
		return none
	}
	return l.first(last + 1)
}

// matches reports whether a document meets the filter.
func (m *matcher) matches(doc uint32) bool { return m.meets(m.root, doc) }

// meets reports whether a document meets a condition.
func (m *matcher) meets(c *condition, doc uint32) bool {
	switch {
	case c.group:
	case c.where != nil:
		set := m.sets[c]
		return set != nil && set.has(doc)
	case c.field != "":
		return m.hasAny(c.words, doc) && m.inField(c, doc)
	default:
		return m.hasAny(c.words, doc) && (c.phrase == nil || m.holds(c.phrase, doc))
	}
	for _, r := range c.required {
		if !m.meets(r, doc) {
			return false
		}
	}
	for _, e := range c.excluded {
		if m.meets(e, doc) {
			return false
		}
	}
	if len(c.required) > 0 || len(c.optional) == 0 {
		return true
	}
	for _, o := range c.optional {
		if m.meets(o, doc) {
			return true
		}
	}
	return false
}

func (m *matcher) hasAny(words [][]int, doc uint32) bool {
	for _, all := range words {
		if m.hasAll(all, doc) {
			return true
		}
	}
	return false
}

func (m *matcher) hasAll(terms []int, doc uint32) bool {
	for _, n := range terms {
		if l := &m.lookups[n]; !l.there || l.first(doc) != doc {
			return false
		}
	}
	return true
}
