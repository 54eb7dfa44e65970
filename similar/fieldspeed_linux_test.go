package similar_test

import (
	"flag"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
	"github.com/gridstride/gridstride/similar/query"
)

var fieldSpeed = flag.String("field-speed", "", "measure indexing and searches with schemas and without, and write the `file` of docs/measurements")

// fieldTimes are the times of one schema: indexing all documents, and the medians over queries of
// the least of several runs.
type fieldTimes struct {
	Schema   string  `json:"schema"`
	Indexing float64 `json:"documents in a second"`
	One      float64 `json:"ms of 1 word"`
	Three    float64 `json:"ms of 3 words"`
	Ten      float64 `json:"ms of 10 words"`
	And      float64 `json:"ms of AND of 2 words"`
}

// fieldSchemas are the schemas that TestFieldSpeed measures.
var fieldSchemas = []struct {
	name   string
	fields []similar.Field
}{
	{"none", nil},
	{"title weighs 3", []similar.Field{{Name: "title", Weight: 3}}},
	{"title weighs 3, with b 0.3", []similar.Field{{Name: "title", Weight: 3, B: new(0.3)}}},
	{"title is German", []similar.Field{{Name: "title", Weight: 1, Language: "german"}}},
}

// TestFieldSpeed measures.
func TestFieldSpeed(t *testing.T) {
	if *fieldSpeed == "" {
		t.Skip("-field-speed is not given")
	}
	runtime.GOMAXPROCS(1)
	corpus := zipf.Standard
	corpus.Documents = 100_000
	g := zipf.New(corpus)
	var docs []similar.Document
	for id, text := range g.Documents() {
		docs = append(docs, similar.Document{ID: id, Title: text[:40], Text: text})
	}
	var lines []fieldTimes
	for _, s := range fieldSchemas {
		x, err := similar.New(similar.Options{Fields: s.fields})
		if err != nil {
			t.Fatal(err)
		}
		start := cpuTime(t)
		for chunk := range slices.Chunk(docs, 20_000) {
			if err := x.Add(t.Context(), chunk...); err != nil {
				t.Fatal(err)
			}
		}
		line := fieldTimes{Schema: s.name, Indexing: float64(len(docs)) / (cpuTime(t) - start).Seconds()}
		if err := x.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		line.One, line.Three, line.Ten = queryTime(t, x, g, 1, false), queryTime(t, x, g, 3, false), queryTime(t, x, g, 10, false)
		line.And = queryTime(t, x, g, 2, true)
		lines = append(lines, line)
		x.Close()
	}
	writeSpeed(t, *fieldSpeed, "go test ./similar -run TestFieldSpeed -field-speed FILE", "100,000 documents of zipf.Standard, one segment, in memory; the title is the first 40 bytes of the text", lines)
}

// queryTime is the median time of queries of some words, all of which must be there if and is true.
func queryTime(t *testing.T, x *similar.Index, g *zipf.Generator, words int, and bool) float64 {
	var times []float64
	for text := range g.Queries(101, words) {
		q := similar.Query{Text: text}
		if and {
			var list []query.Clause
			for word := range strings.FieldsSeq(text) {
				list = append(list, query.Words{Text: word})
			}
			q = similar.Query{Clause: query.All(list...)}
		}
		best := 1e9
		for range 9 {
			start := cpuTime(t)
			if _, err := x.Matches(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			best = min(best, (cpuTime(t)-start).Seconds()*1e3)
		}
		times = append(times, best)
	}
	return median(times)
}
