package page

import (
	"slices"
	"sync"

	"github.com/gridstride/gridstride/similar"
)

// termWords are the words of terms that a front has gathered from all shards. It notes the terms that
// are not among them.
type termWords struct {
	given map[string][]similar.Word

	mu    sync.Mutex
	needs []string
}

// of returns the words of a term.
func (w *termWords) of(term string) []similar.Word {
	words, ok := w.given[term]
	if !ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !slices.Contains(w.needs, term) {
			w.needs = append(w.needs, term)
		}
	}
	return words
}
