package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
	"github.com/spf13/cobra"
)

const indexHelp = `Index reads documents into an index, which is a folder. A source is

  a file     .txt, .md, .html, .pdf, .csv, .tsv, .jsonl, or source code
  a folder   the files in it and below
  -          standard input: JSON lines, or one text
  go:std     the documentation of Go's standard library; go:PATTERN of other packages

Lines of .jsonl and rows of .csv are documents with the fields id, title and text; all others are
kept with the document, and searched, too. An index that is there is added to: a document takes the
place of one with the same id.

What cannot be read is named and skipped; -strict stops at it. The index changes once all is read:
an interrupt, or an error, leaves it as it was.`

// indexer is what the command does.
type indexer struct {
	out     string
	strict  bool
	form    string
	maxFile int64
	options similar.Options
	weight  string
	chosen  bool // whether a flag chose the options of a new index

	stdout, stderr io.Writer
}

func newIndex() *cobra.Command {
	var job indexer
	cmd := &cobra.Command{
		Use:   "index SOURCE… -o IDX",
		Short: "Read files, folders or Go packages into an index",
		Long:  indexHelp,
		Example: "  similar index papers notes.jsonl -o idx\n" +
			"  similar index go:std -o idx",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("index takes a file or a folder to read; see similar help index")
			}
			if job.out == "" {
				return cli.Usagef("say with -o in which folder the index shall be")
			}
			if job.maxFile < 1 {
				return cli.Usagef("-max-file %d: want 1 or more", job.maxFile)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			job.stdout, job.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			for _, name := range []string{"language", "no-stem", "ngrams", "weight"} {
				job.chosen = job.chosen || cmd.Flags().Changed(name)
			}
			return job.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&job.out, "output", "o", "", "`folder` of the index")
	flags.BoolVar(&job.strict, "strict", false, "stop at the first file or record that cannot be read")
	flags.StringVar(&job.form, "form", "", "`form` of the files that are named and of standard input, such as jsonl")
	flags.Int64Var(&job.maxFile, "max-file", source.DefaultMaxFile, "largest file or record that is read, in `bytes`")
	flags.StringVar(&job.options.Text.Language, "language", "", "`language` of a new index: "+strings.Join(text.Languages(), ", ")+" (default english)")
	flags.BoolVar(&job.options.Text.NoStem, "no-stem", false, "do not stem the words of a new index")
	flags.IntVar(&job.options.Text.NGrams, "ngrams", 0, "take sequences of up to `n` words as terms, too, in a new index")
	flags.StringVar(&job.weight, "weight", "", "`weights` of a new index: bm25(k1=0.9,b=0.4), lnc.ltc or another of SMART's, counts, log, binary (default bm25)")
	return cmd
}

func (job *indexer) run(ctx context.Context, sources []string) error {
	start := time.Now()
	x, err := job.open(ctx)
	if err != nil {
		return err
	}
	defer x.Close()
	p := newProgress(job.stderr, "documents", sizeOf(sources))
	defer p.end()
	skipped, err := job.read(ctx, x, p, sources)
	if err != nil {
		return err
	}
	if err := x.Save(ctx, job.out); err != nil {
		return fmt.Errorf("%w; the index is as it was", err)
	}
	p.end()
	fmt.Fprintf(job.stdout, "%s: %s, %d read and %d skipped in %.1f s\n", job.out, count.Of(x.Len(), "document"), p.done, skipped, time.Since(start).Seconds())
	return nil
}

// open opens the index that is there, or makes one.
func (job *indexer) open(ctx context.Context) (*similar.Index, error) {
	x, err := similar.Open(ctx, job.out)
	if err == nil && job.chosen {
		return nil, errors.Join(fmt.Errorf("%s: there is an index already, and the language and weights of an index are chosen when it is made; name another folder", job.out), x.Close())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return x, err
	}
	if job.options.Weight, err = weight.Parse(job.weight); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	if x, err = similar.New(job.options); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return x, nil
}

// Documents are added to the index in batches, so that they are analysed side by side.
const (
	batchDocuments = 1000
	batchBytes     = 8 << 20
)

// read reads all documents into the index and returns how many were skipped.
func (job *indexer) read(ctx context.Context, x *similar.Index, p *progress, sources []string) (skipped int, err error) {
	var batch []similar.Document
	var bytes int64
	flush := func() error {
		if err := x.Add(ctx, batch...); err != nil {
			return err
		}
		p.add(len(batch), bytes)
		batch, bytes = batch[:0], 0
		return nil
	}
	reading, err := child()
	if err != nil {
		return 0, err
	}
	o := source.Options{Strict: job.strict, Form: job.form, MaxFile: job.maxFile, Stdin: stdin(ctx, sources), Child: reading}
	for d, err := range source.Read(ctx, o, sources...) {
		bad, isBad := errors.AsType[*source.BadFile](err)
		switch {
		case isBad && (!job.strict || errors.Is(err, source.ErrForm)):
			p.say("skipped %v", bad)
			skipped++
			continue
		case err != nil:
			return skipped, fmt.Errorf("%w; the index is as it was", err)
		}
		batch = append(batch, d)
		bytes += size(d)
		if len(batch) >= batchDocuments || bytes >= batchBytes {
			if err := flush(); err != nil {
				return skipped, err
			}
		}
	}
	return skipped, flush()
}

// stdin is standard input where it is among the sources. It ends with the context, also while
// nothing comes.
func stdin(ctx context.Context, sources []string) io.Reader {
	if !slices.Contains(sources, "-") {
		return nil
	}
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, os.Stdin)
		w.CloseWithError(err)
	}()
	return r
}

// size is about how many bytes a document was read from.
func size(d similar.Document) int64 {
	n := len(d.ID) + len(d.Title) + len(d.Text)
	for name, value := range d.Fields {
		n += len(name) + len(value)
	}
	return int64(n)
}

// sizeOf is how many bytes files and folders hold, or 0 where a source is neither.
func sizeOf(sources []string) int64 {
	var sum int64
	for _, s := range sources {
		if s == "-" || strings.HasPrefix(s, "go:") {
			return 0
		}
		err := filepath.WalkDir(s, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				sum += info.Size()
			}
			return nil
		})
		if err != nil && !errors.Is(err, os.ErrPermission) {
			return 0
		}
	}
	return sum
}
