package duplicates_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar/duplicates"
)

// TestLinks holds the links of groups to making the same groups again.
func TestLinks(t *testing.T) {
	t.Parallel()
	for seed := range 30 {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		docs := planted(r, r.IntN(80))
		want, g := find(t, docs, duplicates.Options{Threshold: 0.5})
		last := -1
		merged, err := duplicates.Merge(t.Context(), len(docs), func(yield func([]int, error) bool) {
			for document, first := range g.Links() {
				if document <= last || first >= document {
					t.Fatalf("a link of %d and %d after one of %d", document, first, last)
				}
				if last = document; !yield([]int{document, first}, nil) {
					return
				}
			}
		}, duplicates.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := all(t, merged); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// failing is a writer that takes some bytes.
type failing struct{ room int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWrite holds lines to being JSON of the ids, whatever they are, and to a writer's error.
func TestWrite(t *testing.T) {
	t.Parallel()
	docs := texts{"one two three four five six", "other words than these are here", "one two three four five six"}
	ids := []string{"<a>\n\"\\", "b", "é\u2028 ]"}
	_, g := find(t, docs, duplicates.Options{})
	var b strings.Builder
	groups, documents, err := g.Write(t.Context(), &b, func(i int) string { return ids[i] })
	var list []string
	if err := json.Unmarshal([]byte(b.String()), &list); err != nil {
		t.Fatal(err)
	}
	if err != nil || groups != 1 || documents != 2 || strings.Count(b.String(), "\n") != 1 || !reflect.DeepEqual(list, []string{ids[0], ids[2]}) {
		t.Errorf("%d groups of %d documents, %v: %q", groups, documents, err, b.String())
	}
	if _, _, err := g.Write(t.Context(), &failing{b.Len() - 1}, func(i int) string { return ids[i] }); err != errFull {
		t.Errorf("a writer that fails: %v", err)
	}
}
