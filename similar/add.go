package similar

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/text"
)

// The most documents and bytes of text of a segment that Add makes.
const (
	addDocuments = 1 << 15
	addBytes     = 64 << 20
	addFew       = 256 // documents that one goroutine analyses sooner than several
)

// maxText is how many bytes the texts of a document may have.
const maxText = 1 << 30

// Add adds documents. A document replaces one with the same id. Among several with the same id in
// one call the last one counts. Queries see all documents of the call or none of them. With an
// error none was added. Documents are analysed by all processors. Add waits when merges have fallen
// far behind.
func (x *Index) Add(ctx context.Context, docs ...Document) error {
	order, err := x.orderOf(docs)
	if err != nil || len(order) == 0 {
		return err
	}
	if err := x.waitForMerges(ctx); err != nil {
		return err
	}
	segments, err := x.analyse(ctx, docs, x.cut(docs, order))
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return ErrClosed
	}
	v := x.view.Load()
	parts := slices.Clone(v.parts)
	for i, p := range parts {
		var dead []int
		for _, s := range segments {
			dead = p.replaced(dead, s)
		}
		if len(dead) > 0 {
			var err error
			if parts[i], err = p.without(dead); err != nil {
				return fmt.Errorf("similar: %w", err)
			}
		}
	}
	if err := v.damage(); err != nil {
		return err
	}
	for _, s := range segments {
		parts = append(parts, newPart(s))
	}
	x.publish(parts)
	return nil
}

// orderOf returns the places of the documents to add, by id.
func (x *Index) orderOf(docs []Document) ([]int, error) {
	order := make([]int, len(docs))
	for i, d := range docs {
		if d.ID == "" {
			return nil, errors.New("similar: a document without an id")
		}
		if !utf8.ValidString(d.ID) {
			return nil, fmt.Errorf("similar: the id %q is not UTF-8", d.ID)
		}
		if n := x.schema.placed(&d); x.options.Positions && n > maxPlaced {
			return nil, fmt.Errorf("similar: document %q has %d fields and keywords, and at most %d are possible in an index with positions", d.ID, n, maxPlaced)
		}
		if err := x.CheckFields(&d); err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		if n := x.schema.size(&d); n > maxText {
			return nil, fmt.Errorf("similar: document %q has %d bytes of text, and at most %d are possible; cut it into several", d.ID, n, maxText)
		}
		if d.Vector != nil {
			if err := x.options.Vectors.checkVector(d.Vector); err != nil {
				return nil, fmt.Errorf("similar: document %q: %w", d.ID, err)
			}
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(docs[a].ID, docs[b].ID) })
	last := order[:0]
	for i, at := range order {
		if i+1 == len(order) || docs[order[i+1]].ID != docs[at].ID {
			last = append(last, at)
		}
	}
	return last, nil
}

// cut divides the documents among segments.
func (x *Index) cut(docs []Document, order []int) [][]int {
	few := min(addDocuments, max(addFew, (len(order)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0)))
	most := addBytes
	if memory := x.memory.Load(); memory > 0 {
		most = int(min(addBytes, memory/int64(textShare*runtime.GOMAXPROCS(0))))
	}
	var chunks [][]int
	from, size := 0, 0
	for i, at := range order {
		size += x.schema.size(&docs[at]) + 4*len(docs[at].Vector)
		if i+1-from == few || size >= most || i+1 == len(order) {
			chunks = append(chunks, order[from:i+1])
			from, size = i+1, 0
		}
	}
	return chunks
}

// analyse makes a segment of each chunk, by all processors.
func (x *Index) analyse(ctx context.Context, docs []Document, chunks [][]int) ([]*segment.Segment, error) {
	segments := make([]*segment.Segment, len(chunks))
	errs := make([]error, len(chunks))
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(chunks); i = int(next.Add(1)) - 1 {
			segments[i], errs[i] = x.segmentOf(ctx, docs, chunks[i])
		}
	}
	parallel(min(len(chunks), runtime.GOMAXPROCS(0)), work)
	return segments, errors.Join(errs...)
}

// An analyst makes segments of documents. It keeps what it has learnt of words, and its memory,
// from one to the next. One goroutine may use it.
type analyst struct {
	index   *Searcher
	lexicon *text.Lexicon   // of the first analyzer; it numbers all terms
	others  []*text.Lexicon // by analyzer, nil until it is used
	builder *segment.Builder
	tally   tally
	streams streamTally
}

// An analyst that has come so far is not used again, so that what it keeps is bounded.
const (
	analystWords    = 1 << 20
	analystPostings = 1 << 22
)

func (x *Searcher) newAnalyst() *analyst {
	l := x.analyzer.NewLexicon(x.term)
	a := &analyst{index: x, lexicon: l, builder: segment.NewBuilder(l.Term)}
	if x.options.Positions {
		a.builder.KeepPlaces()
	}
	return a
}

func (x *Index) segmentOf(ctx context.Context, docs []Document, order []int) (*segment.Segment, error) {
	a, ok := x.analysts.Get().(*analyst)
	if !ok {
		a = x.newAnalyst()
	}
	for _, at := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if a.add(&docs[at]); a.lexicon.Full() {
			return nil, fmt.Errorf("similar: document %q: its terms would take more than two gigabytes; cut it into several, or use shorter n-grams", docs[at].ID)
		}
	}
	postings := a.builder.Postings()
	s, err := a.builder.Segment()
	words := analystWords
	if memory := x.memory.Load(); memory > 0 {
		words = int(min(analystWords, memory/wordBudget))
	}
	if a.size() < words && postings < analystPostings {
		x.analysts.Put(a)
	}
	return s, err
}

func (a *analyst) add(d *Document) {
	b := a.builder
	b.Begin(d.ID)
	if a.index.options.Positions {
		a.addPlaces(d)
	} else {
		a.index.schema.texts(d, func(s string, r rule) {
			b.Weight(r.weight)
			a.of(r).Numbers(s, func(numbers []uint32) {
				b.Terms(numbers)
				a.count(r, numbers)
			})
		})
		b.Weight(1)
		a.keywords(d, b.Terms)
		a.mark(0)
	}
	if d.Vector != nil {
		b.Vector(d.Vector, segment.Storage(a.index.options.Vectors.Storage))
	}
	b.End(d.appendHead, d.appendText)
}

// keywords yields the numbers of the terms of a document's keywords, each by itself.
func (a *analyst) keywords(d *Document, yield func(numbers []uint32)) {
	one := make([]uint32, 1)
	a.index.schema.keywords(d, func(term string) {
		if one[0] = a.lexicon.Number(term); one[0] != text.Omitted {
			yield(one)
		}
	})
}

// of returns the lexicon of a field's language.
func (a *analyst) of(r rule) *text.Lexicon {
	if r.analyzer == 0 {
		return a.lexicon
	}
	if a.others == nil {
		a.others = make([]*text.Lexicon, len(a.index.speaks))
	}
	l := &a.others[r.analyzer]
	if *l == nil {
		*l = a.lexicon.Beside(a.index.speaks[r.analyzer])
	}
	return *l
}

// size returns how many words and terms the lexicons have met.
func (a *analyst) size() int {
	n := a.lexicon.Len()
	for _, l := range a.others {
		if l != nil {
			n += l.Len()
		}
	}
	return n
}

// terms yields the terms of a text in the language of an analyzer.
func (x *Searcher) terms(a *text.Analyzer, s string, yield func(string)) {
	for t := range a.Terms(s) {
		if term, ok := x.mapped(t.Text); ok {
			yield(term)
		}
	}
}

// mapped returns what the vocabulary makes of a term, and whether that is a term.
func (x *Searcher) mapped(term string) (string, bool) {
	if x.term == nil {
		return term, true
	}
	return x.term(term)
}

// replaced appends the ordinals of the living documents whose ids a segment has, too.
func (p *part) replaced(dst []int, s *segment.Segment) []int {
	small, large := p.Segment, s
	if s.Len() < p.Len() {
		small, large = s, p.Segment
	}
	from := 0
	for i := range small.Len() {
		at, ok := large.Find(small.ID(i), from)
		if from = at; from >= large.Len() {
			break
		}
		if small == s {
			i = at
		}
		if ok && !p.isDead(i) {
			dst = append(dst, i)
		}
	}
	return dst
}
