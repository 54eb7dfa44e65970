package page

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/snippet"
)

// A Why says how a document's score comes about.
type Why struct {
	ID     string  `json:"id"`
	Score  float64 `json:"score"`
	Terms  int     `json:"terms"`  // how many have a share
	Shares []Share `json:"shares"` // the largest first, maxShares at most

	Missing []int `json:"missing,omitempty"` // the shards, by number, that could not be asked for words
}

// maxShares is how many shares of a score are listed. Documents can have a million terms.
const maxShares = 1000

// A Share is one term's part of a score.
type Share struct {
	Term  string  `json:"term"`
	Word  string  `json:"word"` // the shortest word of the document that is this term
	Score float64 `json:"score"`
	Share float64 `json:"share"` // of the whole score, 0..1
}

// why explains the score of a document.
func (h *Handler) why(ctx context.Context, r *request) (*Why, error) {
	if r.ID == "" {
		return nil, errNoID
	}
	if !r.Asks() {
		return nil, badRequest("no query: say with q=…, like=… or good=… what the document is compared with")
	}
	return r.docs.why(ctx, r)
}

func (l *oneIndex) why(ctx context.Context, r *request) (*Why, error) {
	shares, err := l.of(r).Explain(ctx, r.query(), r.ID)
	if err != nil {
		return nil, err
	}
	w := &Why{ID: r.ID, Terms: len(shares), Shares: []Share{}}
	for _, s := range shares {
		w.Score += s.Score
	}
	for _, s := range shares[:min(maxShares, len(shares))] {
		share := 0.0
		if w.Score > 0 {
			share = s.Score / w.Score
		}
		w.Shares = append(w.Shares, Share{s.Term, s.Term, s.Score, share})
	}
	return w, l.words(w)
}

// words finds the words that the terms of shares stand for: a term is a stem, and not for reading.
// Of a long text only the beginning is looked at; terms from further on stay as they are.
func (l *oneIndex) words(w *Why) error {
	d, err := l.x.Document(w.ID)
	if err != nil {
		return err
	}
	words := map[string]string{}
	for _, s := range append([]string{d.Title, d.Text}, slices.Collect(maps.Values(d.Fields))...) {
		s = snippet.Head(s, snippet.LookedAt)
		for _, a := range l.x.Analyzers() {
			for t := range a.Terms(s) {
				word := strings.ToLower(snippet.Head(s[t.Start:t.End], hitField))
				if known, ok := words[t.Text]; !ok || cmp.Or(cmp.Compare(len(word), len(known)), cmp.Compare(word, known)) < 0 {
					words[t.Text] = word
				}
			}
		}
	}
	for i, s := range w.Shares {
		w.Shares[i].Word = cmp.Or(words[s.Term], s.Term)
	}
	return nil
}

// gone drops the error of a document that was deleted since it was found.
func gone(err error) error {
	if errors.Is(err, similar.ErrUnknown) {
		return nil
	}
	return err
}
