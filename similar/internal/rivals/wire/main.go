// Command wire measures how a front of package similar may ask its shards: with JSON over plain HTTP,
// as it does, with Connect, and with gRPC. All servers answer the same question with the same ten
// matches, on loopback, in one process, so that processor time is of both sides.
//
//	go run ./wire -o measurement.json
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

//go:generate protoc --go_out=. --go_opt=paths=source_relative wire.proto

// A transport asks a server of its kind.
type transport struct {
	name string
	ask  func(ctx context.Context, query string, n int) ([]match, error)
}

// A match is a document of an answer, and a question asks for n of them.
type (
	match struct {
		ID    string  `json:"id"`
		Score float64 `json:"score"`
	}
	question struct {
		Query string `json:"query"`
		N     int    `json:"n"`
	}
)

// answer returns n matches, as all servers do.
func answer(query string, n int) []match {
	list := make([]match, n)
	for i := range list {
		list[i] = match{fmt.Sprintf("d%09d", 7919*i+len(query)), 17.25 / float64(i+3)}
	}
	return list
}

// A row has the times of calls.
type row struct {
	Transport string  `json:"transport"`
	Callers   int     `json:"callers"`
	Calls     int     `json:"calls"`
	Median    float64 `json:"median_us"`
	P99       float64 `json:"p99_us"`
	Processor float64 `json:"processor_us_a_call"` // client and server

	spent time.Duration
	times []time.Duration
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 20, "rounds by turns")
	calls := flag.Int("calls", 500, "calls of a round")
	commit := flag.String("commit", "not given", "commit to name in the result")
	out := flag.String("o", "", "the file for the measurements")
	flag.Parse()
	if err := run(context.Background(), *rounds, *calls, *commit, *out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, rounds, calls int, commit, out string) (err error) {
	list, stop, err := transports()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var rows []*row
	for _, callers := range []int{1, 16} {
		group := make([]*row, len(list))
		for i, t := range list {
			group[i] = &row{Transport: t.name, Callers: callers}
		}
		for round := range rounds + 1 {
			for i, t := range list {
				if err := group[i].measure(ctx, t, calls, round > 0); err != nil { // the first round opens connections
					return fmt.Errorf("%s: %w", t.name, err)
				}
			}
		}
		rows = append(rows, group...)
	}
	for _, r := range rows {
		r.summarize()
		log.Printf("%-28s %2d callers: median %6.0f µs, p99 %6.0f µs, %6.1f µs of processors a call", r.Transport, r.Callers, r.Median, r.P99, r.Processor)
	}
	if out == "" {
		return nil
	}
	text, err := json.MarshalIndent(map[string]any{
		"what":    "a question of a front to a shard and its answer of ten matches, on loopback, client and server in one process, by turns",
		"date":    time.Now().UTC().Format(time.DateOnly),
		"commit":  commit,
		"command": fmt.Sprintf("wire -rounds %d -calls %d (similar/internal/rivals)", rounds, calls),
		"go":      runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"machine": fmt.Sprintf("%d %s cores", runtime.NumCPU(), runtime.GOARCH),
		"rows":    rows,
	}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}

// measure makes calls from a number of goroutines.
func (r *row) measure(ctx context.Context, t transport, calls int, counts bool) error {
	want := answer("priority queue heap", 10)
	times := make([]time.Duration, calls)
	errs := make([]error, r.Callers)
	before := processor()
	var all sync.WaitGroup
	for c := range r.Callers {
		all.Go(func() {
			for i := c; i < calls; i += r.Callers {
				start := time.Now()
				got, err := t.ask(ctx, "priority queue heap", 10)
				times[i] = time.Since(start)
				if err == nil && !slices.Equal(got, want) {
					err = fmt.Errorf("it answers %v", got)
				}
				errs[c] = cmp.Or(errs[c], err)
			}
		})
	}
	all.Wait()
	if counts {
		r.spent += processor() - before
		r.times = append(r.times, times...)
	}
	return errors.Join(errs...)
}

func (r *row) summarize() {
	slices.Sort(r.times)
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()/100) / 10 }
	r.Calls = len(r.times)
	r.Median, r.P99 = us(r.times[r.Calls/2]), us(r.times[r.Calls*99/100])
	r.Processor = us(r.spent / time.Duration(r.Calls))
}

// processor returns the time that processors have spent on this process.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("BUG: no clock of the process: %v", err))
	}
	return time.Duration(t.Nano())
}
