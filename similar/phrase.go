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
	matchers map[int]*text.Matcher // by the number of the analyzer
	terms    []phraseTerm
	number   map[string]int // of a term, in terms
	slop     int
	index    *Searcher
	scratch  sync.Pool // of *occurrences
}

// A phraseTerm is a term of a phrase, and its places among the words of the phrase, which rise.
type phraseTerm struct {
	number  int // among the filter's terms
	offsets []int
}

// occurrences is where the terms of a phrase are in a text.
type occurrences struct {
	places [][]int // of each term
	order  []int   // the terms, the one with the fewest places first
}

// phrase compiles a phrase. Stop words keep their places, and may be any words. In several
// languages it is one of several phrases, each of the terms of one language.
func (m *compiler) phrase(c query.Phrase, factor float64) (*condition, error) {
	m.countText(c.Text, wordTerms, factor, func(string) {})
	var list []*condition
	var said []string // the phrases of list
	for _, a := range m.analyzers() {
		found, says, err := m.phraseIn(a, c)
		if err != nil {
			return nil, err
		}
		if found != nil && !slices.Contains(said, says) {
			list, said = append(list, found), append(said, says)
		}
	}
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	}
	return &condition{group: true, optional: list}, nil
}

// phraseIn compiles a phrase in the language of an analyzer, and returns what is the same for two
// of the same terms at the same places.
func (m *compiler) phraseIn(a *text.Analyzer, c query.Phrase) (found *condition, says string, err error) {
	p := &phrase{slop: c.Slop, index: m.x, matchers: map[int]*text.Matcher{}, number: map[string]int{}}
	for _, n := range m.x.searched {
		p.matchers[n] = m.x.speaks[n].NewMatcher()
	}
	var all []int
	words := 0
	for place, t := range a.Places(c.Text) {
		mapped, ok := m.x.mapped(t.Text)
		if !ok {
			continue
		}
		if n := m.number(mapped); !slices.Contains(all, n) {
			all = append(all, n)
		}
		words++
		says += fmt.Sprintf("%d %s\n", place, t.Text)
		p.add(t.Text, m.number(mapped), place)
	}
	switch {
	case words == 0:
		return nil, "", nil
	case words > maxPhrase:
		return nil, "", fmt.Errorf("similar: a phrase of %d words that tell documents apart; %d are the most", words, maxPhrase)
	case words == 1:
		p = nil
	}
	m.reads = m.reads || p != nil
	return &condition{words: [][]int{all}, phrase: p}, says, nil
}

// add adds a word.
func (p *phrase) add(term string, number, offset int) {
	n, ok := p.number[term]
	if !ok {
		n = len(p.terms)
		for _, of := range p.matchers {
			of.Add(term)
		}
		p.number[term], p.terms = n, append(p.terms, phraseTerm{number: number})
	}
	t := &p.terms[n]
	t.offsets = append(t.offsets, offset)
}

// take returns occurrences without places. The caller puts them back into scratch.
func (p *phrase) take() *occurrences {
	o, ok := p.scratch.Get().(*occurrences)
	if !ok {
		o = &occurrences{places: make([][]int, len(p.terms)), order: make([]int, len(p.terms))}
	}
	for i := range o.places {
		o.places[i] = o.places[i][:0]
	}
	return o
}

// in reports whether a text has the phrase.
func (p *phrase) in(s string, analyzer int) bool {
	o := p.take()
	defer p.scratch.Put(o)
	for place, t := range p.matchers[analyzer].Places(s) {
		n := p.number[t.Text]
		o.places[n] = append(o.places[n], place)
	}
	return p.at(o)
}

// at reports whether the phrase is at the places of its terms.
func (p *phrase) at(o *occurrences) bool {
	for i := range p.terms {
		if len(o.places[i]) < len(p.terms[i].offsets) {
			return false
		}
		o.order[i] = i
	}
	slices.SortFunc(o.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(o.places[a]), len(o.places[b])), cmp.Compare(a, b))
	})
	return p.near(o)
}

// near reports whether the places of all words, less their places in the phrase, are within a
// stretch of slop. It tries each stretch that has a place of the rarest word.
func (p *phrase) near(o *occurrences) bool {
	rarest := o.order[0]
	next := math.MinInt // places below were tried
	for _, place := range o.places[rarest] {
		last := place - p.terms[rarest].offsets[0]
		for from := max(next, last-p.slop); from <= last; from++ {
			if p.within(o, from) {
				return true
			}
		}
		next = last + 1
	}
	return false
}

// within reports whether each word has its own place in the stretch that begins at from. Each of
// several words of one term takes the first place that no other has taken.
func (p *phrase) within(o *occurrences, from int) bool {
	for _, i := range o.order {
		places := o.places[i]
		for _, offset := range p.terms[i].offsets {
			at, _ := slices.BinarySearch(places, from+offset)
			if at == len(places) || places[at] > from+offset+p.slop {
				return false
			}
			places = places[at+1:]
		}
	}
	return true
}

// holds reports whether a document, which has all its terms, has a phrase in one of its texts.
func (m *matcher) holds(p *phrase, doc uint32) bool {
	if m.p.HasPlaces() && p.placed() {
		o := p.take()
		defer p.scratch.Put(o)
		for i, t := range p.terms {
			var err error
			if o.places[i], err = m.lookups[t.number].placesIn(m.p, doc, o.places[i]); err != nil {
				m.broken = cmp.Or(m.broken, err)
				return false
			}
		}
		return p.at(o)
	}
	d, err := m.p.document(int(doc))
	if err != nil {
		m.broken = cmp.Or(m.broken, err)
		return false
	}
	found := false
	p.index.schema.texts(&d, func(s string, r rule) { found = found || p.in(s, r.analyzer) })
	return found
}

// placesIn appends the places of the term in a document that has it.
func (l *lookup) placesIn(p *part, doc uint32, dst []int) ([]int, error) {
	if l.first(doc) != doc {
		return dst, l.Err()
	}
	if !l.placed {
		l.places.Open(p.Segment, l.term)
		l.placed = true
	}
	return l.places.Append(dst, l.Block(), l.at)
}
