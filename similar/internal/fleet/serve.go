package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gridstride/gridstride/similar/internal/zipf"
)

// A server is a process that serves.
type server struct {
	cmd *exec.Cmd
	url string
}

// start starts a server at a free port, and waits for the line that has its address.
func (r *run) start(ctx context.Context, args ...string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, r.similar, append(args, "-listen", "localhost:0")...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var failed strings.Builder
	s.cmd.Stderr = &failed
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n') // such as: 3 documents at http://localhost:34567/
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("similar %s: %w: %s", strings.Join(args, " "), err, failed.String())
	}
	s.url = strings.TrimSuffix(line[strings.LastIndexByte(line, ' ')+1:len(line)-1], "/")
	return s, nil
}

// stop interrupts a server and waits for its end.
func (s *server) stop() *os.ProcessState {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = s.cmd.Wait()                          // its answers are measured by now
	return s.cmd.ProcessState
}

// stopAll stops servers, and notes what they took.
func (r *run) stopAll(kinds map[string][]*server) {
	for _, what := range slices.Sorted(maps.Keys(kinds)) {
		all := step{What: what, Processes: len(kinds[what])}
		for _, s := range kinds[what] {
			all.add(s.stop())
		}
		all.Processor = round(all.Processor)
		r.result.Servers = append(r.result.Servers, all)
	}
}

// serve serves the merged shards and asks them, the front, and one index, by turns.
func (r *run) serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	kinds := map[string][]*server{}
	defer r.stopAll(kinds)
	start := func(kind string, args ...string) (string, error) {
		s, err := r.start(ctx, args...)
		if err != nil {
			return "", err
		}
		kinds[kind] = append(kinds[kind], s)
		return s.url, nil
	}
	var shards []string
	for shard := range r.serving {
		at, err := start("the shards' servers", "serve", r.path("served"), "-shard", fmt.Sprint(shard))
		if err != nil {
			return err
		}
		shards = append(shards, at)
	}
	front, err := start("the front", "front", "-shards", strings.Join(shards, ","))
	if err != nil {
		return err
	}
	one, err := start("one index's server", "serve", r.path("one"))
	if err != nil {
		return err
	}
	words := zipf.New(r.corpus)
	for _, kind := range []struct {
		what    string
		queries []string
		apart   []string // a shard alone does not know the document that others shall be like
	}{
		{"3 words", queriesOf("q", slices.Collect(words.Queries(r.requests, 3))), shards},
		{"like a document", queriesOf("like", r.ids()), nil},
	} {
		rows, err := askAll(ctx, kind.what, kind.queries, kind.apart, front, one)
		if err != nil {
			return err
		}
		r.result.Serving = append(r.result.Serving, rows...)
	}
	return nil
}

// ids are ids of documents over the whole collection.
func (r *run) ids() []string {
	ids := make([]string, r.requests/5)
	for i := range ids {
		ids[i] = zipf.ID(int(int64(i) * int64(r.corpus.Documents) / int64(len(ids))))
	}
	return ids
}

// queriesOf are requests to the API with the values of a parameter.
func queriesOf(parameter string, values []string) []string {
	queries := make([]string, len(values))
	for i, v := range values {
		queries[i] = "/api/search?" + url.Values{parameter: {v}}.Encode()
	}
	return queries
}

// ms is a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
