package similar

import (
	"iter"
	"runtime"
	"strings"
)

// IDs yields the ids after one that need not be in the index, and all if it is empty, by their byte
// order. They are of the state that the index had at the beginning. It yields nothing after Close, and
// none after damage, which other methods give as an error.
func (x *Searcher) IDs(after string) iter.Seq[string] {
	return func(yield func(string) bool) {
		v, err := x.state()
		if err != nil {
			return
		}
		defer runtime.KeepAlive(v)
		for f := range v.byID(after) {
			id := strings.Clone(v.parts[f.part].ID(int(f.ord)))
			if v.damage() != nil || !yield(id) {
				return
			}
		}
	}
}
