package main

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A step is a command, or several of one kind, and what the processes took.
type step struct {
	What      string  `json:"what"`
	Processes int     `json:"processes"`
	Wall      float64 `json:"wall_s,omitempty"`
	Processor float64 `json:"processor_s"`             // user and system, of all
	Peak      int64   `json:"peak_bytes_of_a_process"` // resident; 0 where the system does not say
}

// add adds a process that has ended.
func (s *step) add(p *os.ProcessState) {
	s.Processor += (p.UserTime() + p.SystemTime()).Seconds()
	s.Peak = max(s.Peak, peak(p))
}

// commands runs the command once for each list of arguments, a number of them at a time.
func (r *run) commands(ctx context.Context, what string, at int, lists ...[]string) (step, error) {
	s := step{What: what, Processes: len(lists)}
	var lock sync.Mutex
	start := time.Now()
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(at)
	for _, args := range lists {
		all.Go(func() error {
			cmd := exec.CommandContext(ctx, r.similar, args...)
			text, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("similar %s: %w: %s", strings.Join(args, " "), err, tail(text))
			}
			lock.Lock()
			defer lock.Unlock()
			s.add(cmd.ProcessState)
			return nil
		})
	}
	err := all.Wait()
	s.Wall = round(time.Since(start).Seconds())
	s.Processor = round(s.Processor)
	r.result.Build = append(r.result.Build, s)
	fmt.Printf("%s: %d processes, %.1f s, %.1f s of processors, peak %d MB\n", s.What, s.Processes, s.Wall, s.Processor, s.Peak>>20)
	return s, err
}

// tail is the end of what a command printed.
func tail(text []byte) []byte { return text[max(0, len(text)-500):] }

// build builds a version by jobs, seals it, and merges its shards to those that are served.
func (r *run) build(ctx context.Context) error {
	jobs, served := r.path("jobs"), r.path("served")
	for _, dir := range []string{jobs, served} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	var index, compact [][]string
	for job := range r.jobs {
		index = append(index, []string{"index", r.sourceOf(job), "-o", jobs, "-memory", r.memory, "-shard", fmt.Sprintf("%d/%d", job, r.jobs)})
	}
	for shard := range r.serving {
		compact = append(compact, []string{"compact", jobs, "-o", served, "-shard", fmt.Sprintf("%d/%d", shard, r.serving)})
	}
	for _, s := range []struct {
		what  string
		at    int
		lists [][]string
	}{
		{"index -shard", r.at, index},
		{"seal", 1, [][]string{{"seal", jobs}}},
		{"compact", r.at, compact},
		{"seal of the merged shards", 1, [][]string{{"seal", served}}},
	} {
		if _, err := r.commands(ctx, s.what, s.at, s.lists...); err != nil {
			return err
		}
	}
	var err error
	r.result.VersionBytes, err = sizeOf(served)
	return err
}

// one builds one index of the same documents, and compares.
func (r *run) one(ctx context.Context) error {
	dir := r.path("one")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	args := []string{"index", "-o", dir}
	for job := range r.jobs {
		args = append(args, r.sourceOf(job))
	}
	s, err := r.commands(ctx, "one index", 1, args)
	jobs := r.result.Build[0].Processor + r.result.Build[1].Processor
	r.result.Ratio = round(jobs / s.Processor)
	return err
}

// round rounds to thousandths.
func round(x float64) float64 { return math.Round(1000*x) / 1000 }

// sizeOf is the number of bytes of the files of a folder.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
