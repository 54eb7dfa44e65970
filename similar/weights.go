package similar

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	w = &Weights{Terms: v.terms(), Rows: CSR{Starts: []int{0}}, index: x, view: v}
	w.dfs = make([]int64, len(w.Terms))
	for i, name := range w.Terms {
		w.dfs[i] = v.frequency(name)
	}
	for _, p := range v.parts {
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
		w.columns, w.marks = append(w.columns, columns), append(w.marks, of)
	}
	var row []columnCount
	for _, d := range v.living() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		doc := v.normed(d.part, d.ord)
		w.IDs = append(w.IDs, strings.Clone(v.parts[d.part].ID(d.ord)))
		if row, err = w.row(d, row[:0]); err != nil {
			return nil, err
		}
		for _, t := range row {
			w.Rows.Terms = append(w.Rows.Terms, t.column)
			of := 0.0
			if v.streams != nil {
				of = v.weightOf(termCount{uint32(t.count), t.streams}, d.part, d.ord)
			} else {
				of = v.scheme.Document(t.count, w.dfs[t.column], doc, v.collection)
			}
			w.Rows.Weights = append(w.Rows.Weights, of)
		}
		w.Rows.Starts = append(w.Rows.Starts, len(w.Rows.Terms))
	}
	return w, nil
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
	rows = CSR{Starts: make([]int, 1, len(w.IDs)+1), Terms: make([]int32, 0, len(w.Rows.Terms)), Weights: make([]float64, 0, len(w.Rows.Terms))}
	var row []columnCount
	var terms []weight.Term
	for _, d := range w.view.living() {
		if err := ctx.Err(); err != nil {
			return CSR{}, err
		}
		var err error
		if row, err = w.row(d, row[:0]); err != nil {
			return CSR{}, err
		}
		terms = terms[:0]
		for _, t := range row {
			terms = append(terms, weight.Term{Count: t.count, DF: w.dfs[t.column]})
		}
		for j, q := range w.view.scheme.Query(terms, w.view.collection) {
			if q > 0 {
				rows.Terms, rows.Weights = append(rows.Terms, row[j].column), append(rows.Weights, q)
			}
		}
		rows.Starts = append(rows.Starts, len(rows.Terms))
	}
	return rows, nil
}
