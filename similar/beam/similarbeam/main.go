// Command similarbeam builds a version of documents by Apache Beam: on prism in this process, or on
// Flink, Spark or Dataflow.
//
//	similarbeam -o /data/papers-7 -shards 64 '/data/papers/*.jsonl'
//	similarbeam -o /data/papers-7 -shards 64 -duplicates /data/groups.jsonl '/data/papers/*.jsonl'
//	similarbeam -o s3://bucket/papers-7?region=eu-central-1 -shards 64 -runner flink -endpoint localhost:8099 's3://bucket/papers/*.parquet'
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"

	similarbeam "github.com/gridstride/gridstride/similar/beam"
	"github.com/gridstride/gridstride/similar/duplicates"
	"github.com/gridstride/gridstride/similar/version"
)

const usage = `Usage: similarbeam -o VERSION -shards N [flags] SOURCE…

Similarbeam reads documents, keeps the newest of each id, and writes a version: its shards, its
statistics and its manifest, the same bytes as similar index -shard and similar seal write.

A SOURCE is a path or an address s3://… or gs://… that may have * and ?. It matches files of JSON
lines, Parquet, Avro, text, and all other forms that similar index reads, also compressed. A file is
read by one worker. VERSION is a folder that all workers see, or an address s3://… or gs://….

With -duplicates FILE it then writes groups of near-duplicates, the same bytes as similar duplicates
writes: a file that the last worker sees, or an address s3://… or gs://…. Other bytes there stay, and
are an error. -duplicate-parts workers share the keys, and each reads the whole version.

The job runs in this process, by Beam's runner prism, or with -runner flink, spark, dataflow or
universal where their own flags say. The exit status is 3 where files or records were skipped.

`

// The exit statuses, as of command similar.
const (
	statusFailed = 1
	statusUsage  = 2
	statusLost   = 3
)

var (
	options similarbeam.Options
	near    similarbeam.DuplicateOptions
	index   = flag.String("index", "", "`file` of the index's options, as JSON, as a version's manifest has them")
	tries   = flag.Int("tries", 3, "how often a job that fails is submitted")
	verbose = flag.Bool("v", false, "log what Beam logs")
)

func init() {
	flag.StringVar(&options.Output, "o", "", "the `version` to write")
	flag.IntVar(&options.Shards, "shards", 1, "how many shards the version has")
	flag.StringVar(&options.Form, "form", "", "the `form` of all files, such as parquet, avro or jsonl; their names say it otherwise")
	flag.StringVar(&options.Newest, "newest", "", "the `field` whose greatest value is kept of documents with one id, a number or a date; otherwise the last one read")
	flag.Int64Var(&options.MaxFile, "max-file", 0, "largest record, or file of one document, in `bytes` (default 256 MB)")
	flag.Int64Var(&options.Memory, "memory", 0, "memory that each shard may take while it is built, and to sort near-duplicates in, in `bytes` (default any, and 256 MB)")
	flag.BoolVar(&options.Strict, "strict", false, "fail at the first file or record that cannot be read")
	flag.StringVar(&near.Output, "duplicates", "", "`file` for groups of near-duplicates (default: they are not looked for)")
	flag.IntVar(&near.Parts, "duplicate-parts", 4, "how many workers may look for near-duplicates, -bands at most")
	flag.Float64Var(&near.Threshold, "threshold", 0.8, "the least `similarity`, 0 to 1, of near-duplicates")
	flag.IntVar(&near.MinHash.Words, "words", 5, "words of a sequence by which near-duplicates are compared")
	flag.IntVar(&near.MinHash.Bands, "bands", 20, "keys of a document, to find near-duplicates")
	flag.IntVar(&near.MinHash.Rows, "rows", 6, "values of a key")
	flag.StringVar(&near.Cache, "cache", "", "`folder` of each worker for files of a version in an object store (default: in the folder for temporary files)")
	flag.Int64Var(&near.CacheBytes, "cache-size", 0, "most `bytes` in the cache (default any)")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
}

func main() {
	os.Args = unquoted(os.Args)
	flag.Parse()
	if !*verbose {
		quiet()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *provision != "" {
		if err := work(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "similarbeam: a worker:", err)
			os.Exit(statusFailed)
		}
		return
	}
	beam.Init()
	os.Exit(run(ctx, os.Stdout, os.Stderr))
}

// quiet logs warnings and errors alone.
func quiet() {
	log.SetupLogging("warn", "text") // of prism
	log.SetLogger(warnings{})
}

// warnings is a logger of warnings and errors, for Beam.
type warnings struct{}

// Log implements log.Logger.
func (warnings) Log(_ context.Context, severity log.Severity, _ int, line string) {
	if severity >= log.SevWarn {
		fmt.Fprintln(os.Stderr, strings.TrimSpace(line))
	}
}

// run runs the job, and returns the exit status.
func run(ctx context.Context, stdout, stderr io.Writer) int {
	options.Sources = flag.Args()
	if err := check(); err != nil {
		fmt.Fprintln(stderr, "similarbeam:", err)
		fmt.Fprintln(stderr, "see similarbeam -help")
		return statusUsage
	}
	if err := cmp.Or(setWorker(), startPrism(ctx)); err != nil {
		fmt.Fprintln(stderr, "similarbeam:", err)
		return statusFailed
	}
	start := time.Now()
	result, err := submit(ctx, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "similarbeam:", err)
		return statusFailed
	}
	if *jobopts.Async {
		fmt.Fprintln(stdout, "the job is submitted")
		return 0
	}
	return report(stdout, stderr, countsOf(result.Metrics()), time.Since(start))
}

// report says what a job did, and returns the exit status.
func report(stdout, stderr io.Writer, n counts, took time.Duration) int {
	fmt.Fprintf(stdout, "%s: %d documents in %d shards; %d read, %d with a newer one's id, %d skipped; %.1f s\n",
		options.Output, n["written"], n["shards"], n["documents"], n["duplicates"], n["skipped"], took.Seconds())
	if near.Output != "" {
		fmt.Fprintf(stdout, "%s: %d groups of %d documents, of %d; %d pairs compared\n", near.Output, n["groups"], n["grouped"], n["written"], n["compared"])
	}
	if n["cut"] > 0 {
		fmt.Fprintf(stderr, "similarbeam: more than %[1]d documents share a key, %[2]d times: each of them was compared with the %[1]d before it\n", duplicates.Window, n["cut"])
	}
	if n["skipped"] > 0 {
		return statusLost
	}
	return 0
}

// check says what is wrong with the flags.
func check() error {
	if *index != "" {
		b, err := os.ReadFile(*index)
		if err != nil {
			return err
		}
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		if err := d.Decode(&options.Index); err != nil {
			return fmt.Errorf("%s: %w", *index, err)
		}
	}
	if *tries < 1 {
		return fmt.Errorf("-tries is %d; want 1 or more", *tries)
	}
	if err := options.Check(); err != nil || near.Output == "" {
		return err
	}
	near.Version, near.Memory = options.Output, options.Memory
	return near.Check()
}

// submit runs the job until it succeeds, or has failed so often. What a failed job has written stays
// right.
func submit(ctx context.Context, stderr io.Writer) (beam.PipelineResult, error) {
	died, err := listenForDeaths(ctx)
	if err != nil {
		return nil, err
	}
	name := *jobopts.JobName
	for try := 1; ; try++ {
		*jobopts.JobName = cmp.Or(name, fmt.Sprint("similarbeam-", time.Now().UnixNano()))
		result, err := submitOnce(ctx, died, stderr)
		if err == nil {
			return result, nil
		}
		if ctx.Err() != nil {
			return nil, errors.Join(err, context.Cause(ctx))
		}
		if try == *tries || options.Strict || conflicts(err) {
			return nil, err
		}
		fmt.Fprintf(stderr, "similarbeam: try %d of %d failed: %v\n", try, *tries, err)
	}
}

// conflicts reports whether a job found other files than it would write. The error is text: another
// process had it.
func conflicts(err error) bool {
	return strings.Contains(err.Error(), version.ErrConflict.Error()) || strings.Contains(err.Error(), similarbeam.ErrExists.Error())
}

// submitOnce runs the job, and says how far it is.
func submitOnce(ctx context.Context, died <-chan string, stderr io.Writer) (beam.PipelineResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watch(ctx, stderr, *jobopts.Endpoint, *jobopts.JobName)
	go cancelWhenDead(ctx, died, *jobopts.JobName, cancel)
	p, s := beam.NewPipelineWithRoot()
	sealed := similarbeam.Build(s, options, similarbeam.Read(s, options))
	if near.Output != "" {
		similarbeam.Duplicates(s, near, sealed)
	}
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil && errors.Is(context.Cause(ctx), errWorkerDied) {
		err = errWorkerDied
	}
	return result, err
}
