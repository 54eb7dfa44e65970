package beam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/source"
)

func init() {
	register.DoFn3x1[context.Context, fileio.ReadableFile, func(int, Record), error](&readFn{})
	register.Emitter2[int, Record]()
	beam.RegisterType(recordType)
}

// Options say what a pipeline reads and what it writes.
type Options struct {
	// Sources are patterns of files, as path.Match has them, in file systems that the program has
	// imported: paths, s3:// or gs:// addresses. Each matches one file at least.
	Sources []string
	// Output is the version: the path of a folder that all workers see, or an address that OpenStore
	// opens.
	Output string
	// Shards is how many shards the version has, 1 to version.MaxShards.
	Shards int
	// Index are the options of the index.
	Index similar.Options
	// Form is the form of all files: parquet, avro, or one of source.Options.Form. Where empty, the
	// name of each file says it.
	Form string
	// Newest is the field by which Build chooses among documents with one id: see the package comment.
	Newest string
	// MaxFile bounds records and files as source.Options.MaxFile does. A Parquet file may be larger.
	MaxFile int64
	// Memory is how many bytes each shard that is built may take; any number where 0.
	Memory int64
	// Strict fails the pipeline with the first file or record that cannot be read. Otherwise they are
	// counted and logged, a few of each file.
	Strict bool
}

// A Record is a document on its way to its shard, with what says whether it is newer than another of
// its id.
type Record struct {
	ID, Title, Text string
	Fields          map[string]string
	Newest          string // the value of Options.Newest, in a form whose bytes compare as the values
	Source          int64  // the number of the source
	File            string // its path, with the byte 0 in the place of slashes, so that it compares as a walk goes
	Number          int64  // of the record in the file
}

func (r *Record) document() similar.Document {
	return similar.Document{ID: r.ID, Title: r.Title, Text: r.Text, Fields: r.Fields}
}

// Read returns the documents of the sources, as a collection of pairs of a shard and a [Record].
func Read(s beam.Scope, o Options) beam.PCollection {
	s = s.Scope("similar.Read")
	var all []beam.PCollection
	for i, glob := range o.Sources {
		matches := fileio.MatchFiles(s, glob, fileio.MatchEmptyDisallow())
		files := fileio.ReadMatches(s, beam.Reshuffle(s, matches), fileio.ReadUncompressed())
		fn := &readFn{Source: int64(i), Base: base(glob), Shards: o.Shards, Form: o.Form, Newest: o.Newest, MaxFile: o.MaxFile, Strict: o.Strict}
		all = append(all, beam.ParDo(s, fn, files))
	}
	return beam.Flatten(s, all...)
}

// base returns the beginning of files' paths that their ids do not have: all before the folder with the
// first * or ?, or before the file that the pattern names.
func base(glob string) string {
	pattern := strings.IndexAny(glob, `*?[\`)
	if pattern < 0 {
		return glob[:strings.LastIndex(glob, "/")+1]
	}
	folder := glob[:strings.LastIndex(glob[:pattern], "/")+1]
	return folder[:strings.LastIndex(strings.TrimSuffix(folder, "/"), "/")+1]
}

// readFn reads the documents of a file.
type readFn struct {
	Source  int64
	Base    string
	Shards  int
	Form    string
	Newest  string
	MaxFile int64
	Strict  bool
}

// saidOfFile is how many errors of one file are logged.
const saidOfFile = 20

// ProcessElement emits each document of a file with its shard.
func (f *readFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(int, Record)) error {
	in, err := file.Open(ctx)
	if err != nil {
		return fmt.Errorf("similar: %s: %w", file.Metadata.Path, err)
	}
	defer in.Close()
	failed := &failure{Reader: in}
	id := strings.TrimPrefix(file.Metadata.Path, f.Base)
	at := strings.ReplaceAll(file.Metadata.Path, "/", "\x00")
	skipped, number := 0, int64(0)
	for d, err := range f.documents(ctx, id, failed) {
		if failed.err != nil {
			return fmt.Errorf("similar: %s: %w", file.Metadata.Path, failed.err) // the runner tries again
		}
		if bad := new(source.BadFile); errors.As(err, &bad) && !f.Strict {
			counters.skipped.Inc(ctx, 1)
			if skipped++; skipped <= saidOfFile {
				log.Warnf(ctx, "skipped: %v", err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("similar: %w", err)
		}
		number++
		counters.documents.Inc(ctx, 1)
		emit(similar.ShardOf(d.ID, f.Shards), Record{
			ID: d.ID, Title: d.Title, Text: d.Text, Fields: d.Fields,
			Newest: ordered(d.Fields[f.Newest]), Source: f.Source, File: at, Number: number,
		})
	}
	if skipped > saidOfFile {
		log.Warnf(ctx, "skipped: %s: and %d more records", id, skipped-saidOfFile)
	}
	return nil
}

// documents yields the documents of a file.
func (f *readFn) documents(ctx context.Context, id string, in io.Reader) iter.Seq2[similar.Document, error] {
	o := source.Options{Form: f.Form, MaxFile: cmp.Or(f.MaxFile, source.DefaultMaxFile), Strict: f.Strict}
	form := cmp.Or(f.Form, strings.ToLower(strings.TrimPrefix(path.Ext(id), ".")))
	if i := slices.IndexFunc(tables, func(t table) bool { return t.form == form }); i >= 0 {
		return tables[i].documents(ctx, o, id, in)
	}
	return source.Stream(ctx, o, id, in)
}

// A failure is a reader that notes the error of a file system, which says nothing of what the file
// holds.
type failure struct {
	io.Reader
	err error
}

func (f *failure) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}
