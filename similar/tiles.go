package similar

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Tiles are one state of an index, of shards or of a version as numbers, a tile at a time, for searches
// that compute elsewhere in less memory than all documents take. A tile is a segment, such as a
// shard of a version. The weights are the whole version's. Tiles keep 30 bytes and the name for each term
// of a tile that was asked for. One goroutine uses them at a time.
type Tiles struct {
	x     *Searcher
	view  *view
	parts []int      // of each tile
	known []*Weights // by part, without rows; nil until a part's terms are numbered
}

// Tiles returns the present state in tiles. Errors: ErrClosed, ErrDamaged.
func (x *Searcher) Tiles() (t *Tiles, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if err := v.prepare(); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	t = &Tiles{x: x, view: v, known: make([]*Weights, len(v.parts))}
	for i, p := range v.parts {
		if p.live().Documents > 0 {
			t.parts = append(t.parts, i)
		}
	}
	return t, nil
}

// Len returns the number of tiles.
func (t *Tiles) Len() int { return len(t.parts) }

// Weights returns the documents of tile i, whose columns are the terms of this tile.
//
// Errors: ErrDamaged, and the error of ctx.
func (t *Tiles) Weights(ctx context.Context, i int) (w *Weights, err error) {
	defer t.view.end(&err)
	part := t.parts[i]
	tile := *t.of(part)
	var docs []place
	for ord := range t.view.parts[part].Len() {
		if !t.view.parts[part].isDead(ord) {
			docs = append(docs, place{part, ord})
		}
	}
	if err := tile.fill(ctx, docs); err != nil {
		return nil, err
	}
	return &tile, nil
}

// of returns the numbers of a part's terms.
func (t *Tiles) of(part int) *Weights {
	if t.known[part] != nil {
		return t.known[part]
	}
	w := &Weights{index: t.x, view: t.view, columns: make([][]int32, len(t.view.parts)), marks: make([]marks, len(t.view.parts))}
	for walk := t.view.parts[part].Walk(); walk.Next(); {
		if !segment.IsMark(walk.Name()) {
			w.Terms = append(w.Terms, strings.Clone(walk.Name()))
		}
	}
	w.number()
	w.place(part)
	t.known[part] = w
	return w
}

// Likes are some documents as queries, as Query.Like with all terms makes them.
type Likes struct {
	IDs    []string
	Scores []float64 // of each document itself, by which a score is divided to be a similarity

	tiles *Tiles
	docs  []place
	rows  CSR // the columns are of the document's part
}

// Likes yields the documents of a part of the pairs, from o.After on, in the order of their ids, up to n
// together. An error is the last result: a part that there is not, ErrDamaged, or the error of ctx.
func (t *Tiles) Likes(ctx context.Context, o PairOptions, n int) iter.Seq2[*Likes, error] {
	return func(yield func(*Likes, error) bool) {
		if err := o.checkPart(); err != nil {
			yield(nil, err)
			return
		}
		var docs []place
		stopped := false
		send := func() {
			l, err := t.likes(ctx, docs)
			stopped = !yield(l, err) || err != nil
			docs = nil
		}
		err := t.view.inPart(ctx, o, func(f found) bool {
			if docs = append(docs, place{f.part, int(f.ord)}); len(docs) == n {
				send()
			}
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
			return
		}
		if len(docs) > 0 && !stopped {
			send()
		}
	}
}

// likes returns documents as queries.
func (t *Tiles) likes(ctx context.Context, docs []place) (l *Likes, err error) {
	defer t.view.end(&err)
	l = &Likes{Scores: make([]float64, len(docs)), tiles: t, docs: docs}
	all := Weights{view: t.view, columns: make([][]int32, len(t.view.parts)), marks: make([]marks, len(t.view.parts))}
	for _, d := range docs {
		w := t.of(d.part)
		all.columns[d.part], all.marks[d.part] = w.columns[d.part], w.marks[d.part]
		l.IDs = append(l.IDs, strings.Clone(t.view.parts[d.part].ID(d.ord)))
	}
	l.rows, err = all.compress(ctx, docs, func(i int, row []columnCount, to *CSR) {
		w, doc := t.of(docs[i].part), t.view.normed(docs[i].part, docs[i].ord)
		w.likes(row, func(c columnCount, q float64) {
			to.Terms, to.Weights = append(to.Terms, c.column), append(to.Weights, q)
			l.Scores[i] += float64(q * w.weight(c, docs[i], doc))
		})
	})
	return l, err
}

// Rows returns the documents as queries in the columns of a tile, whose Weights the tiles made. Terms that
// no document of the tile has are left out.
func (l *Likes) Rows(w *Weights) CSR {
	columns := make([][]int32, len(l.tiles.known))
	rows := CSR{make([]int, 1, len(l.docs)+1), make([]int32, 0, len(l.rows.Terms)), make([]float64, 0, len(l.rows.Terms))}
	for i, d := range l.docs {
		if columns[d.part] == nil {
			columns[d.part] = columnsIn(l.tiles.known[d.part].Terms, w.Terms)
		}
		to := columns[d.part]
		for j := l.rows.Starts[i]; j < l.rows.Starts[i+1]; j++ {
			if c := to[l.rows.Terms[j]]; c >= 0 {
				rows.Terms, rows.Weights = append(rows.Terms, c), append(rows.Weights, l.rows.Weights[j])
			}
		}
		rows.Starts = append(rows.Starts, len(rows.Terms))
	}
	return rows
}

// columnsIn returns for each of some terms its place among others, or -1. Both are in order.
func columnsIn(terms, others []string) []int32 {
	columns, next := make([]int32, len(terms)), 0
	for i, t := range terms {
		for next < len(others) && others[next] < t {
			next++
		}
		if columns[i] = -1; next < len(others) && others[next] == t {
			columns[i] = int32(next)
		}
	}
	return columns
}
