package similar_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/similar"
)

func randomVector(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// plainVector is the definition of a search by a vector, of vectors as an index keeps them.
func plainVector(m similar.Metric, q []float32, kept map[string][]float32, k int) (hits []similar.Hit) {
	for id, v := range kept {
		score := 0.0
		switch m {
		case similar.Dot:
			score = float64(blas.Dot(q, v))
		case similar.Euclidean:
			score = 1 / (1 + math.Sqrt(float64(metric.SquaredEuclidean(q, v))))
		default:
			score = max(-1, min(1, float64(blas.Dot(q, v))/(float64(blas.Nrm2(q))*float64(blas.Nrm2(v)))))
		}
		hits = append(hits, similar.Hit{Document: similar.Document{ID: id}, Score: score})
	}
	slices.SortFunc(hits, func(a, b similar.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document.ID, b.Document.ID))
	})
	return hits[:min(k, len(hits))]
}

func TestVectors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 8))
	for i, dim := range []int{1, 2, 31, 33, 256, 1, 31, 65, 3, 33} {
		o := similar.VectorOptions{Dimension: dim, Storage: similar.Storage(i % 3), Metric: similar.Metric(i / 3 % 3)}
		x, err := similar.New(similar.Options{Vectors: o})
		if err != nil {
			t.Fatal(err)
		}
		given := map[string][]float32{}
		for range 3 {
			var docs []similar.Document
			for range r.IntN(400) {
				d := similar.Document{ID: fmt.Sprint(r.IntN(900))}
				if delete(given, d.ID); r.IntN(5) > 0 {
					d.Vector = randomVector(r, dim)
					given[d.ID] = d.Vector
				}
				docs = append(docs, d)
			}
			gone := fmt.Sprint(r.IntN(900))
			delete(given, gone)
			err = errors.Join(err, x.Add(ctx, docs...))
			x.Delete(gone)
		}
		if i%2 == 0 {
			dir := t.TempDir()
			if err = errors.Join(err, x.Compact(ctx), x.Save(ctx, dir), x.Close()); err == nil {
				x, err = similar.Open(ctx, dir)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		searchVectors(t, x, given, r)
	}
}

// searchVectors holds searches to the plain loop, and vectors to how exact their storage is.
func searchVectors(t *testing.T, x *similar.Index, given map[string][]float32, r *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	o := x.Options().Vectors
	kept := map[string][]float32{}
	for id, v := range given {
		d, err := x.Document(id)
		if err != nil {
			t.Fatal(err)
		}
		kept[id] = d.Vector
		largest := math.Abs(float64(v[blas.Iamax(v)]))
		for i := range v {
			if diff := math.Abs(float64(v[i] - d.Vector[i])); diff > largest*[]float64{0, 1. / 2048, 1.0001 / 254}[o.Storage] {
				t.Fatalf("%+v: element %v is kept as %v", o, v[i], d.Vector[i])
			}
		}
	}
	for _, k := range []int{1, 10, 2000} {
		q := randomVector(r, o.Dimension)
		got, err := x.Search(ctx, similar.Query{Vector: q, K: k})
		want := plainVector(o.Metric, q, kept, k)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%+v: %d hits, want %d; %v", o, len(got), len(want), err)
		}
		for i := range want {
			if got[i].Document.ID != want[i].Document.ID || got[i].Score != want[i].Score || !slices.Equal(got[i].Document.Vector, kept[got[i].Document.ID]) {
				t.Fatalf("%+v: hit %d is %q with %v, want %q with %v", o, i, got[i].Document.ID, got[i].Score, want[i].Document.ID, want[i].Score)
			}
		}
	}
}

func TestFusedRanks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, err := similar.New(similar.Options{Vectors: similar.VectorOptions{Dimension: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	err = x.Add(ctx,
		similar.Document{ID: "both", Text: "heap and tree", Vector: []float32{1, 0.1}},
		similar.Document{ID: "text", Text: "heap heap"},
		similar.Document{ID: "vector", Vector: []float32{1, 0}},
		similar.Document{ID: "other", Text: "list", Vector: []float32{-1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := x.Search(ctx, similar.Query{Text: "heap", Vector: []float32{1, 0}})
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Document.ID)
	}
	if err != nil || !reflect.DeepEqual(ids, []string{"both", "text", "vector", "other"}) || hits[0].Score != 1./62+1./62 || hits[1].Score != 1./61 || hits[3].Score != 1./63 {
		t.Errorf("fused hits are %q, %+v, %v", ids, hits, err)
	}
	if hits, err = x.Search(ctx, similar.Query{Like: []string{"vector"}}); err != nil || len(hits) != 2 || hits[0].Document.ID != "both" {
		t.Errorf("like a document with a vector alone are %+v, %v", hits, err)
	}
	near := map[string][]similar.Neighbor{}
	for n, err := range x.Pairs(ctx, similar.PairOptions{Threshold: 0.5}) {
		if near[n.ID] = n.Nearest; err != nil {
			t.Fatal(err)
		}
	}
	if len(near) != 4 || len(near["vector"]) != 1 || near["vector"][0].ID != "both" || math.Abs(near["vector"][0].Similarity-1/math.Hypot(1, 0.1)) > 1e-6 {
		t.Errorf("pairs are %+v", near)
	}
	none, err := similar.New(similar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	for what, err := range map[string]error{
		"dimension":    x.Add(ctx, similar.Document{ID: "a", Vector: []float32{1}}),
		"NaN":          x.Add(ctx, similar.Document{ID: "a", Vector: []float32{1, float32(nan)}}),
		"zero":         x.Add(ctx, similar.Document{ID: "a", Vector: []float32{0, 0}}),
		"none":         none.Add(ctx, similar.Document{ID: "a", Vector: []float32{1}}),
		"query":        second(x.Search(ctx, similar.Query{Vector: []float32{1, 2, 3}})),
		"query NaN":    second(x.Search(ctx, similar.Query{Vector: []float32{1, float32(nan)}})),
		"query none":   second(none.Search(ctx, similar.Query{Vector: []float32{1}})),
		"bad options":  second(similar.New(similar.Options{Vectors: similar.VectorOptions{Dimension: -1}})),
		"bad storages": second(similar.New(similar.Options{Vectors: similar.VectorOptions{Storage: 3}})),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if x.Len() != 4 || none.Len() != 0 {
		t.Errorf("%d and %d documents, want 4 and 0", x.Len(), none.Len())
	}
}
