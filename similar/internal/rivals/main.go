// Command rivals measures package similar, bleve and chromem-go, in one run and by turns, and
// writes its results as JSON. It is a separate module, so that those libraries are in no one else's
// go.mod.
//
//	go run . -documents 100000 -o measurement.json
//
// Times are processor time of the process, on one processor (GOMAXPROCS 1): on a machine that
// others use, too, elapsed time would be theirs as well. Each is the least of several runs that
// take turns. Indexing is measured on two processors, too, and there by the clock.
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
	"time"
)

// sizes says how much is measured.
type sizes struct {
	Documents, Words, Vocabulary int
	Indexed                      int
	Queries, Rounds              int
	Vectors, Dimension           int
}

func main() {
	var s sizes
	flag.IntVar(&s.Documents, "documents", 100_000, "documents to search")
	flag.IntVar(&s.Indexed, "indexed", 20_000, "documents of these to index in each run")
	flag.IntVar(&s.Words, "words", 100, "words of a document")
	flag.IntVar(&s.Vocabulary, "vocabulary", 500_000, "different words")
	flag.IntVar(&s.Queries, "queries", 100, "queries of each length")
	flag.IntVar(&s.Rounds, "rounds", 3, "runs of everything")
	flag.IntVar(&s.Vectors, "vectors", 20_000, "vectors to search, 0 for none")
	flag.IntVar(&s.Dimension, "dimension", 1536, "of the vectors")
	rivals := flag.Bool("rivals", true, "measure bleve and chromem-go, too")
	out := flag.String("o", "", "the file for the measurements")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	if err := measure(context.Background(), s, *rivals, *out); err != nil {
		log.Fatal(err)
	}
}

// measurements are the rows of the file, by what was measured.
type measurements map[string]any

func measure(ctx context.Context, s sizes, rivals bool, out string) error {
	rows := measurements{"sizes": s, "go": runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	if s.Documents > 0 {
		if err := measureTexts(ctx, s, rivals, rows); err != nil {
			return err
		}
	}
	if s.Vectors > 0 {
		if err := measureVectors(ctx, s, rand.New(rand.NewPCG(1, 2)), rivals, rows); err != nil {
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
