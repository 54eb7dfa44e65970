package similar

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A Table is the statistics of a collection of documents as a value: how many documents there are, how
// long they are together, and in how many of them each term is. A collection that is in several
// indexes has one table, which [MergeTables] makes of theirs. A search with it, by [Searcher.With],
// gives a document the same score in whichever index the document is, and whichever of the others
// answer. Tables are immutable, and any number of goroutines may use one.
type Table struct {
	collection weight.Collection // without the postings of marks
	lengths    []int64           // of each stream, together; empty if there is one stream
	options    [sha256.Size]byte // of the index, by fingerprint

	names string   // of all terms, in byte order, one after the other
	ends  []uint64 // in names
	dfs   []int64
}

// Table returns the statistics of the present documents. It reads the dictionary, and of an index with
// deleted documents the postings of their terms. Of a searcher that [Searcher.With] made it is the
// table that this was given.
//
// Errors: ErrClosed, ErrDamaged, and the error of ctx.
func (x *Searcher) Table(ctx context.Context) (t *Table, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if v.table != nil {
		return v.table, nil
	}
	if err := v.prepareStreams(); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	b := tableBuilder{Table: Table{collection: v.collection, options: x.fingerprint()}}
	b.collection.Postings -= v.marked()
	if v.streams != nil {
		b.lengths = v.streams.totals
	}
	n := 0
	for name, df := range v.dictionary("") {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("similar: %w", ctx.Err())
		}
		if df > 0 && !segment.IsMark(name) {
			b.add(name, df)
		}
	}
	return b.table(), nil
}

// fingerprint is the same for two searchers of the same options, apart from the memory.
func (x *Searcher) fingerprint() [sha256.Size]byte {
	o := x.options
	o.Memory = 0
	b, err := json.Marshal(o)
	if err != nil {
		panic(fmt.Sprintf("BUG: options that no manifest can have: %v", err))
	}
	return sha256.Sum256(b)
}

// tableBuilder makes a table of terms that come in byte order.
type tableBuilder struct {
	Table
	names []byte
}

func (b *tableBuilder) add(name string, df int64) {
	b.names = append(b.names, name...)
	b.ends, b.dfs = append(b.ends, uint64(len(b.names))), append(b.dfs, df)
}

func (b *tableBuilder) table() *Table {
	t := b.Table
	t.names = string(b.names)
	return &t
}

// ErrOptions is the error of tables, and of an index and a table, that are of different options.
var ErrOptions = errors.New("the options are different")

// MergeTables returns the table of several collections together, which share no document. The indexes
// must be of the same options, apart from the memory; if not, the error wraps ErrOptions.
func MergeTables(list ...*Table) (*Table, error) {
	if len(list) == 0 {
		return nil, errors.New("similar: a table of no tables; give one at least")
	}
	b := tableBuilder{Table: Table{options: list[0].options}}
	if n := len(list[0].lengths); n > 0 {
		b.lengths = make([]int64, n)
	}
	var walks []dictionaryWalk
	for i, t := range list {
		if t.options != b.options || len(t.lengths) != len(b.lengths) {
			return nil, fmt.Errorf("similar: table %d and table 0: %w", i, ErrOptions)
		}
		b.collection = b.collection.Add(t.collection)
		for stream, length := range t.lengths {
			b.lengths[stream] += length
		}
		walks = append(walks, &tableWalk{t: t, at: -1})
	}
	for name, df := range merged(walks) {
		b.add(name, df)
	}
	return b.table(), nil
}

// With returns a searcher of the same documents with the statistics of a table, such as the table
// of all indexes of a collection. It goes on to see how the documents change; the table stays as it
// is. A hit has the score that it has in one index of all documents, and the same explanation, for
// each kind of query by terms. What takes more of other documents than statistics is of these
// documents alone:
//
//   - Query.Like and Feedback.Good name these documents, or those in Query.Elsewhere. Feedback without
//     Good is by the first of these documents.
//   - A query by terms and by a vector fuses ranks among these documents, and Query.Collapse leaves out
//     what is like a better one of them.
//   - The words of a stem, which Suggest and a prefix longer than the stem ask for, are looked for in
//     these documents, unless WithWords has the words of all.
//
// Errors: one that wraps ErrOptions if the table is of other options than the index.
func (x *Searcher) With(t *Table) (*Searcher, error) {
	streams := 0
	if s := newStreams(x.options); s != nil {
		streams = len(s.b)
	}
	if t.options != x.fingerprint() || len(t.lengths) != streams {
		return nil, fmt.Errorf("similar: a search with a table: %w", ErrOptions)
	}
	var cached viewCache
	return x.over(func() (*view, error) {
		v, err := x.state()
		if err != nil {
			return nil, err
		}
		return cached.of([]*view{v}, func() *view { return v.with(t, x.options) }), nil
	}), nil
}

// Collection returns the totals.
func (t *Table) Collection() weight.Collection { return t.collection }

// Len returns the number of terms.
func (t *Table) Len() int { return len(t.dfs) }

// name returns the name of term i.
func (t *Table) name(i int) string {
	if i == 0 {
		return t.names[:t.ends[0]]
	}
	return t.names[t.ends[i-1]:t.ends[i]]
}

// seek returns the number of the first term that is not below a name.
func (t *Table) seek(name string) int {
	low, high := 0, len(t.dfs)
	for low < high {
		if mid := int(uint(low+high) / 2); t.name(mid) < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// Frequency returns in how many documents a term is.
func (t *Table) Frequency(term string) int64 {
	if i := t.seek(term); i < len(t.dfs) && t.name(i) == term {
		return t.dfs[i]
	}
	return 0
}

// Terms yields the terms that are not below from, in byte order, and in how many documents each is.
// The terms of keywords begin with a zero byte.
func (t *Table) Terms(from string) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for i := t.seek(from); i < len(t.dfs); i++ {
			if !yield(t.name(i), t.dfs[i]) {
				return
			}
		}
	}
}

// dictionary yields the terms of a view that are not below from, in byte order, and in how many living
// documents each is. A name is the caller's.
func (v *view) dictionary(from string) iter.Seq2[string, int64] {
	if v.table != nil {
		return v.table.Terms(from)
	}
	var walks []dictionaryWalk
	for _, p := range v.parts {
		walks = append(walks, &partWalk{p, p.WalkFrom(from)})
	}
	return merged(walks)
}

// vocabularies returns the names of the terms of a view, one or several lists in byte order. Each
// yields how many bytes a name has in common with the one before. A name is good until the next.
func (v *view) vocabularies() (lists []func(yield func(name string, same int) bool)) {
	if v.table != nil {
		return append(lists, v.table.namesFrom)
	}
	for _, p := range v.parts {
		lists = append(lists, p.Names)
	}
	return lists
}

func (t *Table) namesFrom(yield func(name string, same int) bool) {
	before := ""
	for name := range t.Terms("") {
		if !yield(name, segment.CommonPrefix(before, name)) {
			return
		}
		before = name
	}
}

// A dictionaryWalk goes through terms in byte order. It begins before the first.
type dictionaryWalk interface {
	Next() bool
	Name() string // good until Next
	df() int64
}

type partWalk struct {
	p *part
	*segment.Walker
}

func (w *partWalk) df() int64 { return w.p.liveDF(w.Term()) }

type tableWalk struct {
	t  *Table
	at int
}

func (w *tableWalk) Next() bool   { w.at++; return w.at < w.t.Len() }
func (w *tableWalk) Name() string { return w.t.name(w.at) }
func (w *tableWalk) df() int64    { return w.t.dfs[w.at] }

// merged yields the terms of all walks in byte order, each once, with the sum of its frequencies. A
// name is the caller's.
func merged(walks []dictionaryWalk) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		walks := slices.DeleteFunc(slices.Clone(walks), func(w dictionaryWalk) bool { return !w.Next() })
		for len(walks) > 0 {
			lowest := strings.Clone(slices.MinFunc(walks, func(a, b dictionaryWalk) int { return cmp.Compare(a.Name(), b.Name()) }).Name())
			df := int64(0)
			walks = slices.DeleteFunc(walks, func(w dictionaryWalk) bool {
				if w.Name() != lowest {
					return false
				}
				df += w.df()
				return !w.Next()
			})
			if !yield(lowest, df) {
				return
			}
		}
	}
}
