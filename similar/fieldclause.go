package similar

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// A document with the words of a clause about a field is read to see whether the field has them. The
// title and the text are fields, too, with these names.
const (
	titleField = "title"
	textField  = "text"
)

// inField reports whether the field of a condition has its words, in a document that has them.
func (m *matcher) inField(c *condition, doc uint32) bool {
	r := c.index.schema.ofAny(c.field)
	if r.weight == 0 {
		return false // it is not searched
	}
	if r.analyzer == ofDocument {
		d, err := m.p.document(int(doc))
		if err != nil {
			m.broken = cmp.Or(m.broken, err)
			return false
		}
		r = c.index.schema.resolver(&d)(r)
	}
	s, err := m.p.fieldOf(int(doc), c.field)
	if err != nil {
		m.broken = cmp.Or(m.broken, err)
		return false
	}
	if c.phrase != nil {
		return c.phrase.in(s, r.analyzer)
	}
	have := map[string]bool{}
	c.index.terms(c.index.speaks[r.analyzer], s, func(t string) { have[t] = true })
	return slices.ContainsFunc(c.words, func(all []int) bool {
		return !slices.ContainsFunc(all, func(n int) bool { return !have[m.lookups[n].text] })
	})
}

// fieldOf returns a copy of the text of a field, nothing if the document does not have it.
func (p *part) fieldOf(ord int, field string) (string, error) {
	r := p.reader()
	defer p.columns.readers.Put(r)
	if field == textField {
		_, text, err := p.stored(r, ord, math.MaxInt)
		return string(text), err
	}
	head, err := p.head(r, ord)
	if err != nil {
		return "", err
	}
	n, k := uvarint(head)
	value, ok := "", k > 0
	if ok && field == titleField {
		value = textOf(head[k : k+n])
	} else if ok {
		value, _, ok = storedField(textOf(head), field)
	}
	if !ok {
		return "", p.Damaged("the title or the fields of document %q are broken", p.ID(ord))
	}
	return strings.Clone(value), nil
}

// findSets finds the documents of the part that are in the ranges of a condition.
func (m *matcher) findSets(c *condition) {
	if c == nil {
		return
	}
	if c.where != nil {
		set, err := m.p.setOf(c.where)
		if m.sets == nil {
			m.sets = map[*condition]*docSet{}
		}
		m.sets[c], m.broken = set, cmp.Or(m.broken, err)
	}
	for _, list := range [][]*condition{c.required, c.optional, c.excluded} {
		for _, of := range list {
			m.findSets(of)
		}
	}
}

// HasField reports whether documents may have a field of this name: title, text, or a field of one
// of them, or that the schema names. It is for query.Options. The first call reads the fields of
// all documents.
func (x *Searcher) HasField(name string) bool {
	v, err := x.state()
	if err != nil {
		return false
	}
	defer v.end(&err)
	return name == titleField || name == textField || x.schema.has(name) || slices.ContainsFunc(v.parts, func(p *part) bool { return p.hasField(name) })
}

// fieldNames are the names of the fields of a segment's documents.
type fieldNames struct {
	once  sync.Once
	names map[string]bool
}

// maxNames is how many names of fields of a segment are known at most.
const maxNames = 1 << 16

// hasField reports whether one of the part's documents has a field. Of a damaged one it knows none:
// a search says that it is damaged.
func (p *part) hasField(name string) bool {
	k := &p.columns.fields
	k.once.Do(func() {
		k.names = map[string]bool{}
		r := p.reader()
		defer p.columns.readers.Put(r)
		for ord := range p.Len() {
			head, err := p.head(r, ord)
			if err != nil {
				return
			}
			for i := 0; len(head) > 0 && len(k.names) < maxNames; i++ {
				n, size := uvarint(head)
				if size == 0 {
					return
				}
				if name := head[size : size+n]; i%2 == 1 && !k.names[string(name)] {
					k.names[string(name)] = true
				}
				head = head[size+n:]
			}
		}
	})
	return k.names[name]
}
