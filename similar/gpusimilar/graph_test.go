package gpusimilar_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

// TestGraph captures a search and launches the graph a hundred times. New queries are written
// to the old place. The hits are the call's.
func TestGraph(t *testing.T) {
	t.Parallel()
	dev, err := gridstride.Open() // without the checks, for its many launches
	must(t, err)
	t.Cleanup(func() { must(t, dev.Close()) })
	b := benchOn(t, dev)
	r := rand.New(rand.NewPCG(27, 4))
	next := func() float32 { return r.Float32() - 0.5 }
	const rows, cols, k = 301, 19, 5
	queries := random(3, cols, cols, 0, next).on(b)
	v, err := gpusimilar.NewVectors[float32](b.h, random(rows, cols, cols, 0, next).on(b), gpusimilar.Cosine)
	must(t, err)
	hits, scores := buffer(b, make([]int32, 3*k)), buffer(b, make([]float32, 3*k))
	search := func(*gridstride.Stream) error { return v.SearchTo(queries, k, hits, scores) }
	s := b.h.Stream()
	g, err := s.Capture(search)
	must(t, err)
	exec, err := g.Instantiate()
	must(t, err)
	read := func() ([]int32, []float32) {
		at, err1 := hits.Read(t.Context(), s, nil)
		score, err2 := scores.Read(t.Context(), s, nil)
		must(t, errors.Join(err1, err2))
		return at, score
	}
	for i := range 100 {
		if i%10 == 0 {
			other := make([]float32, queries.Data.Len())
			for j := range other {
				other[j] = next()
			}
			must(t, queries.Data.Write(t.Context(), s, other))
		}
		must(t, exec.Launch(s))
		if i%10 != 0 {
			continue
		}
		at, score := read()
		must(t, errors.Join(hits.Zero(s), scores.Zero(s), search(s)))
		wantAt, wantScore := read()
		if !slices.Equal(at, wantAt) || !slices.Equal(score, wantScore) {
			t.Fatalf("launch %d: rows %v, want %v; scores %v, want %v", i, at, wantAt, score, wantScore)
		}
	}
	must(t, errors.Join(exec.Close(), g.Close(), v.Close()))
}
