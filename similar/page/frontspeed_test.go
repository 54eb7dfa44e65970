package page

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/scatter"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

var frontFile = flag.String("frontspeed", "", "serve 50,000 documents from shards behind a front and write what was measured to this `file`")

// frontRow is how long answers took, one after the other.
type frontRow struct {
	What     string  `json:"what"`
	Requests int     `json:"requests"`
	Missing  int     `json:"missing"` // answers with a shard missing
	P10      float64 `json:"p10_ms"`
	Median   float64 `json:"median_ms"`
	P99      float64 `json:"p99_ms"`
	Hedges   int     `json:"hedges,omitempty"`
	Asked    int     `json:"asked_of_servers,omitempty"`

	times []time.Duration
	take  func(query string) (missing bool)
}

// TestFrontSpeed measures what a front adds to the slowest of its shards, and what a server that is
// slow by 500 ms does to its answers. The rows of a group are measured by turns, query by query.
func TestFrontSpeed(t *testing.T) {
	if *frontFile == "" {
		t.Skip("-frontspeed is not given")
	}
	const shards, requests, documents = 4, 2000, 50_000
	words := zipf.New(zipf.Corpus{Documents: documents, Length: 100, Words: 500_000, Seed: 1})
	queries := slices.Collect(words.Queries(requests, 3))
	parts := make([][]similar.Document, shards)
	n := 0
	for id, text := range words.Documents() {
		parts[n%shards] = append(parts[n%shards], similar.Document{ID: id, Text: text})
		n++
	}
	var indexes []*similar.Index
	var tables []*similar.Table
	for _, part := range parts {
		x := indexOf(t, part...)
		if err := x.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		table, err := x.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		indexes, tables = append(indexes, x), append(tables, table)
	}
	all, err := similar.MergeTables(tables...)
	if err != nil {
		t.Fatal(err)
	}
	var slow atomic.Bool
	server := func(i int, sleeps bool) string {
		h := handlerOf(t, indexes[i].Searcher, Options{Table: all})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if sleeps && slow.Load() && r.URL.Path != scatter.StatusPath {
				select {
				case <-time.After(500 * time.Millisecond):
				case <-r.Context().Done():
				}
			}
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	var one, two [][]string
	for i := range shards {
		one = append(one, []string{server(i, false)})
		two = append(two, []string{one[i][0], server(i, i == 0)})
	}
	var rows []*frontRow
	fronts := map[*frontRow]*atomic.Int64{}
	front := func(what string, list [][]string) *frontRow {
		row, hedges := &frontRow{What: what}, &atomic.Int64{}
		f := frontWith(t, list, Options{}, func(o ShardObservation) {
			if o.Hedge {
				hedges.Add(1)
			}
			fronts[row].Add(1)
		})
		fronts[row] = &atomic.Int64{}
		s := httptest.NewServer(f)
		t.Cleanup(s.Close)
		row.take = func(query string) bool {
			before := hedges.Load()
			missing := askAt(t, s.URL, query)
			row.Hedges += int(hedges.Load() - before)
			return missing
		}
		return row
	}
	direct := &frontRow{What: "the slowest of the 4 shards, asked together at /api/search by the client itself"}
	direct.take = func(query string) bool {
		var all sync.WaitGroup
		for i := range one {
			all.Go(func() { askAt(t, one[i][0], query) })
		}
		all.Wait()
		return false
	}
	rows = append(rows, measureRows(queries, direct, front("a front of the 4 shards", one))...)
	healthy := front("a front of 4 shards with 2 servers each", two)
	rows = append(rows, measureRows(queries, healthy)...)
	slow.Store(true)
	rows = append(rows, measureRows(queries, front("the same, one of the 8 servers slow by 500 ms", two))...)
	for _, r := range rows {
		if n := fronts[r]; n != nil {
			r.Asked = int(n.Load())
		}
		t.Logf("%s: %+.3f %.3f %.3f, %d hedges of %d, %d missing", r.What, r.P10, r.Median, r.P99, r.Hedges, r.Asked, r.Missing)
	}
	text, err := json.MarshalIndent(map[string]any{
		"what":         "what a front adds to the slowest of its shards, and what a slow server does: API answers of 10 hits, one client, on loopback, all in one process",
		"data":         "similar/internal/zipf, seed 1: 50,000 documents of 100 words in 4 shards; 2,000 queries of 3 words. The first two rows are by turns, query by query",
		"date":         time.Now().UTC().Format(time.DateOnly),
		"commit":       cmp.Or(*loadCommit, "not given"),
		"command":      "go test ./similar/page -run TestFrontSpeed -frontspeed FILE -loadcommit COMMIT",
		"go":           runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"machine":      fmt.Sprintf("%d %s cores, which client, front and shards share", runtime.NumCPU(), runtime.GOARCH),
		"load_average": loadAverage(),
		"rows":         rows,
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*frontFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

// askAt asks a server, and reports whether a shard is missing.
func askAt(t *testing.T, at, query string) bool {
	res, err := http.Get(at + "/api/search?q=" + url.QueryEscape(query))
	if err != nil {
		t.Error(err)
		return true
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("status %d, %v", res.StatusCode, err)
	}
	return strings.Contains(string(text), `"missing":`)
}

// measureRows asks by turns.
func measureRows(queries []string, rows ...*frontRow) []*frontRow {
	for i, q := range queries {
		for _, r := range rows {
			start := time.Now()
			if r.take(q) {
				r.Missing++
			}
			if i >= len(queries)/10 { // the first ones find connections
				r.times = append(r.times, time.Since(start))
			}
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	for _, r := range rows {
		slices.Sort(r.times)
		n := len(r.times)
		r.Requests, r.P10, r.Median, r.P99 = n, ms(r.times[n/10]), ms(r.times[n/2]), ms(r.times[n*99/100])
	}
	return rows
}
