package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// Index holds documents. Any number of goroutines may use it at once.
type Index struct {
	options  Options
	analyzer *text.Analyzer
	speaks   []*text.Analyzer // by number, the first is analyzer
	searched []int            // the numbers of those that make terms of documents
	schema   schema
	term     func(string) (string, bool) // of the vocabulary, nil if it changes nothing

	view     atomic.Pointer[view]    // the present state
	analysts sync.Pool               // of *analyst, those that are not at work
	reader   atomic.Pointer[analyst] // of queries; nil while it is at work

	mu      sync.Mutex // held while a new state is made of the present one
	closed  bool
	merging map[*segment.Segment]bool // those that merges read which run
	running int                       // merges
	compact int                       // calls of Compact that wait for them
	broken  map[*segment.Segment]bool // those that a merge failed to read, which are not merged again
	changed chan struct{}             // closed, and made anew, when a merge has ended
	stop    context.CancelFunc
	open    context.Context // until Close
	merges  sync.WaitGroup

	memory  atomic.Int64  // Options.Memory
	full    error         // of the last merge into a file that failed; under mu
	catalog *catalogBytes // nil if there is none; under mu

	saving    sync.Mutex // held while the index is saved, with what follows
	home      home
	locked    string          // the folder that Lock took
	files     map[string]bool // paths of merges that no save has kept; see flush.go
	flushed   int             // how many files were named
	temporary string          // the folder of others
	release   func() error    // gives it back
}

// New returns an empty index in memory.
func New(o Options) (*Index, error) {
	a, err := text.NewAnalyzer(o.Text)
	if err != nil {
		return nil, err
	}
	if err := o.Weight.Check(); err != nil {
		return nil, err
	}
	if err := cmp.Or(o.Vectors.check(), checkMemory(o.Memory)); err != nil {
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
	x := &Index{speaks: speaks, searched: schema.searched(), options: o, schema: schema, analyzer: a, term: term, changed: make(chan struct{}), broken: map[*segment.Segment]bool{}, merging: map[*segment.Segment]bool{}, files: map[string]bool{}}
	x.memory.Store(o.Memory)
	x.open, x.stop = context.WithCancel(context.Background())
	x.view.Store(newView(nil, o))
	return x, nil
}

// Options returns what the index was made with.
func (x *Index) Options() Options { return x.options }

// Analyzer returns what makes terms of the index's documents and of its queries. With it a page
// finds the words of a text that a query has met.
func (x *Index) Analyzer() *text.Analyzer { return x.analyzer }

// Analyzers returns all that make terms of the index's documents, of one language each. There is
// one where no field has a language of its own.
func (x *Index) Analyzers() (list []*text.Analyzer) {
	for _, n := range x.searched {
		list = append(list, x.speaks[n])
	}
	return list
}

// Len returns the number of documents.
func (x *Index) Len() int { return int(x.view.Load().collection.Documents) }

// Close stops merges and waits for them, and for a Save that runs. It gives back what Lock took. The index is of no use afterwards; searches that run end
// as they would have.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	x.stop()
	x.mu.Unlock()
	x.merges.Wait()
	x.view.Store(newView(nil, x.options))
	x.saving.Lock()
	defer x.saving.Unlock()
	err := x.dropTemporary()
	x.unlock()
	return err
}

// state returns the present state, and ErrClosed after Close.
func (x *Index) state() (*view, error) {
	v := x.view.Load()
	if x.open.Err() != nil {
		return nil, ErrClosed
	}
	return v, nil
}

// Delete deletes documents and returns how many of the ids it knew. With an error none was deleted.
//
// Errors: ErrClosed, ErrDamaged.
func (x *Index) Delete(ids ...string) (n int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return 0, ErrClosed
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	v := x.view.Load()
	parts := slices.Clone(v.parts)
	for i, p := range parts {
		var dead []int
		for _, id := range ids {
			if ord, ok := p.find(id); ok {
				dead = append(dead, ord)
			}
		}
		if n += len(dead); len(dead) > 0 {
			if parts[i], err = p.without(dead); err != nil {
				return 0, fmt.Errorf("similar: %w", err)
			}
		}
	}
	if err := v.damage(); err != nil {
		return 0, err
	}
	if n > 0 {
		x.publish(parts)
	}
	return n, nil
}

// publish makes parts the present state, and begins a merge if due. The caller holds the lock.
func (x *Index) publish(parts []*part) {
	parts = slices.DeleteFunc(parts, func(p *part) bool { return p.live().Documents == 0 })
	x.view.Store(newView(parts, x.options))
	x.mergeSoon()
}

// Document returns the document with an id. Errors: ErrUnknown, ErrClosed, ErrDamaged.
func (x *Index) Document(id string) (d Document, err error) {
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
