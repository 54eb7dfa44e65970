package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

// batch is how many documents are indexed at once.
const batch = 1000

func measureTexts(ctx context.Context, s sizes, rivals bool, rows measurements) error {
	c := zipf.New(zipf.Corpus{Documents: s.Documents, Length: s.Words, Words: s.Vocabulary, Seed: 1})
	var texts []string
	for _, text := range c.Documents() {
		texts = append(texts, text)
	}
	if err := measureIndexing(ctx, s, texts[:min(s.Indexed, len(texts))], rivals, rows); err != nil {
		return err
	}
	note("indexing %d documents", s.Documents)
	ours, err := indexOurs(ctx, texts)
	if err != nil {
		return err
	}
	defer ours.Close()
	if err := ours.Compact(ctx); err != nil {
		return err
	}
	if err := measureSize(ctx, ours, rows); err != nil {
		return err
	}
	var theirs bleve.Index
	if rivals {
		if theirs, err = indexBleve(texts); err != nil {
			return err
		}
		defer theirs.Close()
	}
	runtime.GC()
	for _, words := range []int{3, 10, 100} {
		if err := measureQueries(ctx, s, slices.Collect(c.Queries(s.Queries, words)), words, ours, theirs, rows); err != nil {
			return err
		}
	}
	return nil
}

// measureIndexing measures on one core by the time of the processor, and on two by the clock.
func measureIndexing(ctx context.Context, s sizes, texts []string, rivals bool, rows measurements) error {
	libraries := map[string]func() (io.Closer, error){
		"similar": func() (io.Closer, error) { return indexOurs(ctx, texts) },
	}
	if rivals {
		libraries["bleve"] = func() (io.Closer, error) { return indexBleve(texts) }
	}
	for _, cores := range []int{1, 2} {
		clock := took
		if cores > 1 {
			clock = elapsed
		}
		runtime.GOMAXPROCS(cores)
		best := map[string]time.Duration{}
		for range s.Rounds {
			note("indexing %d documents on %d cores, by turns", len(texts), cores)
			for name, index := range libraries {
				runtime.GC()
				d, err := clock(func() error {
					x, err := index()
					if err == nil {
						err = x.Close()
					}
					return err
				})
				if err != nil {
					return err
				}
				least(best, name, d)
			}
		}
		row := map[string]float64{}
		for name, d := range best {
			row[name+"_documents_a_second"] = float64(int(float64(len(texts)) / d.Seconds()))
		}
		ratio(row, best)
		rows[fmt.Sprintf("indexing, cores: %d", cores)] = row
	}
	runtime.GOMAXPROCS(1)
	return nil
}

func least(best map[string]time.Duration, name string, d time.Duration) {
	if b, ok := best[name]; !ok || d < b {
		best[name] = d
	}
}

func ratio(row map[string]float64, best map[string]time.Duration) {
	if b := best["bleve"]; b > 0 {
		row["ratio"] = float64(b) / float64(best["similar"])
	}
}

func indexOurs(ctx context.Context, texts []string) (*similar.Index, error) {
	x, err := similar.New(similar.Options{})
	if err != nil {
		return nil, err
	}
	var docs []similar.Document
	for i, t := range texts {
		if docs = append(docs, similar.Document{ID: fmt.Sprintf("%08d", i), Text: t}); len(docs) == batch || i+1 == len(texts) {
			if err := x.Add(ctx, docs...); err != nil {
				return nil, err
			}
			docs = docs[:0]
		}
	}
	return x, nil
}

// indexBleve indexes with bleve's analyzer of English, in memory, with its present kind of index.
// It stores the text, as ours does, and no positions, which ours does not have.
func indexBleve(texts []string) (bleve.Index, error) {
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic = false
	m.ScoringModel = "bm25"
	f := bleve.NewTextFieldMapping()
	f.Analyzer, f.IncludeTermVectors, f.DocValues, f.IncludeInAll = en.AnalyzerName, false, false, false
	m.DefaultMapping.AddFieldMappingsAt("text", f)
	x, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	b := x.NewBatch()
	for i, t := range texts {
		if err := b.Index(fmt.Sprintf("%08d", i), map[string]any{"text": t}); err != nil {
			return nil, err
		}
		if b.Size() == batch || i+1 == len(texts) {
			if err := x.Batch(b); err != nil {
				return nil, err
			}
			b.Reset()
		}
	}
	return x, nil
}

func measureQueries(ctx context.Context, s sizes, queries []string, words int, ours *similar.Index, theirs bleve.Index, rows measurements) error {
	note("%d queries of %d words", len(queries), words)
	mine, other := make([]time.Duration, len(queries)), make([]time.Duration, len(queries))
	for round := range s.Rounds {
		for i, q := range queries {
			d, err := took(func() error { _, err := ours.Search(ctx, similar.Query{Text: q}); return err })
			if err != nil {
				return err
			}
			if mine[i] = min(d, mine[i]); round == 0 {
				mine[i] = d
			}
			if theirs == nil || words > 10 {
				continue
			}
			match := bleve.NewMatchQuery(q)
			match.SetField("text")
			if d, err = took(func() error { _, err := theirs.Search(bleve.NewSearchRequest(match)); return err }); err != nil {
				return err
			}
			if other[i] = min(d, other[i]); round == 0 {
				other[i] = d
			}
		}
	}
	row := map[string]any{"similar": spread(mine)}
	if theirs != nil && words <= 10 {
		a, b := spread(mine), spread(other)
		row["bleve"], row["ratio_median"], row["ratio_p99"] = b, b["median_ms"]/a["median_ms"], b["p99_ms"]/a["p99_ms"]
	}
	rows[fmt.Sprintf("queries of %d words, top 10, one core", words)] = row
	return nil
}

// measureSize saves the index and adds up what its segments take, ids and stored documents apart.
func measureSize(ctx context.Context, x *similar.Index, rows measurements) error {
	dir, err := os.MkdirTemp("", "rivals")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := x.Save(ctx, dir); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.segment"))
	if err != nil {
		return err
	}
	var bytes, postings int64
	for _, name := range names {
		sg, err := segment.Open(name)
		if err != nil {
			return err
		}
		_, index := sg.Size()
		bytes, postings = bytes+index, postings+sg.Postings()
	}
	rows["bytes a posting, in memory and in the file"] = float64(bytes) / float64(postings)
	rows["postings"] = postings
	return nil
}
