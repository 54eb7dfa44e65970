package page

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/snippet"
)

// oneIndex is a collection: the documents of a Searcher of this process.
type oneIndex struct {
	x       *similar.Searcher
	own     *similar.Searcher // x, or of a shard the index without the statistics of the collection
	glances glances
}

func (l *oneIndex) documents() int                                   { return l.x.Len() }
func (l *oneIndex) begin(context.Context, *repeat) (answerer, error) { return l, nil }
func (l *oneIndex) missing() []int                                   { return nil }
func (l *oneIndex) language() *similar.Searcher                      { return l.x }
func (l *oneIndex) hasField(_ context.Context, name string) (bool, error) {
	return l.x.HasField(name), nil
}

// of returns the searcher of a request, which may bring the words of terms.
func (l *oneIndex) of(r *request) *similar.Searcher {
	if r.words == nil {
		return l.x
	}
	return l.x.WithWords(r.words.of)
}

func (l *oneIndex) matches(ctx context.Context, r *request, n int) ([]place, error) {
	q := r.query()
	q.K = n
	matches, err := l.of(r).Matches(ctx, q)
	places := make([]place, len(matches))
	for i, m := range matches {
		places[i] = place{m.ID, m.Score, i + 1}
	}
	return places, err
}

func (l *oneIndex) hits(ctx context.Context, r *request, places []place) (hits []Hit, cut bool, err error) {
	m, err := l.marker(ctx, r)
	if err != nil {
		return nil, false, err
	}
	size := 0
	for _, p := range places {
		d, err := l.x.Document(p.ID)
		if errors.Is(err, similar.ErrUnknown) {
			continue // deleted since it was found
		}
		if err != nil {
			return nil, false, err
		}
		terms, err := l.shared(ctx, r, &p)
		if err != nil {
			return nil, false, err
		}
		with := m
		if len(terms) > 0 {
			with = m.With(terms...)
		}
		hit := hitOf(with, p.Rank, p.Score, &d)
		if size += hit.size(); size > answerBytes && len(hits) > 0 {
			return hits, true, nil
		}
		hits = append(hits, hit)
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
	return hits, false, nil
}

// shared returns the terms that liked documents and an answer share, the first that weigh most.
func (l *oneIndex) shared(ctx context.Context, r *request, p *place) (terms []string, err error) {
	if !r.likes() || p.Rank-r.From > 100 {
		return nil, nil
	}
	shares, err := l.of(r).Explain(ctx, r.query(), p.ID)
	if err != nil {
		return nil, gone(err)
	}
	for _, s := range shares[:min(explained, len(shares))] {
		terms = append(terms, s.Term)
	}
	return terms, nil
}

// marker returns what marks the words that a request meets.
func (l *oneIndex) marker(ctx context.Context, r *request) (*snippet.Marker, error) {
	m, err := l.of(r).Marker(ctx, similar.Query{Text: r.met(), Clause: r.clause})
	if err == nil {
		m.Limit(budgetBytes)
	}
	return m, err
}

func (l *oneIndex) suggest(ctx context.Context, r *request) (string, error) {
	text, ok, err := l.of(r).Suggest(ctx, r.Q)
	if !ok {
		return "", err
	}
	return text, err
}

func (l *oneIndex) values(ctx context.Context, r *request, most int) ([][]similar.ValueCount, error) {
	return l.of(r).Counts(ctx, r.query(), most, r.Field...)
}

func (l *oneIndex) text(_ context.Context, r *request) (*Text, error) {
	d, err := l.x.Document(r.ID)
	if err != nil {
		return nil, err
	}
	shown := snippet.Head(d.Text, shownBytes)
	fields, cut := shortened(d.Fields, textField, textFields)
	title := snippet.Head(d.Title, textField)
	cut = cut || len(shown) < len(d.Text) || len(title) < len(d.Title)
	return &Text{d.ID, title, shown, len(d.Text), cut, fields}, nil
}

func (l *oneIndex) reading(ctx context.Context, r *request, terms []string) (*reading, error) {
	t, err := l.text(ctx, r)
	if err != nil {
		return nil, err
	}
	m, err := l.marker(ctx, r)
	if err != nil {
		return nil, err
	}
	m.Add(terms...)
	return &reading{t.ID, m.Whole(heading(&similar.Document{ID: t.ID, Title: t.Title})), m.Whole(t.Text)}, nil
}

func (l *oneIndex) titled(ctx context.Context, ids []string) ([]similar.Document, error) {
	list := []similar.Document{}
	for _, id := range ids {
		d, err := l.x.Document(id)
		if errors.Is(err, similar.ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, similar.Document{ID: d.ID, Title: strings.Clone(snippet.Head(d.Title, hitField))})
	}
	return list, ctx.Err()
}

func (l *oneIndex) samples(ctx context.Context, ids []string) ([]similar.Sample, error) {
	list := []similar.Sample{}
	for _, id := range ids {
		s, err := l.x.Sample(id)
		if errors.Is(err, similar.ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, ctx.Err()
}

func (l *oneIndex) similarities(ctx context.Context, ids []string) ([][]float64, error) {
	return l.scores(ctx, ids, ids, nil)
}

// scores returns the scores of documents for others as the query: the row is the query. Of a
// document that is gone they are 0.
func (l *oneIndex) scores(ctx context.Context, queries, ids []string, elsewhere []similar.Sample) ([][]float64, error) {
	s := make([][]float64, len(queries))
	for i := range queries {
		s[i] = make([]float64, len(ids))
		for j := range ids {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			shares, err := l.x.Explain(ctx, similar.Query{Like: queries[i : i+1 : i+1], Terms: -1, Elsewhere: elsewhere}, ids[j])
			if gone(err) != nil {
				return nil, err
			}
			for _, share := range shares {
				s[i][j] += share.Score
			}
		}
	}
	return s, nil
}

func (l *oneIndex) tally(ctx context.Context, ids []string) (tally, int, error) {
	t, n, size := tally{}, 0, 0
	for _, id := range ids {
		d, err := l.x.Document(id)
		if gone(err) != nil || ctx.Err() != nil {
			return nil, 0, firstOf(gone(err), ctx.Err())
		}
		t.add(l.x, &d)
		n++
		if size += bytesOf(&d); size > facetBytes {
			break
		}
	}
	return t, n, nil
}

// firstOf returns the first error that is one.
func firstOf(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}
