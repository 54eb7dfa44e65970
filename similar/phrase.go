package similar

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/similar/query"
	"github.com/gridstride/gridstride/similar/text"
)

// A document with all terms of a phrase is read to see whether they are near each other, or the
// places of its terms are, if the index keeps them. Only documents are read that match otherwise,
// and score enough to be among the best.

// maxPhrase is how many terms a phrase may have.
const maxPhrase = 256

// A phrase is terms and their places.
type phrase struct {
	terms   *text.Matcher
	words   []phraseWord // by term, and then by offset
	slop    int
	index   *Index
	scratch sync.Pool // of *occurrences
}

// A phraseWord is a term of a phrase, and its place among the words of the phrase.
type phraseWord struct {
	term   string
	offset int
}

// occurrences is where the terms of a phrase are in a text.
type occurrences struct {
	places map[string][]int
	groups [][]phraseWord // one for each term, the term with the fewest places first
}

// phrase compiles a phrase. Stop words keep their places, and may be any words.
func (m *compiler) phrase(c query.Phrase, factor float64) (*condition, error) {
	p := &phrase{slop: c.Slop, index: m.x, terms: m.x.analyzer.NewMatcher()}
	var all []int
	for place, t := range m.x.analyzer.Places(c.Text) {
		mapped, ok := m.x.mapped(t.Text)
		if !ok {
			continue
		}
		m.count(mapped, factor)
		if n := m.number(mapped); !slices.Contains(all, n) {
			all = append(all, n)
		}
		p.terms.Add(t.Text)
		p.words = append(p.words, phraseWord{t.Text, place})
	}
	switch n := len(p.words); {
	case n == 0:
		return nil, nil
	case n > maxPhrase:
		return nil, fmt.Errorf("similar: a phrase of %d words that tell documents apart; %d are the most", n, maxPhrase)
	case n == 1:
		p = nil
	default:
		slices.SortFunc(p.words, func(a, b phraseWord) int {
			return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.offset, b.offset))
		})
	}
	m.reads = m.reads || p != nil
	return &condition{words: [][]int{all}, phrase: p}, nil
}

// take returns occurrences without places. They are put back into scratch.
func (p *phrase) take() *occurrences {
	o, ok := p.scratch.Get().(*occurrences)
	if !ok {
		o = &occurrences{places: map[string][]int{}}
	}
	for t, list := range o.places {
		o.places[t] = list[:0]
	}
	return o
}

// in reports whether a text has the phrase.
func (p *phrase) in(s string) bool {
	o := p.take()
	defer p.scratch.Put(o)
	for place, t := range p.terms.Places(s) {
		o.places[t.Text] = append(o.places[t.Text], place)
	}
	return p.at(o)
}

// at reports whether the phrase is at the places of its terms.
func (p *phrase) at(o *occurrences) bool {
	o.groups = o.groups[:0]
	for from := 0; from < len(p.words); {
		to := from + 1
		for to < len(p.words) && p.words[to].term == p.words[from].term {
			to++
		}
		if len(o.places[p.words[from].term]) < to-from {
			return false
		}
		o.groups = append(o.groups, p.words[from:to])
		from = to
	}
	slices.SortStableFunc(o.groups, func(a, b []phraseWord) int {
		return cmp.Compare(len(o.places[a[0].term]), len(o.places[b[0].term]))
	})
	return o.near(p.slop)
}

// near reports whether the places of all words, less their places in the phrase, are within a
// stretch of slop. It tries each stretch that has a place of the rarest word.
func (o *occurrences) near(slop int) bool {
	rarest := o.groups[0][0]
	next := math.MinInt // places below were tried
	for _, place := range o.places[rarest.term] {
		last := place - rarest.offset
		for from := max(next, last-slop); from <= last; from++ {
			if o.within(from, slop) {
				return true
			}
		}
		next = last + 1
	}
	return false
}

// within reports whether each word has its own place in the stretch that begins at from. Each of
// several words of one term takes the first place that no other has taken.
func (o *occurrences) within(from, slop int) bool {
	for _, group := range o.groups {
		places := o.places[group[0].term]
		for _, w := range group {
			at, _ := slices.BinarySearch(places, from+w.offset)
			if at == len(places) || places[at] > from+w.offset+slop {
				return false
			}
			places = places[at+1:]
		}
	}
	return true
}

// holds reports whether a document has a phrase in one of its texts.
func (m *matcher) holds(p *phrase, doc uint32) bool {
	if m.p.HasPlaces() && p.placed() {
		o := p.take()
		defer p.scratch.Put(o)
		if err := m.read(m.p, doc, m.ranks(), o); err != nil {
			m.broken = cmp.Or(m.broken, err)
			return false
		}
		return p.at(o)
	}
	d, err := m.p.document(int(doc))
	if err != nil {
		m.broken = cmp.Or(m.broken, err)
		return false
	}
	found := false
	p.index.weights.texts(&d, func(s string, _ uint32) { found = found || p.in(s) })
	return found
}
