package similar

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// Weights is the documents of one state of an index as a sparse matrix, for searches that compute
// elsewhere: the score of a document is the sum, over the terms of a query in the order of their
// numbers, of the weight in the query times that in the document, each rounded to float64. It does not
// change, and any number of goroutines may use it.
type Weights struct {
	IDs   []string // of the documents, in the order of their bytes: document i is row i
	Terms []string // in the order of their bytes: term i is column i
	Rows  Rows

	index *Index
	view  *view
}

// Rows is sparse rows, one behind the other: row i is the columns Terms[j] with Values[j] for j from
// Starts[i] up to Starts[i+1]. The terms of a row rise. There is one start more than rows.
type Rows struct {
	Starts []int
	Terms  []int32
	Values []float64
}

// Weights returns the present state as numbers.
//
// Errors: ErrClosed, and that of ctx.
func (x *Index) Weights(ctx context.Context) (*Weights, error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	w := &Weights{Terms: v.terms(), Rows: Rows{Starts: []int{0}}, index: x, view: v}
	columns := make([][]int32, len(v.parts)) // by part and number of the term there
	for i, p := range v.parts {
		columns[i] = make([]int32, p.Terms())
		next := 0
		for t := range columns[i] {
			for name := p.Term(t); next < len(w.Terms) && w.Terms[next] < name; {
				next++
			}
			columns[i][t] = int32(next)
		}
	}
	dfs := make([]int64, len(w.Terms))
	for i, p := range v.parts {
		for t, column := range columns[i] {
			dfs[column] += p.liveDF(t)
		}
	}
	var row []segment.RowTerm
	for _, d := range v.living() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, doc := v.parts[d.part], v.normed(d.part, d.ord)
		w.IDs = append(w.IDs, strings.Clone(p.ID(d.ord)))
		row = p.Row(d.ord, row[:0])
		column := func(t segment.RowTerm) int32 { return columns[d.part][p.TermOfRank(t.Rank)] }
		slices.SortFunc(row, func(a, b segment.RowTerm) int { return int(column(a) - column(b)) })
		for _, t := range row {
			w.Rows.Terms = append(w.Rows.Terms, column(t))
			w.Rows.Values = append(w.Rows.Values, v.scheme.Document(int64(t.Count), dfs[column(t)], doc, v.collection))
		}
		w.Rows.Starts = append(w.Rows.Starts, len(w.Rows.Terms))
	}
	runtime.KeepAlive(v)
	return w, nil
}

// terms returns the terms of all parts, in order, each once. Deleted documents may have been the only
// ones with some of them.
func (v *view) terms() []string {
	all := map[string]bool{}
	for _, p := range v.parts {
		for t := range p.Terms() {
			all[p.Term(t)] = true
		}
	}
	list := slices.Sorted(maps.Keys(all))
	for i := range list {
		list[i] = strings.Clone(list[i])
	}
	return list
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

// Queries returns the weights of the terms of queries, a row for each. Their filters, thresholds and
// numbers of hits are not used, nor are their vectors, and documents that they are like are not left
// out.
//
// Errors: ErrUnknown, what is wrong with a query, and that of ctx.
func (w *Weights) Queries(ctx context.Context, queries ...Query) (Rows, error) {
	rows := Rows{Starts: []int{0}}
	for i := range queries {
		if err := queries[i].check(); err != nil {
			return Rows{}, err
		}
		terms, err := w.index.queryTerms(ctx, w.view, &queries[i])
		if err != nil {
			return Rows{}, err
		}
		for _, t := range terms {
			if column, ok := slices.BinarySearch(w.Terms, t.text); ok {
				rows.Terms, rows.Values = append(rows.Terms, int32(column)), append(rows.Values, t.weight)
			}
		}
		rows.Starts = append(rows.Starts, len(rows.Terms))
	}
	runtime.KeepAlive(w.view)
	return rows, nil
}

// Likes returns the weights that the documents have as queries: row i is that of Query.Like for
// document i.
func (w *Weights) Likes(ctx context.Context) (Rows, error) {
	rows := Rows{Starts: make([]int, 1, len(w.IDs)+1), Terms: make([]int32, 0, len(w.Rows.Terms)), Values: make([]float64, 0, len(w.Rows.Terms))}
	dfs := make([]int64, len(w.Terms))
	for _, t := range w.Rows.Terms {
		dfs[t]++
	}
	var row []segment.RowTerm
	var terms []weight.Term
	for i, d := range w.view.living() {
		if err := ctx.Err(); err != nil {
			return Rows{}, err
		}
		p := w.view.parts[d.part]
		row = p.Row(d.ord, row[:0])
		slices.SortFunc(row, func(a, b segment.RowTerm) int { return p.TermOfRank(a.Rank) - p.TermOfRank(b.Rank) })
		columns := w.Rows.Terms[w.Rows.Starts[i]:w.Rows.Starts[i+1]]
		terms = terms[:0]
		for j, t := range row {
			terms = append(terms, weight.Term{Count: int64(t.Count), DF: dfs[columns[j]]})
		}
		for j, q := range w.view.scheme.Query(terms, w.view.collection) {
			if q > 0 {
				rows.Terms, rows.Values = append(rows.Terms, columns[j]), append(rows.Values, q)
			}
		}
		rows.Starts = append(rows.Starts, len(rows.Terms))
	}
	runtime.KeepAlive(w.view)
	return rows, nil
}
