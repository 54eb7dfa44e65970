package similar

import (
	"cmp"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// A Searcher searches documents. An [Index] and [Shards] have one each. [Searcher.With] makes one that
// searches an index with the statistics of a larger collection. Each call sees one state of the
// documents, the present one. Any number of goroutines may use a Searcher at once, also while the
// documents change.
type Searcher struct {
	options  Options
	analyzer *text.Analyzer
	speaks   []*text.Analyzer // by number, the first is analyzer
	searched []int            // the numbers of those that make terms of documents
	schema   schema
	term     func(string) (string, bool) // of the vocabulary, nil if it changes nothing

	state  func() (*view, error)   // returns the present state, or ErrClosed
	words  func(string) []Word     // of a term; nil where the documents are read for them
	reader atomic.Pointer[analyst] // of queries; nil while it is at work
}

// newSearcher returns the searcher of documents that are indexed with options.
func newSearcher(o Options, state func() (*view, error)) (*Searcher, error) {
	a, err := text.NewAnalyzer(o.Text)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(o.Weight.Check(), o.Vectors.check()); err != nil {
		return nil, err
	}
	term, err := o.Vocabulary.mapping()
	if err != nil {
		return nil, err
	}
	if o.Positions && (term != nil || o.Text.NGrams > 1) {
		return nil, errors.New("similar: positions are of words, and Options.Vocabulary or Text.NGrams makes other terms")
	}
	schema, err := newSchema(o.Fields)
	if err != nil {
		return nil, err
	}
	if schema.typed && term != nil {
		return nil, errors.New("similar: the schema has types, whose terms are words and values, and Options.Vocabulary makes other terms")
	}
	if o.Weight = o.Weight.Resolved(); len(schema.streams) > 0 && o.Weight.Kind != weight.KindBM25 {
		return nil, fmt.Errorf("similar: a field of the schema has a B, and the weights are %s; want BM25", o.Weight)
	}
	speaks, err := schema.analyzers(a)
	if err != nil {
		return nil, err
	}
	return &Searcher{options: o, analyzer: a, speaks: speaks, searched: schema.searched(), schema: schema, term: term, state: state}, nil
}

// over returns the searcher of other states, of documents that are indexed with the same options.
func (x *Searcher) over(state func() (*view, error)) *Searcher {
	return &Searcher{options: x.options, analyzer: x.analyzer, speaks: x.speaks, searched: x.searched, schema: x.schema, term: x.term, state: state}
}

// Options returns what the index was made with.
func (x *Searcher) Options() Options { return x.options }

// Analyzer returns what makes terms of the index's documents and of its queries. With it a page
// finds the words of a text that a query has met.
func (x *Searcher) Analyzer() *text.Analyzer { return x.analyzer }

// Analyzers returns all that make terms of the index's documents, of one language each. There is
// one where no field has its own language.
func (x *Searcher) Analyzers() (list []*text.Analyzer) {
	for _, n := range x.searched {
		list = append(list, x.speaks[n])
	}
	return list
}

// Len returns the number of documents, 0 after Close.
func (x *Searcher) Len() int {
	v, err := x.state()
	if err != nil {
		return 0
	}
	return v.len()
}

// Document returns the document with an id. Errors: ErrUnknown, ErrClosed, ErrDamaged.
func (x *Searcher) Document(id string) (d Document, err error) {
	v, err := x.state()
	if err != nil {
		return Document{}, err
	}
	defer v.end(&err)
	i, ord, ok := v.place(id)
	if !ok {
		return Document{}, fmt.Errorf("similar: %q: %w", id, ErrUnknown)
	}
	d, err = v.parts[i].document(ord)
	if err != nil {
		return Document{}, fmt.Errorf("similar: %w", err)
	}
	return d, nil
}
