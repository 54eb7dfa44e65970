// Command rivals compares package similar with other engines, in one run and by turns, and writes
// the results as JSON: texts with Lucene, Tantivy and bleve, and vectors with chromem-go. It is a
// separate module, so that those libraries are in no one else's go.mod.
//
//	go run . -documents 1000000 -o measurement.json
//	go run . -sources go:std,/usr/share/man -o measurement.json
//
// Each engine of texts is a separate process (protocol.go). The scripts lucene/build and
// tantivy/build make the two that are not Go, of packages that Maven, pip and cargo fetch. The
// command says which engine it cannot make, and goes on without it. Times are processor time, on one
// processor: on a machine that others use, too, elapsed time would be theirs as well. The time of a
// query is the least of several rounds. The first round warms the engines up and does not count.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"time"
)

// sizes says how much is measured.
type sizes struct {
	Documents, Words, Vocabulary int
	Threads, Megabytes           int
	Queries, Rounds              int
	Vectors, Dimension           int
	Seed                         uint64

	dir, scaling string
}

func main() {
	var s sizes
	flag.IntVar(&s.Documents, "documents", 100_000, "documents to draw, 0 for none")
	flag.IntVar(&s.Words, "words", 100, "words of a document")
	flag.IntVar(&s.Vocabulary, "vocabulary", 500_000, "different words")
	sources := flag.String("sources", "", "files and folders to read instead, parted by commas, as similar index takes them")
	engines := flag.String("engines", "similar,lucene,tantivy,bleve", "engines to measure, similar first")
	flag.IntVar(&s.Threads, "threads", 1, "threads that index")
	flag.IntVar(&s.Megabytes, "megabytes", 512, "memory for new documents")
	flag.IntVar(&s.Queries, "queries", 200, "queries of each kind")
	flag.IntVar(&s.Rounds, "rounds", 3, "rounds of queries that count")
	flag.IntVar(&s.Vectors, "vectors", 0, "vectors to search, 0 for none")
	flag.IntVar(&s.Dimension, "dimension", 1536, "of the vectors")
	flag.Uint64Var(&s.Seed, "seed", 1, "for everything that is drawn")
	flag.StringVar(&s.dir, "dir", "", "folder for documents and indices, which are kept and used again")
	out := flag.String("o", "", "the file for the measurements")
	flag.StringVar(&s.scaling, "scaling", "", "measure package similar alone, on these numbers of processors, such as 1,4,16")
	engine := flag.String("engine", "", "answer the protocol with this engine, similar or bleve, instead")
	flag.Parse()
	err := run(context.Background(), s, *engine, *engines, *sources, *out)
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, s sizes, engine, engines, sources, out string) error {
	if engine != "" {
		e := goEngines[engine]
		if e == nil {
			return fmt.Errorf("engine %q; want similar or bleve", engine)
		}
		return serve(e())
	}
	list, err := parseEngines(engines)
	if err != nil {
		return err
	}
	read := strings.FieldsFunc(sources, func(r rune) bool { return r == ',' })
	return measure(ctx, s, list, read, out)
}

// measurements are the rows of the file, by what was measured.
type measurements map[string]any

func measure(ctx context.Context, s sizes, engines, sources []string, out string) error {
	rows := measurements{"sizes": s, "go": runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	switch {
	case s.scaling != "":
		if err := measureScaling(ctx, s, s.scaling, rows); err != nil {
			return err
		}
	case s.Documents > 0 || len(sources) > 0:
		if err := measureEngines(ctx, s, engines, sources, rows); err != nil {
			return err
		}
	}
	if s.Vectors > 0 {
		runtime.GOMAXPROCS(1)
		if err := measureVectors(ctx, s, rand.New(rand.NewPCG(1, 2)), rows); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		return err
	}
	fmt.Println(string(b))
	if out == "" {
		return nil
	}
	return os.WriteFile(out, append(b, '\n'), 0o644)
}

// note writes how far the measurement has come.
func note(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
}
