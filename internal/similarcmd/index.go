package similarcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/catalog"
	"github.com/gridstride/gridstride/similar/source"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
	"github.com/spf13/cobra"
)

const sourceHelp = `A source is

  a file     .txt, .md, .html, .pdf, .docx, .epub, .ipynb, .bib, .xml (JATS, Atom), .1 to
             .9 (manuals), .csv, .tsv, .json, .jsonl, or source code, also compressed (.gz, .zst)
  a folder   the files in it and below
  -          standard input: JSON lines, or one text
  go:std     the documentation of Go's standard library; go:PATTERN of other packages

Lines of .jsonl and rows of .csv are documents with the fields id, title and text; all others are
kept with the document, and searched, too. Any other document's id is the name of its source, which
the index records, and the path in it. A file that has not changed since is not read again.

Of two documents with one id one takes the place of the other, and a line says which. What cannot be
read is named and skipped. In both cases the exit status is 3; -strict stops instead. The index
changes once all is read: an interrupt, or an error, leaves it as it was.`

const indexHelp = `Index reads documents into an index, which is a folder. An index that is there is added to: a
document takes the place of one with the same id, and nothing is deleted.

With -shard 3/64 it writes one of 64 shards of a version instead, the documents whose ids have that
hash: 64 jobs write a version, each at its own time and place, and similar seal ends it. A job may
be killed and run again: the bytes are the same. ` + sourceHelp

const addHelp = `Add reads documents into an index that is there: a document takes the place of one with the same
id, and nothing is deleted. ` + sourceHelp

const syncHelp = `Sync makes an index equal to its sources: it adds what is new, replaces what changed, and deletes
what is gone from the sources that are named, or from all that the index records. Of two documents
with one id the later source's is kept, and in a source the later file's. Documents that are from
no source that the index records stay. ` + sourceHelp

// An indexer does the work of the commands index, add and sync.
type indexer struct {
	out      string
	form     string
	read     catalog.Options
	options  similar.Options
	weight   string
	synonyms string // their file
	fields   string // the file of the schema
	memory   byteSize
	makes    bool // whether it makes an index if there is none
	chosen   bool // whether a flag chose the options of a new index
	shard    shardOf
	places   *places // of a version

	stdout, stderr io.Writer
}

func newIndex(p *places) *cobra.Command {
	job := &indexer{makes: true, places: p}
	cmd := job.command("index SOURCE… -o IDX", "Read files, folders or Go packages into an index", indexHelp,
		"  similar index papers notes.jsonl -o idx\n  similar index go:std -o idx")
	job.addOptions(cmd)
	cmd.Flags().Var(&job.shard, "shard", "write shard I of N of a version, as `I/N`, and not an index")
	return cmd
}

func newAdd() *cobra.Command {
	return new(indexer).command("add SOURCE… -o IDX", "Add documents to an index", addHelp, "  similar add notes.jsonl -o idx")
}

func newSync() *cobra.Command {
	job := &indexer{makes: true}
	job.read.Gone = true
	cmd := job.command("sync [SOURCE…] -o IDX", "Make an index equal to its sources", syncHelp,
		"  similar sync papers notes.jsonl -o idx\n  similar sync -o idx")
	job.addOptions(cmd)
	return cmd
}

// command returns the command, with the flags that all three have.
func (job *indexer) command(use, short, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !job.read.Gone {
				return cli.Usagef("%s takes a file or a folder to read; see similar help %s", cmd.Name(), cmd.Name())
			}
			if job.out == "" {
				return cli.Usagef("say with -o in which folder the index shall be")
			}
			if job.read.Source.MaxFile < 1 {
				return cli.Usagef("-max-file %d: want 1 or more", job.read.Source.MaxFile)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			job.stdout, job.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			for _, name := range []string{"language", "no-stem", "ngrams", "accents", "identifiers", "symbols", "bigrams", "synonyms", "positions", "fields", "weight"} {
				job.chosen = job.chosen || cmd.Flags().Changed(name)
			}
			if job.memory > 0 {
				// The rest is for what is no heap: the program, and the pages of files that are mapped.
				debug.SetMemoryLimit(int64(job.memory - job.memory/5))
			}
			return job.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&job.out, "output", "o", "", "`folder` of the index")
	flags.BoolVar(&job.read.Source.Strict, "strict", false, "stop at the first file or record that cannot be read, or has another's id")
	flags.StringVar(&job.form, "form", "", "`form` of the files that are named and of standard input, such as jsonl")
	flags.Var(&job.memory, "memory", "memory to stay within, in `bytes`, KB, MB or GB, such as 512MB (default any)")
	flags.Int64Var(&job.read.Source.MaxFile, "max-file", source.DefaultMaxFile, "largest file or record that is read, in `bytes`")
	return cmd
}

// addOptions adds the flags of a new index.
func (job *indexer) addOptions(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&job.options.Text.Language, "language", "", "`language` of a new index: "+strings.Join(text.Languages(), ", ")+" (default english)")
	flags.BoolVar(&job.options.Text.NoStem, "no-stem", false, "do not stem the words of a new index")
	flags.IntVar(&job.options.Text.NGrams, "ngrams", 0, "take sequences of up to `n` words as terms, too, in a new index")
	flags.BoolVar(&job.options.Text.Accents, "accents", false, "take letters without their accents in a new index, so that Godel finds Gödel")
	flags.BoolVar(&job.options.Text.Identifiers, "identifiers", false, "take the parts of identifiers as words, too, in a new index, so that heap finds BinaryHeap")
	flags.BoolVar(&job.options.Text.Symbols, "symbols", false, "take C++ and C# as words in a new index")
	flags.BoolVar(&job.options.Text.Bigrams, "bigrams", false, "take two neighbouring characters of Chinese, Japanese and Korean as a word in a new index")
	flags.StringVar(&job.synonyms, "synonyms", "", "`file` of synonyms for a new index: a group a line, its words parted by commas")
	flags.StringVar(&job.fields, "fields", "", "`file` of the schema of a new index, in JSON, such as {\"title\": 3, \"url\": 0, \"year\": {\"type\": \"number\"}}: words of the title count three times, the field url is kept and not searched, and years are numbers")
	flags.BoolVar(&job.options.Positions, "positions", false, "keep where words are in a new index, so that phrases are found faster")
	flags.StringVar(&job.weight, "weight", "", "`weights` of a new index: bm25(k1=0.9,b=0.4), lnc.ltc or another of SMART's, counts, log, binary (default bm25)")
}

// readSynonyms reads the file of synonyms, if there is one.
func (job *indexer) readSynonyms() error {
	if job.synonyms == "" {
		return nil
	}
	f, err := os.Open(job.synonyms)
	if err != nil {
		return err
	}
	defer f.Close()
	if job.options.Text.Synonyms, err = text.ReadSynonyms(f); err != nil {
		return fmt.Errorf("%s: %w", job.synonyms, err)
	}
	return nil
}

// readFields reads the file of the schema, if there is one.
func (job *indexer) readFields() error {
	if job.fields == "" {
		return nil
	}
	f, err := os.Open(job.fields)
	if err != nil {
		return err
	}
	defer f.Close()
	if job.options.Fields, err = similar.ReadFields(f); err != nil {
		return fmt.Errorf("%s: %w", job.fields, err)
	}
	return nil
}

// statusLost is the exit status of a command that did its work, except that documents were skipped
// or have the place of others.
const statusLost = 3

func (job *indexer) run(ctx context.Context, sources []string) error {
	if job.shard.of > 0 {
		return job.writeShard(ctx, sources)
	}
	start := time.Now()
	report, documents, err := job.update(ctx, sources)
	if err != nil {
		return err
	}
	fmt.Fprintf(job.stdout, "%s: %s, %d new, %d changed, %d unchanged, %d deleted; %d skipped, %d of no form that is read, %d with another's id; %.1f s\n",
		job.out, count.Of(documents, "document"), report.New, report.Changed, report.Unchanged, report.Deleted,
		report.Skipped, report.Foreign, report.Hidden, time.Since(start).Seconds())
	if report.Skipped > 0 || report.Hidden > 0 {
		return &cli.StatusError{Status: statusLost}
	}
	return nil
}

// update reads sources into the index, those that it records if none are given, and saves it. It
// returns how many documents the index has then.
func (job *indexer) update(ctx context.Context, sources []string) (report catalog.Report, documents int, err error) {
	x, err := job.open(ctx)
	if err != nil {
		return report, 0, err
	}
	defer x.Close()
	if len(sources) == 0 {
		if sources, err = recorded(x); err != nil {
			return report, 0, err
		}
	}
	p := newProgress(job.stderr, "documents", sizeOf(sources))
	defer p.end()
	if report, err = job.readInto(ctx, x, p, sources); err == nil {
		err = x.Save(ctx, job.out)
	}
	if err != nil {
		return report, 0, fmt.Errorf("%w; the index is as it was", err)
	}
	return report, x.Len(), nil
}

// mostSaid is how many lines of one run say what was skipped, or has another's id.
const mostSaid = 100

// readInto reads the sources, and says what was skipped.
func (job *indexer) readInto(ctx context.Context, x *similar.Index, p *progress, sources []string) (catalog.Report, error) {
	reading, err := child()
	if err != nil {
		return catalog.Report{}, err
	}
	said := 0
	job.read.Source.Child, job.read.Source.Form, job.read.Source.Stdin = reading, job.form, stdin(ctx, sources)
	job.read.Progress = p.add
	job.read.Say = func(line string) {
		if said++; said <= mostSaid {
			p.say("%s", line)
		}
	}
	report, err := job.read.Read(ctx, x, sources...)
	if said > mostSaid {
		p.say("and %d more lines", said-mostSaid)
	}
	if err != nil || !job.read.Gone {
		return report, err
	}
	c, err := catalog.Of(x)
	if err == nil && c.Documents() < x.Len() {
		p.say("%s from no source that the index records stay; similar delete removes them", count.Of(x.Len()-c.Documents(), "document"))
	}
	return report, err
}

// recorded returns the sources that an index records and that can be read again.
func recorded(x *similar.Index) (list []string, err error) {
	c, err := catalog.Of(x)
	if err != nil {
		return nil, err
	}
	for _, r := range c.Roots() {
		if r.Source != "-" {
			list = append(list, r.Source)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the index records no source; name one")
	}
	return list, nil
}

// open opens the index that is there, or makes one, and keeps other writers from it.
func (job *indexer) open(ctx context.Context) (*similar.Index, error) {
	x, err := similar.Open(ctx, job.out)
	switch {
	case err == nil && job.chosen:
		return nil, errors.Join(fmt.Errorf("%s: there is an index already, and the language and weights of an index are chosen when it is made; name another folder", job.out), x.Close())
	case errors.Is(err, fs.ErrNotExist) && !job.makes:
		return nil, fmt.Errorf("%s: there is no index; make one with: similar index SOURCE -o %s", job.out, job.out)
	case errors.Is(err, fs.ErrNotExist):
		if x, err = job.create(); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	if err := cmp.Or(x.SetMemory(int64(job.memory)), x.Lock(job.out)); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// create makes an index with the options of the flags.
func (job *indexer) create() (x *similar.Index, err error) {
	if err := cmp.Or(job.readSynonyms(), job.readFields()); err != nil {
		return nil, err
	}
	if job.options.Weight, err = weight.Parse(job.weight); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	if x, err = similar.New(job.options); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return x, nil
}

// stdin is standard input if it is among the sources. It ends with the context, also while no input
// comes.
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
