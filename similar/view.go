package similar

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/similar/weight"
)

// A view is one state of an index, or of several together, and what a search of it needs. It is
// immutable; what is computed of it is computed once.
type view struct {
	parts      []*part
	collection weight.Collection // of the table, if there is one
	table      *Table            // the statistics, or nil if they are the parts'
	scheme     weight.Scheme
	vectors    VectorOptions

	words     wordLists
	tables    []partTable // of BM25, one a part
	normsOnce sync.Once
	norms     [][]float64 // of each part's documents
	normsErr  error       // the norms are not whole then
	maxOnce   sync.Once
	maxTF     [][]uint32
	maxErr    error
	streams   *viewStreams // nil if there is one stream
}

func newView(parts []*part, o Options) *view {
	v := &view{parts: parts, scheme: o.Weight.Resolved(), vectors: o.Vectors, tables: make([]partTable, len(parts)), streams: newStreams(o)}
	for _, p := range parts {
		v.collection = v.collection.Add(p.live())
	}
	return v
}

// A viewCache keeps the last view that was made of others.
type viewCache struct {
	mu   sync.Mutex
	from []*view
	made *view
}

// of returns what make makes of views. It calls make if the last call had other views.
func (c *viewCache) of(views []*view, make func() *view) *view {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil || !slices.Equal(views, c.from) {
		c.from, c.made = views, make()
	}
	return c.made
}

// damage returns the first damage that was found in a part.
func (v *view) damage() error {
	for _, p := range v.parts {
		if err := p.Err(); err != nil {
			return fmt.Errorf("similar: %w", err)
		}
	}
	return nil
}

// end ends a use of the view: damage that was found takes the place of its error.
func (v *view) end(err *error) {
	if d := v.damage(); d != nil {
		*err = d
	}
	runtime.KeepAlive(v)
}

// place returns where the living document with an id is.
func (v *view) place(id string) (part, ord int, ok bool) {
	for i, p := range v.parts {
		if ord, ok := p.find(id); ok {
			return i, ord, true
		}
	}
	return 0, 0, false
}

// with returns a view of the same documents with the statistics of a table.
func (v *view) with(t *Table, o Options) *view {
	w := newView(v.parts, o)
	w.table, w.collection = t, t.collection
	return w
}

// len returns the number of living documents.
func (v *view) len() (n int) {
	for _, p := range v.parts {
		n += int(p.live().Documents)
	}
	return n
}

// df returns in how many living documents a term is.
func (v *view) df(term string) int64 {
	if v.table != nil {
		return v.table.Frequency(term)
	}
	n := int64(0)
	for _, p := range v.parts {
		if t, ok := p.FindTerm(term); ok {
			n += p.liveDF(t)
		}
	}
	return n
}

// A weightTable has BM25's weights in one part for the frequencies and lengths that most postings
// have: by frequency, and by the code of the length.
type weightTable [tableTFs << 8]float64

const tableTFs = 16

type partTable struct {
	once    sync.Once
	weights *weightTable
}

// tableOf returns the table of a part, or nil where the scheme is another.
func (v *view) tableOf(part int) *weightTable {
	if v.scheme.Kind != weight.KindBM25 || v.streams != nil {
		return nil
	}
	t := &v.tables[part]
	t.once.Do(func() {
		t.weights = new(weightTable)
		for code, length := range v.parts[part].Codes().Lengths {
			for tf := range tableTFs {
				t.weights[tf<<8|code] = v.scheme.Document(int64(tf), 0, weight.Document{Length: int64(length)}, v.collection)
			}
		}
	})
	return t.weights
}

// document returns what the weights take of a document, apart from its norm, after prepare.
func (v *view) document(part, ord int) weight.Document {
	p := v.parts[part]
	d := weight.Document{Length: int64(p.Lengths()[ord]), Unique: int64(p.Unique(ord))}
	if v.scheme.UsesMaxTF() {
		d.MaxTF = int64(v.maxTF[part][ord])
	}
	return d
}

// normed is document with the norm, after prepare.
func (v *view) normed(part, ord int) weight.Document {
	d := v.document(part, ord)
	if v.scheme.UsesNorm() {
		d.Norm = v.norms[part][ord]
	}
	return d
}
