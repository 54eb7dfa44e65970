package similar

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"
)

// A Listing has the documents of one state of an index by numbers: document i has the i-th id, by
// the order of the bytes, from 0. So a number depends on the documents alone, whatever segments and
// shards they are in. It takes 8 bytes a document. It is good until the index is closed, and any
// number of goroutines may use it at once.
type Listing struct {
	view   *view
	places []docPlace
}

// docPlace is where a document is.
type docPlace struct{ part, ord uint32 }

// List returns the present documents by numbers.
//
// Errors: ErrClosed, ErrDamaged, the error of ctx, and one for more than 2^32-1 documents.
func (x *Searcher) List(ctx context.Context) (l *Listing, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if n := v.len(); int64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("similar: a listing of %d documents; want 2^32-1 at most", n)
	}
	l = &Listing{v, make([]docPlace, 0, v.len())}
	for f := range v.byID("") {
		if len(l.places)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l.places = append(l.places, docPlace{uint32(f.part), f.ord})
	}
	return l, nil
}

// Len returns the number of documents.
func (l *Listing) Len() int { return len(l.places) }

// ID returns the id of document i, 0 to Len()-1.
func (l *Listing) ID(i int) string {
	p := l.places[i]
	return strings.Clone(l.view.parts[p.part].ID(int(p.ord)))
}

// Find returns the number of the document with an id, and whether there is one.
func (l *Listing) Find(id string) (i int, ok bool) {
	i = sort.Search(len(l.places), func(i int) bool {
		p := l.places[i]
		return l.view.parts[p.part].ID(int(p.ord)) >= id
	})
	return i, i < len(l.places) && l.ID(i) == id
}

// Document reads document i, 0 to Len()-1. The error wraps ErrDamaged.
func (l *Listing) Document(i int) (d Document, err error) {
	defer l.view.end(&err)
	p := l.places[i]
	err = guarded([]*part{l.view.parts[p.part]}, func() error {
		d, err = l.view.parts[p.part].document(int(p.ord))
		return err
	})
	if err != nil {
		return Document{}, fmt.Errorf("similar: %w", err)
	}
	return d, nil
}
