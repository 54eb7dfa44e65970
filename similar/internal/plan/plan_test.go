package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const measured = "../../../docs/measurements/2026-11-28-fleet.json"

// TestDocument holds the tables of docs/scale.md to what the program writes.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := fill(string(text), measured)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(text) {
		t.Error("docs/scale.md has other tables: go run ./similar/internal/plan docs/measurements/2026-11-28-fleet.json docs/scale.md")
	}
	if _, err := fill("no comment", measured); err == nil {
		t.Error("a document without the comments is taken")
	}
}

// TestMeasurement refuses files that lack what the model needs.
func TestMeasurement(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(measured)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"text":         "no JSON",
		"no jobs":      strings.Replace(string(whole), "index -shard", "index", 1),
		"no quantiles": strings.Replace(string(whole), "quantiles_ms", "quantiles", 1),
		"no documents": strings.Replace(string(whole), "\"documents\"", "\"docs\"", 1),
	} {
		file := filepath.Join(t.TempDir(), "measured.json")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := fill("", file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRates holds the constants to give back what was measured.
func TestRates(t *testing.T) {
	t.Parallel()
	m := measurement{
		Documents: 1000, VersionBytes: 5000,
		Build: []step{{What: "index -shard", Processes: 8, Processor: 10}, {What: "seal", Wall: 4}, {What: "compact", Processor: 2}},
		Serving: []row{
			{What: "3 words: one index", Median: 9},
			{What: "3 words: a front of the shards", Median: 6},
			{What: "3 words: the slowest of the shards, asked together by the client", Median: 4},
			{What: "3 words: one of the shards, asked together with the others", Median: 3, Quantiles: []float64{1, 3, 5}},
		},
		Servers: []step{{What: "the shards' servers", Processes: 4, Peak: 500}},
	}
	r, err := m.rates()
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string][2]float64{
		"indexing": {r.indexing, 0.01}, "merging": {r.merging, 0.002}, "sealing": {r.sealing, 0.5}, "bytes": {r.bytes, 5},
		"resident": {r.resident, 2}, "fronting": {r.fronting, 0.5}, "a shard": {r.answer(250), 3}, "one index": {r.answer(1000), 9},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, c[0], c[1])
		}
	}
}

// TestWait compares simulated waits with what probability says of times drawn evenly from 0 to 1.
func TestWait(t *testing.T) {
	t.Parallel()
	even := sample{0, 1}
	for _, shards := range []int{1, 3, 50} {
		plain, hedged := even.wait(shards, false), even.wait(shards, true)
		for got, want := range map[float64]float64{
			plain.median: math.Pow(0.5, 1/float64(shards)),
			plain.p99:    math.Pow(0.99, 1/float64(shards)),
			// Above hedgeAt, both of two servers are late: 1-p with t for p, and the second one's t-hedgeAt.
			hedged.p99: later(math.Pow(0.99, 1/float64(shards))),
		} {
			if math.Abs(got-want) > 0.01 {
				t.Errorf("%d shards: %v, want %v", shards, got, want)
			}
		}
	}
}

// later is the time in which the sooner of two servers of even times answers with a probability p, if a
// front asks the second one at hedgeAt.
func later(p float64) float64 {
	t := hedgeAt
	for ; t < 1 && 1-(1-t)*(1-(t-hedgeAt)) < p; t += 1e-5 {
	}
	if p <= hedgeAt {
		return p
	}
	return t
}

// TestSample reads quantiles between those that are there.
func TestSample(t *testing.T) {
	t.Parallel()
	s := sample{1, 2, 10}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.5, 0.5: 2, 0.75: 6, 1: 10} {
		if got := s.at(p); got != want {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
}

// TestFigure prints numbers of all sizes to two digits.
func TestFigure(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0.0182: "0.018", 4.56: "4.6", 46.2: "46", 99.4: "99", 123: "120", 4876: "4900", 160: "160"} {
		if got := figure(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}
