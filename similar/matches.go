package similar

import (
	"context"
	"strings"
)

// A Match is a document that a search found, without its text.
type Match struct {
	ID    string
	Score float64
}

// Matches returns the ids and scores of what Search returns, in the same order. It copies no texts,
// so ten thousand of them take a megabyte, whatever the documents hold.
func (x *Searcher) Matches(ctx context.Context, q Query) (matches []Match, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if err := q.check(x.options.Vectors); err != nil {
		return nil, err
	}
	list, err := x.find(ctx, v, &q)
	if err != nil {
		return nil, err
	}
	matches = make([]Match, len(list))
	for i, f := range list {
		matches[i] = Match{strings.Clone(v.parts[f.part].ID(int(f.ord))), f.score}
	}
	return matches, nil
}
