package page

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
)

var (
	loadFile   = flag.String("load", "", "serve 100,000 documents to 64 clients and write what was measured to this `file`")
	loadTime   = flag.Duration("loadtime", time.Minute, "how `long` each load lasts")
	loadCommit = flag.String("loadcommit", "", "the `commit` that is measured")
)

const (
	loadDocuments = 100_000
	loadClients   = 64
)

// loaded is one row of the measurement.
type loaded struct {
	What     string  `json:"what"`
	Clients  int     `json:"clients"`
	Seconds  float64 `json:"seconds"`
	Requests int     `json:"requests"`
	Errors   int     `json:"errors"`
	Rate     float64 `json:"requests_a_second"`
	Median   float64 `json:"median_ms"`
	P99      float64 `json:"p99_ms"`
	Most     float64 `json:"max_ms"`
	CPU      float64 `json:"processor_ms_a_request"` // of the process: server and clients
	HeapMB   []int   `json:"heap_mb"`                // after a collection, at quarters of the time
}

// TestLoad serves an index to clients that ask without a pause, and to ones that pause as people do
// who type: the longest of 100 answers shall take 20 ms at most, no answer shall be an error, and
// the memory shall not grow.
func TestLoad(t *testing.T) {
	if *loadFile == "" {
		t.Skip("-load is not given")
	}
	words := zipf.New(zipf.Corpus{Documents: loadDocuments, Length: 100, Words: 500_000, Seed: 1})
	queries := slices.Collect(words.Queries(64_000, 3))
	var docs []similar.Document
	for id, text := range words.Documents() {
		docs = append(docs, similar.Document{ID: id, Text: text})
	}
	x := indexOf(t, docs...)
	h := handlerOf(t, x.Searcher, Options{})
	if err := x.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	docs = nil
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, "127.0.0.1:0", h, func(url string) { address <- url }) }()
	at := strings.TrimSuffix(<-address, "/")
	var rows []loaded
	for _, pause := range []time.Duration{250 * time.Millisecond, 0} {
		for _, path := range []string{"/results", "/api/search"} {
			long := *loadTime
			if pause == 0 {
				long /= 4 // both processors are busy all the time
			}
			row := load(t, at+path, queries, pause, long)
			t.Logf("%+v", row)
			rows = append(rows, row)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	writeLoad(t, rows)
}

// load lets clients ask for queries of three words.
func load(t *testing.T, at string, queries []string, pause, long time.Duration) loaded {
	row := loaded{What: fmt.Sprintf("%s, three words, %v between two questions of a client", at[strings.LastIndex(at, ":"):], pause), Clients: loadClients, Seconds: long.Seconds()}
	row.What = row.What[strings.Index(row.What, "/"):]
	if pause == 0 {
		row.What = strings.Replace(row.What, "0s between two questions of a client", "asked without a pause", 1)
	}
	times, errors := make([][]time.Duration, loadClients), make([]int, loadClients)
	before, start := processorTime(), time.Now()
	var wait sync.WaitGroup
	for c := range loadClients {
		wait.Go(func() {
			times[c], errors[c] = client(at, queries[c*len(queries)/loadClients:], pause, start.Add(long))
		})
	}
	for range 4 {
		time.Sleep(long / 4)
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		row.HeapMB = append(row.HeapMB, int(m.HeapAlloc>>20))
	}
	wait.Wait()
	took := time.Since(start)
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	for _, n := range errors {
		row.Errors += n
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	row.Requests, row.Rate = len(all), float64(len(all))/took.Seconds()
	row.Median, row.P99, row.Most = ms(all[len(all)/2]), ms(all[len(all)*99/100]), ms(all[len(all)-1])
	row.CPU = ms(processorTime()-before) / float64(len(all))
	return row
}

// client asks until the deadline, and returns how long each answer took.
func client(at string, queries []string, pause time.Duration, deadline time.Time) (times []time.Duration, errors int) {
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	time.Sleep(time.Duration(float64(pause) * rand.Float64()))
	for i := 0; time.Now().Before(deadline); i++ {
		start := time.Now()
		res, err := c.Get(at + "?q=" + url.QueryEscape(queries[i%len(queries)]))
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			if res.Body.Close(); res.StatusCode != http.StatusOK {
				errors++
			}
		}
		if err != nil {
			errors++
		}
		times = append(times, time.Since(start))
		time.Sleep(pause)
	}
	return times, errors
}

func writeLoad(t *testing.T, rows []loaded) {
	commit := cmp.Or(*loadCommit, "not given")
	text, err := json.MarshalIndent(map[string]any{
		"what":         "serve under load: an index of 100,000 documents of 100 words in memory, its page and API on loopback, clients in the same process",
		"data":         "similar/internal/zipf, seed 1: 100,000 documents of 100 words, 500,000 words; 64,000 queries of 3 words, each client from another one on",
		"date":         time.Now().UTC().Format(time.DateOnly),
		"commit":       commit,
		"command":      "go test ./similar/page -run TestLoad -load FILE -loadcommit COMMIT -timeout 20m",
		"go":           runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"machine":      fmt.Sprintf("%d %s cores, which clients and server share", runtime.NumCPU(), runtime.GOARCH),
		"load_average": loadAverage(),
		"rows":         rows,
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*loadFile, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

// loadAverage is the system's figure of the machine's load, if it has one.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
