package gpusimilar_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/gpusimilar"
	"github.com/gridstride/gridstride/similar/version"
	"github.com/gridstride/gridstride/similar/weight"
)

// inTiles is the pairs on the device.
func inTiles(b *bench, x *similar.Searcher, o similar.PairOptions) (list []similar.Neighbors) {
	b.Helper()
	for n, err := range gpusimilar.Pairs(b.Context(), b.h, x, o) {
		must(b, err)
		list = append(list, n)
	}
	return list
}

// samePairs compares the pairs on the device with those on the CPU.
func samePairs(b *bench, x *similar.Searcher, o similar.PairOptions) {
	b.Helper()
	var want []similar.Neighbors
	for n, err := range x.Pairs(b.Context(), o) {
		must(b, err)
		want = append(want, n)
	}
	if got := inTiles(b, x, o); len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		b.Fatalf("%d documents, %+v: %v, want %v", x.Len(), o, got, want)
	}
}

// TestPairsInTiles compares the pairs of random collections: indices of several segments with documents
// that were replaced and deleted, shards, and versions, whole and in parts that were interrupted.
func TestPairsInTiles(t *testing.T) {
	t.Parallel()
	n := *collections
	if testing.Short() {
		n = min(n, 10)
	}
	for i, scheme := range []string{"bm25", "ltc.lnc", "Lnu.ltu", "bm25 with streams"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			o := similar.Options{}
			var err error
			if scheme == "bm25 with streams" {
				o.Fields = []similar.Field{{Name: "title", Weight: 2, B: new(0.4)}, {Name: "text", Weight: 1}}
			} else if o.Weight, err = weight.Parse(scheme); err != nil {
				t.Fatal(err)
			}
			b, r := newBench(t), rand.New(rand.NewPCG(uint64(i), 24))
			for range n / 20 {
				tiles(b, r, o)
			}
		})
	}
}

// tiles compares the pairs of one random collection.
func tiles(b *bench, r *rand.Rand, o similar.Options) {
	b.Helper()
	var list []*similar.Index
	for range 1 + r.IntN(3) {
		x, err := similar.New(o)
		must(b, err)
		defer func() { must(b, x.Close()) }()
		list = append(list, x)
	}
	all, err := similar.NewShards(list...)
	must(b, err)
	for range 1 + r.IntN(3) {
		for range r.IntN(9) {
			must(b, all.Add(b.Context(), similar.Document{ID: fmt.Sprint("d", r.IntN(14)), Title: text(r, r.IntN(3)), Text: text(r, r.IntN(15))}))
		}
	}
	_, err = all.Delete("d3", "d5")
	must(b, err)
	options := similar.PairOptions{K: 1 + r.IntN(6), Threshold: []float64{0, 0, 0.3, 0.9}[r.IntN(4)]}
	samePairs(b, all.Searcher, options)
	store := version.Folder(b.TempDir())
	for i, x := range list {
		must(b, version.WriteShard(b.Context(), store, x, version.ShardOptions{Shard: i, Of: len(list)}))
	}
	must(b, version.Seal(b.Context(), store))
	v, err := version.Open(b.Context(), store, version.Options{})
	must(b, err)
	defer func() { must(b, v.Close()) }()
	options.Parts = 1 + r.IntN(3)
	for options.Part = range options.Parts {
		samePairs(b, v.Searcher, options)
		options.After = fmt.Sprint("d", r.IntN(14))
	}
}

// TestPairsInTilesRefused tries what cannot be searched in tiles.
func TestPairsInTilesRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	x, err := similar.New(similar.Options{})
	must(t, err)
	must(t, x.Add(t.Context(), similar.Document{ID: "a", Text: "heap"}, similar.Document{ID: "b", Text: "heap"}))
	vectors, err := similar.New(similar.Options{Vectors: similar.VectorOptions{Dimension: 3}})
	must(t, err)
	defer func() { must(t, vectors.Close()) }()
	fault := func(ctx context.Context, x *similar.Searcher, o similar.PairOptions) (last error) {
		for _, err := range gpusimilar.Pairs(ctx, b.h, x, o) {
			last = err
		}
		return last
	}
	for _, o := range []similar.PairOptions{{K: 128}, {K: -1}, {Threshold: -1}} {
		if err := fault(t.Context(), x.Searcher, o); !errors.Is(err, gridstride.ErrRange) {
			t.Errorf("%+v gives %v", o, err)
		}
	}
	if err := fault(t.Context(), vectors.Searcher, similar.PairOptions{}); !errors.Is(err, gridstride.ErrRange) {
		t.Errorf("an index with vectors gives %v", err)
	}
	if err := fault(t.Context(), x.Searcher, similar.PairOptions{Part: 2, Parts: 2}); err == nil {
		t.Error("there is a part 2 of 2")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := fault(ctx, x.Searcher, similar.PairOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of a context that has ended is %v", err)
	}
	must(t, x.Close())
	if err := fault(t.Context(), x.Searcher, similar.PairOptions{}); !errors.Is(err, similar.ErrClosed) {
		t.Errorf("an index that is closed gives %v", err)
	}
}
