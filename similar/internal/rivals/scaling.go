package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

// measureScaling measures package similar on numbers of processors, by the clock: on a machine that
// nobody else uses.
func measureScaling(ctx context.Context, s sizes, list string, rows measurements) error {
	var processors []int
	for _, f := range strings.Split(list, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || n > runtime.NumCPU() {
			return fmt.Errorf("%q processors; want 1 to %d", f, runtime.NumCPU())
		}
		processors = append(processors, n)
	}
	c := zipf.New(zipf.Corpus{Documents: s.Documents, Length: s.Words, Words: s.Vocabulary, Seed: s.Seed})
	var docs []similar.Document
	for id, text := range c.Documents() {
		docs = append(docs, similar.Document{ID: id, Text: text})
	}
	queries := slices.Collect(c.Queries(s.Queries, 3))
	for range s.Rounds {
		for _, n := range processors {
			if err := measureProcessors(ctx, n, docs, queries, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureProcessors indexes and searches on n processors, and notes the best of all rounds.
func measureProcessors(ctx context.Context, n int, docs []similar.Document, queries []string, rows measurements) error {
	runtime.GOMAXPROCS(n)
	runtime.GC()
	x, err := similar.New(similar.Options{})
	if err != nil {
		return err
	}
	defer x.Close()
	start := time.Now()
	for batch := range slices.Chunk(docs, batch*n) { // as the command does
		if err := x.Add(ctx, batch...); err != nil {
			return err
		}
	}
	indexing := time.Since(start).Seconds()
	if err := x.Compact(ctx); err != nil {
		return err
	}
	asked, err := askFor(ctx, 2*time.Second, n, x, queries)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%d processors", n)
	row, ok := rows[key].(map[string]float64)
	if !ok {
		row = map[string]float64{"indexing_s": indexing}
		rows[key] = row
	}
	row["indexing_s"] = min(row["indexing_s"], indexing)
	row["queries_a_second"] = max(row["queries_a_second"], asked)
	note("%s: indexed in %.2f s, %.0f queries a second", key, indexing, asked)
	return nil
}

// askFor returns how many queries a second n goroutines get answered.
func askFor(ctx context.Context, d time.Duration, n int, x *similar.Index, queries []string) (float64, error) {
	var asked atomic.Int64
	var failed atomic.Value
	var done sync.WaitGroup
	start := time.Now()
	for g := range n {
		done.Go(func() {
			for i := g; time.Since(start) < d; i++ {
				if _, err := x.Search(ctx, similar.Query{Text: queries[i%len(queries)]}); err != nil {
					failed.Store(err)
					return
				}
				asked.Add(1)
			}
		})
	}
	done.Wait()
	err, _ := failed.Load().(error)
	return float64(asked.Load()) / time.Since(start).Seconds(), err
}
