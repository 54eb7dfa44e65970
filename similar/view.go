package similar

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/gridstride/gridstride/similar/weight"
)

// A view is one state of an index, or of several together, and what a search of it needs. It is
// immutable; what is computed of it is computed once.
type view struct {
	parts      []*part
	collection weight.Collection
	scheme     weight.Scheme
	vectors    VectorOptions

	tableOnce sync.Once
	bm25      *table
	normsOnce sync.Once
	norms     [][]float64 // of each part's documents
	maxOnce   sync.Once
	maxTF     [][]uint32
	broken    error // of maxTF or norms, which are not whole then
}

func newView(parts []*part, o Options) *view {
	v := &view{parts: parts, scheme: o.Weight.Resolved(), vectors: o.Vectors}
	for _, p := range parts {
		v.collection = v.collection.Add(p.live())
	}
	return v
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

// df returns in how many living documents a term is.
func (v *view) df(term string) int64 {
	n := int64(0)
	for _, p := range v.parts {
		if t, ok := p.FindTerm(term); ok {
			n += p.liveDF(t)
		}
	}
	return n
}

// table has the weights of BM25 for the frequencies and lengths that most postings have.
type table [tableTFs * tableLengths]float64

const (
	tableTFs     = 16
	tableLengths = 1024
)

// weights returns the table, or nil where the scheme is another.
func (v *view) weights() *table {
	if v.scheme.Kind != weight.KindBM25 {
		return nil
	}
	v.tableOnce.Do(func() {
		v.bm25 = new(table)
		for tf := range int64(tableTFs) {
			for length := range int64(tableLengths) {
				v.bm25[tf*tableLengths+length] = v.scheme.Document(tf, 0, weight.Document{Length: length}, v.collection)
			}
		}
	})
	return v.bm25
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
