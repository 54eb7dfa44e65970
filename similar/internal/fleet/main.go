// Command fleet makes a collection of generated documents, builds a version of it by jobs, merges its
// shards, and serves them by a process each and a front. It compares time, memory and answers with
// one index's:
//
//	go build -o similar ./cmd/similar
//	go run ./similar/internal/fleet -similar ./similar -work /data/fleet -documents 10000000 -o result.json
//
// docs/scale.md has the results. The folder of -work stays at the end; a second run with the same
// folder and the same documents reads them and does not write them again.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gridstride/gridstride/similar/internal/zipf"
)

// A run has the sizes of everything, and the result.
type run struct {
	similar  string // the command
	work     string // the folder of everything
	corpus   zipf.Corpus
	jobs     int    // shards that jobs write
	at       int    // jobs at a time
	memory   string // that a job stays within
	serving  int    // shards that are served
	requests int
	result   result
}

// A result is written as JSON.
type result struct {
	What    string `json:"what"`
	Date    string `json:"date"`
	Commit  string `json:"commit"`
	Command string `json:"command"`
	Go      string `json:"go"`
	Machine string `json:"machine"`
	Data    string `json:"data"`

	Documents    int     `json:"documents"`
	SourceBytes  int64   `json:"source_bytes"`
	VersionBytes int64   `json:"version_bytes"` // of the version that is served
	Build        []step  `json:"build"`
	Ratio        float64 `json:"processor_time_of_the_jobs_over_one_index"`
	Serving      []row   `json:"serving"`
	Servers      []step  `json:"servers"` // from their start to their end
}

func main() {
	log.SetFlags(0)
	r := run{corpus: zipf.Standard}
	flag.StringVar(&r.similar, "similar", "similar", "the `command`")
	flag.StringVar(&r.work, "work", "", "`folder` for documents, index and versions")
	flag.IntVar(&r.corpus.Documents, "documents", 100_000, "`number` of documents")
	flag.IntVar(&r.jobs, "jobs", 32, "`number` of jobs, each of which writes a shard")
	flag.IntVar(&r.at, "at", runtime.NumCPU(), "`number` of jobs at a time")
	flag.StringVar(&r.memory, "memory", "512MB", "`memory` that a job stays within")
	flag.IntVar(&r.serving, "serving", 8, "`number` of shards that are served; it divides -jobs")
	flag.IntVar(&r.requests, "requests", 2000, "`number` of searches; a fifth as many are for what is like a document")
	flag.StringVar(&r.result.Commit, "commit", "not given", "`commit` to name in the result")
	out := flag.String("o", "", "`file` of the result")
	flag.Parse()
	if r.work == "" || *out == "" || flag.NArg() > 0 || r.jobs < 1 || r.serving < 1 || r.jobs%r.serving != 0 || r.requests < 100 || r.corpus.Documents < r.jobs {
		log.Fatal("fleet: want -work FOLDER -o FILE, a -serving that divides -jobs, 100 or more -requests and a document for each job")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := r.measure(ctx)
	if e := r.write(*out); err == nil { // also what there is until an error
		err = e
	}
	if err != nil {
		log.Fatalf("fleet: %v", err)
	}
}

// measure does everything in turn.
func (r *run) measure(ctx context.Context) error {
	for _, do := range []func(context.Context) error{r.documents, r.build, r.one, r.serve} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// write writes the result.
func (r *run) write(name string) error {
	x := &r.result
	x.What = "a version built by jobs and served by a process a shard and a front, beside one index of the same documents"
	x.Date = time.Now().UTC().Format(time.DateOnly)
	x.Command = fmt.Sprintf("fleet -documents %d -jobs %d -at %d -memory %s -serving %d -requests %d", r.corpus.Documents, r.jobs, r.at, r.memory, r.serving, r.requests)
	x.Documents = r.corpus.Documents
	x.Go = runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	x.Machine = fmt.Sprintf("%d %s cores, which client, front and shards share", runtime.NumCPU(), runtime.GOARCH)
	x.Data = fmt.Sprintf("similar/internal/zipf, seed %d: %d documents of %d words in a file a job, of the documents of the job's shard", r.corpus.Seed, r.corpus.Documents, r.corpus.Length)
	text, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// path is a path below the folder of everything.
func (r *run) path(name string) string { return filepath.Join(r.work, name) }
