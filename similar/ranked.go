package similar

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
)

// A Ranked is a match with what it is sorted by, so that the lists of several indexes can be merged:
// see [Searcher.Ranked] and [CompareRanked].
type Ranked struct {
	ID    string    `json:"id"`
	Score float64   `json:"score"`
	Keys  []SortKey `json:"keys,omitempty"` // one for each Order of the query
}

// A SortKey is the value of a field as hits are sorted by it. Of its members Axis and Date are of
// numbers and dates, and Text is of other values. Of the zero value the document does not have the
// field.
type SortKey struct {
	Text *string   `json:"text,omitempty"`
	Axis *float64  `json:"axis,omitempty"` // the number, or the date in years
	Date *[2]int64 `json:"date,omitempty"` // the date in seconds and nanoseconds of Unix
}

// Ranked returns what Matches returns, and what each match is sorted by.
func (x *Searcher) Ranked(ctx context.Context, q Query) (list []Ranked, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if err := q.check(x.options.Vectors); err != nil {
		return nil, err
	}
	hits, err := x.find(ctx, v, &q)
	if err != nil {
		return nil, err
	}
	s, err := x.newSorter(v, &q)
	if err != nil {
		return nil, err
	}
	list = make([]Ranked, len(hits))
	for i, f := range hits {
		list[i] = Ranked{strings.Clone(v.parts[f.part].ID(int(f.ord))), f.score, s.keysOf(f)}
	}
	return list, nil
}

// keysOf returns what a document is sorted by.
func (s *sorter) keysOf(f found) (list []SortKey) {
	for n := range s.orders {
		k := SortKey{}
		if rank := s.of[f.part][n][f.ord]; rank != unsorted {
			k = s.keys[f.part][n][rank].exported()
		}
		list = append(list, k)
	}
	return list
}

// exported returns the key. It shares no memory with the index.
func (k sortKey) exported() SortKey {
	switch {
	case math.IsInf(k.axis, 1):
		text := strings.Clone(k.text)
		return SortKey{Text: &text}
	case k.date.IsZero():
		return SortKey{Axis: &k.axis}
	}
	return SortKey{Axis: &k.axis, Date: &[2]int64{k.date.Unix(), int64(k.date.Nanosecond())}}
}

// key is the key as it is compared, and whether there is a value.
func (k SortKey) key() (key sortKey, ok bool) {
	switch {
	case k.Text != nil:
		return sortKey{text: *k.Text, axis: math.Inf(1)}, true
	case k.Axis == nil:
		return sortKey{}, false
	case k.Date != nil:
		key.date = time.Unix(k.Date[0], k.Date[1]).UTC()
	}
	key.axis = *k.Axis
	return key, true
}

// CompareRanked compares two matches of a query with these orders, as Search sorts its hits: by their
// keys, or without an order the higher score first, and then by their ids. Both must have a key for
// each order: [Ranked.Check] says so.
func CompareRanked(orders []Order, a, b Ranked) int {
	for n, o := range orders {
		x, has := a.Keys[n].key()
		y, hasToo := b.Keys[n].key()
		switch {
		case has && hasToo:
			c := x.compare(y)
			if o.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		case has:
			return -1
		case hasToo:
			return 1
		}
	}
	if len(orders) > 0 {
		return strings.Compare(a.ID, b.ID)
	}
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
}

// Check returns an error for a match that no search with n orders returns, such as one that came
// over a network.
func (r *Ranked) Check(n int) error {
	bad := func(k SortKey) bool {
		return k.Text != nil && (k.Axis != nil || k.Date != nil) || k.Date != nil && k.Axis == nil ||
			k.Axis != nil && (math.IsNaN(*k.Axis) || math.IsInf(*k.Axis, 0))
	}
	switch {
	case r.ID == "":
		return errors.New("similar: a match has no id")
	case math.IsNaN(r.Score) || math.IsInf(r.Score, 0):
		return errors.New("similar: a match has a score that is no number")
	case len(r.Keys) != n:
		return errors.New("similar: a match does not have a key for each order")
	case slices.ContainsFunc(r.Keys, bad):
		return errors.New("similar: a match has a key that is no value")
	}
	return nil
}
