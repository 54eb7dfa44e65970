package similar

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// Weights is the documents of one state of an index as a sparse matrix, for searches that compute
// elsewhere: the score of a document is the sum, over the terms of a query in the order of their
// numbers, of the weight in the query times that in the document, each rounded to float64. It does
// not change, and any number of goroutines may use it.
type Weights struct {
	IDs   []string // of the documents, in the order of their bytes: document i is row i
	Terms []string // in the order of their bytes: term i is column i
	Rows  CSR

	index   *Searcher
	view    *view
	dfs     []int64   // of each term
	columns [][]int32 // of a part: its terms' columns, by rank
	marks   []marks   // of a part; empty if there is one stream
}

// CSR is sparse rows, compressed: one after the other. Row i is the columns Terms[j] with Weights[j]
// for j from Starts[i] up to Starts[i+1]. The terms of a row rise. There is one start more than rows.
type CSR struct {
	Starts  []int
	Terms   []int32
	Weights []float64
}

// Weights returns the present state as numbers.
//
// Errors: ErrClosed, ErrDamaged, and the error of ctx.
func (x *Searcher) Weights(ctx context.Context) (w *Weights, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if err := v.prepare(); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	w = &Weights{Terms: v.terms(), index: x, view: v, columns: make([][]int32, len(v.parts)), marks: make([]marks, len(v.parts))}
	w.number()
	for i := range v.parts {
		w.place(i)
	}
	return w, w.fill(ctx, v.living())
}

// number finds the frequencies of the terms, which are in order, as dictionaries and tables are.
func (w *Weights) number() {
	w.dfs = make([]int64, len(w.Terms))
	if t := w.view.table; t != nil {
		for i, name := range w.Terms {
			w.dfs[i] = t.Frequency(name)
		}
		return
	}
	for _, p := range w.view.parts {
		next := 0
		for walk := p.Walk(); walk.Next(); {
			for next < len(w.Terms) && w.Terms[next] < walk.Name() {
				next++
			}
			if next < len(w.Terms) && w.Terms[next] == walk.Name() {
				w.dfs[next] += p.liveDF(walk.Term())
			}
		}
	}
}

// place finds the columns of a part's terms.
func (w *Weights) place(i int) {
	p := w.view.parts[i]
	columns, next := make([]int32, p.Terms()), 0
	of := marks{}
	for walk := p.Walk(); walk.Next(); {
		if segment.IsMark(walk.Name()) {
			of.add(w.Terms, walk)
			continue
		}
		for w.Terms[next] < walk.Name() {
			next++
		}
		columns[walk.Term().Rank] = int32(next)
	}
	w.columns[i], w.marks[i] = columns, of
}

// fill adds the ids and the rows of documents.
func (w *Weights) fill(ctx context.Context, docs []place) (err error) {
	for _, d := range docs {
		w.IDs = append(w.IDs, strings.Clone(w.view.parts[d.part].ID(d.ord)))
	}
	w.Rows, err = w.compress(ctx, docs, func(i int, row []columnCount, to *CSR) {
		doc := w.view.normed(docs[i].part, docs[i].ord)
		for _, t := range row {
			to.Terms, to.Weights = append(to.Terms, t.column), append(to.Weights, w.weight(t, docs[i], doc))
		}
	})
	return err
}

// weight is the weight of a term of a document.
func (w *Weights) weight(t columnCount, d place, doc weight.Document) float64 {
	if w.view.streams != nil {
		return w.view.weightOf(termCount{uint32(t.count), t.streams}, d.part, d.ord)
	}
	return w.view.scheme.Document(t.count, w.dfs[t.column], doc, w.view.collection)
}

// likes calls add with each term that a document has as a query, and the term's weight there.
func (w *Weights) likes(row []columnCount, add func(t columnCount, q float64)) {
	terms := make([]weight.Term, len(row))
	for i, t := range row {
		terms[i] = weight.Term{Count: t.count, DF: w.dfs[t.column]}
	}
	for i, q := range w.view.scheme.Query(terms, w.view.collection) {
		if q > 0 {
			add(row[i], q)
		}
	}
}

// compress has all processors make a row of each document: row appends the row of document i, whose counts
// it is given.
func (w *Weights) compress(ctx context.Context, docs []place, row func(i int, counts []columnCount, to *CSR)) (CSR, error) {
	chunks := make([]CSR, (len(docs)+documentsOfChunk-1)/documentsOfChunk)
	errs := make([]error, len(chunks))
	var next atomic.Int64
	err := guarded(w.view.parts, func() error {
		parallel(runtime.GOMAXPROCS(0), func() {
			for c := int(next.Add(1)) - 1; c < len(chunks); c = int(next.Add(1)) - 1 {
				first := c * documentsOfChunk
				if errs[c] = w.chunk(ctx, docs, first, min(first+documentsOfChunk, len(docs)), row, &chunks[c]); errs[c] != nil {
					next.Store(int64(len(chunks)))
				}
			}
		})
		return cmp.Or(errs...)
	})
	if err != nil {
		return CSR{}, err
	}
	return joined(chunks, len(docs)), nil
}

// documentsOfChunk is how many documents a processor is given at a time.
const documentsOfChunk = 1024

// chunk makes the rows of some of the documents.
func (w *Weights) chunk(ctx context.Context, docs []place, first, end int, row func(i int, counts []columnCount, to *CSR), to *CSR) (err error) {
	var counts []columnCount
	for i := first; i < end; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if counts, err = w.row(docs[i], counts[:0]); err != nil {
			return err
		}
		row(i, counts, to)
		to.Starts = append(to.Starts, len(to.Terms))
	}
	return nil
}

// joined returns the rows of chunks, which have the ends of their rows as starts, one after the other.
func joined(chunks []CSR, rows int) CSR {
	n := 0
	for _, c := range chunks {
		n += len(c.Terms)
	}
	all := CSR{make([]int, 1, rows+1), make([]int32, 0, n), make([]float64, 0, n)}
	for i, c := range chunks {
		for _, end := range c.Starts {
			all.Starts = append(all.Starts, len(all.Terms)+end)
		}
		all.Terms, all.Weights = append(all.Terms, c.Terms...), append(all.Weights, c.Weights...)
		chunks[i] = CSR{}
	}
	return all
}

// terms returns the terms of all parts, in order, each once. Deleted documents may have been the
// only ones with some of them.
func (v *view) terms() []string {
	all := map[string]bool{}
	for _, p := range v.parts {
		for w := p.Walk(); w.Next(); {
			if !all[w.Name()] && !segment.IsMark(w.Name()) {
				all[strings.Clone(w.Name())] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// marks are the marks of a part, by rank.
type marks map[uint32]mark

// A mark is the column of the term that it is of, and the stream.
type mark struct {
	column int32
	stream int
}

// add adds the mark that a walk is at, unless it has lengths.
func (m marks) add(terms []string, walk *segment.Walker) {
	name := walk.Name()
	if column, ok := slices.BinarySearch(terms, name[2:]); ok {
		m[walk.Term().Rank] = mark{int32(column), int(name[1])}
	}
}

// columnCount is one term of a row: its column, and how often the row has it, also in each stream
// but the first.
type columnCount struct {
	column  int32
	count   int64
	streams []uint32
}

// row appends the row of a document, in the order of the columns.
func (w *Weights) row(d place, dst []columnCount) ([]columnCount, error) {
	p, columns, marks := w.view.parts[d.part], w.columns[d.part], w.marks[d.part]
	terms, err := p.Row(d.ord, nil)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	for _, t := range terms {
		if w.view.streams == nil || !segment.IsMark(p.TermName(t.Rank())) {
			dst = append(dst, columnCount{columns[t.Rank()], int64(t.Count()), nil})
		}
	}
	slices.SortFunc(dst, func(a, b columnCount) int { return int(a.column - b.column) })
	for _, t := range terms {
		m, ok := marks[t.Rank()]
		if !ok {
			continue
		}
		at, ok := slices.BinarySearchFunc(dst, m.column, func(c columnCount, column int32) int { return int(c.column - column) })
		if !ok {
			continue // a damaged file: searches look marks up for terms that the document has
		}
		if dst[at].streams == nil {
			dst[at].streams = make([]uint32, len(w.view.streams.b)-1)
		}
		dst[at].streams[m.stream-1] = t.Count()
	}
	return dst, nil
}

// place is where a document is.
type place struct{ part, ord int }

// living returns the documents that live, in the order of their ids.
func (v *view) living() []place {
	var list []place
	for i, p := range v.parts {
		for ord := range p.Len() {
			if !p.isDead(ord) {
				list = append(list, place{i, ord})
			}
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		return strings.Compare(v.parts[a.part].ID(a.ord), v.parts[b.part].ID(b.ord))
	})
	return list
}

// Document returns the number of the document with an id.
func (w *Weights) Document(id string) (row int, ok bool) { return slices.BinarySearch(w.IDs, id) }

// Queries returns the weights of the terms of queries, a row for each. Their filters, thresholds
// and numbers of hits are not used, their clauses give terms and leave no document out, nor are
// their vectors, and documents that they are like are not left out.
//
// Errors: ErrUnknown, an error in a query, and ctx's error.
func (w *Weights) Queries(ctx context.Context, queries ...Query) (rows CSR, err error) {
	defer w.view.end(&err)
	rows = CSR{Starts: []int{0}}
	for i := range queries {
		if err := queries[i].check(w.index.options.Vectors); err != nil {
			return CSR{}, err
		}
		terms, _, err := w.index.queryTerms(ctx, w.view, &queries[i])
		if err != nil {
			return CSR{}, err
		}
		for _, t := range terms {
			if column, ok := slices.BinarySearch(w.Terms, t.text); ok {
				rows.Terms, rows.Weights = append(rows.Terms, int32(column)), append(rows.Weights, t.weight)
			}
		}
		rows.Starts = append(rows.Starts, len(rows.Terms))
	}
	return rows, nil
}

// Likes returns the weights that the documents have as queries: row i holds the weights of
// Query.Like for document i, of all its terms.
func (w *Weights) Likes(ctx context.Context) (rows CSR, err error) {
	defer w.view.end(&err)
	return w.compress(ctx, w.view.living(), func(_ int, row []columnCount, to *CSR) {
		w.likes(row, func(t columnCount, q float64) {
			to.Terms, to.Weights = append(to.Terms, t.column), append(to.Weights, q)
		})
	})
}
