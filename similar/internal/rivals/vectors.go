package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/philippgille/chromem-go"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/similar"
)

func measureVectors(ctx context.Context, s sizes, r *rand.Rand, rows measurements) error {
	note("%d vectors", s.Vectors)
	ours, err := similar.New(similar.Options{Vectors: similar.VectorOptions{Dimension: s.Dimension}})
	if err != nil {
		return err
	}
	defer ours.Close()
	theirs, err := chromem.NewDB().CreateCollection("vectors", nil, func(context.Context, string) ([]float32, error) {
		return nil, fmt.Errorf("a document without a vector")
	})
	if err != nil {
		return err
	}
	all := make([]float32, s.Vectors*s.Dimension)
	for i := range all {
		all[i] = float32(r.NormFloat64())
	}
	var docs []similar.Document
	for i := range s.Vectors {
		id, v := fmt.Sprintf("%08d", i), all[i*s.Dimension:(i+1)*s.Dimension]
		docs = append(docs, similar.Document{ID: id, Vector: v})
		if err := theirs.AddDocument(ctx, chromem.Document{ID: id, Embedding: v, Content: id}); err != nil {
			return err
		}
	}
	if err := ours.Add(ctx, docs...); err != nil {
		return err
	}
	if err := ours.Compact(ctx); err != nil {
		return err
	}
	best := map[string]time.Duration{}
	for range 5 * s.Rounds {
		q := all[:s.Dimension]
		d, err := took(func() error { _, err := ours.Search(ctx, similar.Query{Vector: q}); return err })
		if err != nil {
			return err
		}
		least(best, "similar", d)
		if d, err = took(func() error { blas.Dot(all[:len(all)/2], all[len(all)/2:]); return nil }); err != nil {
			return err
		}
		least(best, "dot", d)
		if d, err = took(func() error { _, err := theirs.QueryEmbedding(ctx, q, 10, nil, nil); return err }); err != nil {
			return err
		}
		least(best, "chromem-go", d)
	}
	row := map[string]float64{}
	for name, d := range best {
		row[name+"_ms"] = float64(d.Microseconds()) / 1000
	}
	row["of_the_bandwidth_of_dot"] = float64(best["dot"]) / float64(best["similar"])
	row["ratio"] = float64(best["chromem-go"]) / float64(best["similar"])
	rows["one vector, top 10, one core"] = row
	return nil
}

func least(best map[string]time.Duration, name string, d time.Duration) {
	if b, ok := best[name]; !ok || d < b {
		best[name] = d
	}
}
