package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// A row is how long answers took, one after the other.
type row struct {
	What     string  `json:"what"`
	Requests int     `json:"requests"`
	Median   float64 `json:"median_ms"`
	P99      float64 `json:"p99_ms"`
	// Quantiles are the times of the quantiles 0, 1/200, … 1 of a row that docs/scale.md draws from.
	Quantiles []float64 `json:"quantiles_ms,omitempty"`

	times []time.Duration
}

// askAll asks one index, a front, and where apart is given all shards at once, by turns, and compares
// the answers of the first two. The first tenth of the requests finds connections and reads files,
// and does not count.
func askAll(ctx context.Context, what string, queries []string, apart []string, front, one string) ([]row, error) {
	rows := []row{{What: what + ": one index"}, {What: what + ": a front of the shards"}}
	if len(apart) > 0 {
		rows = append(rows,
			row{What: what + ": the slowest of the shards, asked together by the client"},
			row{What: what + ": one of the shards, asked together with the others"})
	}
	for i, q := range queries {
		expect, alone, err := ask(ctx, one+q)
		if err != nil {
			return nil, err
		}
		got, fronted, err := ask(ctx, front+q)
		if err == nil {
			err = equal(expect, got)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q, err)
		}
		took := []time.Duration{alone, fronted}
		if len(apart) > 0 {
			each, err := askTogether(ctx, apart, q)
			if err != nil {
				return nil, err
			}
			took = append(took, slices.Max(each), each[i%len(each)])
		}
		if i < len(queries)/10 {
			continue
		}
		for k := range rows {
			rows[k].times = append(rows[k].times, took[k])
		}
	}
	for k := range rows {
		rows[k].summarize(k == 3)
		fmt.Printf("%s: median %.3f ms, p99 %.3f ms\n", rows[k].What, rows[k].Median, rows[k].P99)
	}
	return rows, nil
}

// summarize fills a row in from its times.
func (r *row) summarize(quantiles bool) {
	slices.Sort(r.times)
	n := len(r.times)
	r.Requests, r.Median, r.P99 = n, ms(r.times[n/2]), ms(r.times[n*99/100])
	if quantiles {
		for i := range 201 {
			r.Quantiles = append(r.Quantiles, ms(r.times[i*(n-1)/200]))
		}
	}
}

// askTogether asks all shards at once.
func askTogether(ctx context.Context, shards []string, q string) ([]time.Duration, error) {
	each := make([]time.Duration, len(shards))
	all, ctx := errgroup.WithContext(ctx)
	for i, url := range shards {
		all.Go(func() (err error) {
			_, each[i], err = ask(ctx, url+q)
			return err
		})
	}
	return each, all.Wait()
}

// transport keeps the connections of all servers.
var transport = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, Timeout: 30 * time.Second}

// ask asks a server.
func ask(ctx context.Context, url string) ([]byte, time.Duration, error) {
	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	res, err := transport.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", url, res.StatusCode, tail(text))
	}
	return text, time.Since(start), err
}

// equal says in what two answers differ: an id or a score of a hit, or a shard that is missing.
func equal(a, b []byte) error {
	var hits [2]struct {
		Missing []int `json:"missing"`
		Hits    []struct {
			ID    string  `json:"id"`
			Score float64 `json:"score"`
		} `json:"hits"`
	}
	for i, text := range [][]byte{a, b} {
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&hits[i]); err != nil {
			return err
		}
	}
	if len(hits[1].Missing) > 0 {
		return fmt.Errorf("shards %v are missing", hits[1].Missing)
	}
	if !slices.Equal(hits[0].Hits, hits[1].Hits) {
		return fmt.Errorf("one index answers %v, and the front %v", hits[0].Hits, hits[1].Hits)
	}
	return nil
}
