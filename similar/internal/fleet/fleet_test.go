package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gridstride/gridstride/similar/internal/zipf"
)

// TestRun builds and serves 300 documents, and looks at what is written about it.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts the command")
	}
	t.Parallel()
	dir := t.TempDir()
	command := filepath.Join(dir, "similar")
	if runtime.GOOS == "windows" {
		t.Skip("servers are stopped by a signal that Windows does not have")
	}
	if text, err := exec.Command("go", "build", "-o", command, "github.com/gridstride/gridstride/cmd/similar").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	corpus := zipf.Corpus{Documents: 300, Length: 30, Words: 2000, Seed: 3}
	r := run{similar: command, work: dir, corpus: corpus, jobs: 4, at: 2, memory: "64MB", serving: 2, requests: 100}
	err := r.measure(t.Context())
	if e := r.write(filepath.Join(dir, "result.json")); err != nil || e != nil {
		t.Fatal(err, e)
	}
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got result
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Build) != 5 || len(got.Serving) != 6 || len(got.Servers) != 3 || got.Ratio <= 0 || got.VersionBytes <= 0 {
		t.Errorf("the result is %s", text)
	}
	for _, s := range append(got.Build, got.Servers...) {
		if s.Processor <= 0 && s.Processes > 1 {
			t.Errorf("%s took no time", s.What)
		}
	}
	for _, row := range got.Serving {
		if row.Median <= 0 || row.P99 < row.Median {
			t.Errorf("%s: median %v, p99 %v", row.What, row.Median, row.P99)
		}
	}
}

// TestDocuments holds the files of the jobs to be all documents, each once, and to stay as they are.
func TestDocuments(t *testing.T) {
	t.Parallel()
	r := run{work: t.TempDir(), corpus: zipf.Corpus{Documents: 101, Length: 5, Words: 50, Seed: 1}, jobs: 7}
	for range 2 {
		r.result = result{}
		if err := r.documents(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen, size := map[string]bool{}, 0
		for job := range r.jobs {
			text, err := os.ReadFile(r.sourceOf(job))
			if err != nil {
				t.Fatal(err)
			}
			size += len(text)
			for line := range strings.Lines(string(text)) {
				var doc struct{ ID, Text string }
				if err := json.Unmarshal([]byte(line), &doc); err != nil || seen[doc.ID] || len(strings.Fields(doc.Text)) != 5 {
					t.Errorf("job %d has %q, %v", job, line, err)
				}
				seen[doc.ID] = true
			}
		}
		if len(seen) != 101 || int64(size) != r.result.SourceBytes {
			t.Errorf("%d documents of %d bytes; want 101 of %d", len(seen), size, r.result.SourceBytes)
		}
	}
}

// TestEqual tries answers that differ.
func TestEqual(t *testing.T) {
	t.Parallel()
	const a = `{"hits":[{"id":"a","score":1.5},{"id":"b","score":1}]}`
	for b, want := range map[string]bool{
		a: true,
		`{"total":2,"hits":[{"id":"a","score":1.5},{"id":"b","score":1}]}`:     true,
		`{"missing":[1],"hits":[{"id":"a","score":1.5},{"id":"b","score":1}]}`: false,
		`{"hits":[{"id":"a","score":1.5}]}`:                                    false,
		`{"hits":[{"id":"b","score":1.5},{"id":"a","score":1}]}`:               false,
		`{"hits":[{"id":"a","score":1.25},{"id":"b","score":1}]}`:              false,
		`busy`: false,
	} {
		if err := equal([]byte(a), []byte(b)); (err == nil) != want {
			t.Errorf("%s: %v", b, err)
		}
	}
}

// TestSummarize holds medians, p99 and quantiles to the times that they are of.
func TestSummarize(t *testing.T) {
	t.Parallel()
	var r row
	for i := range 1001 {
		r.times = append(r.times, time.Duration(1000-i)*time.Millisecond)
	}
	r.summarize(true)
	if r.Requests != 1001 || r.Median != 500 || r.P99 != 990 || len(r.Quantiles) != 201 || r.Quantiles[0] != 0 || r.Quantiles[1] != 5 || r.Quantiles[200] != 1000 {
		t.Errorf("%+v", r)
	}
}
