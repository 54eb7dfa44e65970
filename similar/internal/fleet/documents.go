package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/internal/zipf"
	"golang.org/x/sync/errgroup"
)

// sourceOf is the file of the documents of a job's shard.
func (r *run) sourceOf(job int) string {
	return r.path(fmt.Sprintf("documents-%d/part-%05d.jsonl", r.corpus.Documents, job))
}

// documents writes the documents, dealt to a file a job by their ids' hashes, as jobs keep them. A file
// has its name once it is whole.
func (r *run) documents(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(r.sourceOf(0)), 0o777); err != nil {
		return err
	}
	words := zipf.New(r.corpus)
	sizes := make([]int64, r.jobs)
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.NumCPU())
	for job := range r.jobs {
		all.Go(func() error {
			if info, err := os.Stat(r.sourceOf(job)); err == nil {
				sizes[job] = info.Size()
				return nil
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			var err error
			sizes[job], err = r.writePart(ctx, words, job)
			return err
		})
	}
	err := all.Wait()
	for _, size := range sizes {
		r.result.SourceBytes += size
	}
	return err
}

// writePart writes the documents of a job, and returns how many bytes they are.
func (r *run) writePart(ctx context.Context, words *zipf.Generator, job int) (size int64, err error) {
	unfinished := r.sourceOf(job) + ".part"
	f, err := os.Create(unfinished)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Remove(unfinished)) }() // gone by its new name, or of no use
	w := bufio.NewWriterSize(f, 1<<20)
	to := json.NewEncoder(w)
	for i := range r.corpus.Documents {
		id := zipf.ID(i)
		if similar.ShardOf(id, r.jobs) != job {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, errors.Join(err, f.Close())
		}
		_, text := words.Document(i)
		if err := to.Encode(struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}{id, text}); err != nil {
			return 0, errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return 0, err
	}
	info, err := os.Stat(unfinished)
	if err != nil {
		return 0, err
	}
	return info.Size(), os.Link(unfinished, r.sourceOf(job))
}
