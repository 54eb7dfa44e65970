package similarcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar/page"
	"github.com/gridstride/gridstride/similar/source"
)

const serveHelp = `Serve shows indexes as pages and a JSON API, until it is interrupted. Of several each has its own
pages, below the name of its folder. What others save to the folders is taken up within a second.

The server can be reached from this machine alone. With -public it can be reached from others at an
address such as -listen 0.0.0.0:8080, and nobody is asked who they are. Clients may add, delete and
sync only with a token: -tokens names a file of them, a line each.

With -table each index is a shard of a collection, for similar front: scores are of the collection's
statistics, which similar table writes. A version is served alone, or with -shard 3 its shard 3 for
similar front. Clients cannot write. VERSION may also be a link to a version, or a file whose first line
is the path of one. A server looks at it every second. When it leads to another version, the server
opens that one beside the one before, and serves both until no front asks for the older one.

/healthz says how the indexes are, and /metrics counts requests for Prometheus.`

// A server runs the command.
type server struct {
	options                    page.Options
	listen, tokens, log, table string
	public                     bool
	drain                      time.Duration
	shard                      int // of a version; -1 for all
	places                     *places
}

// stopTime is how long a request that has had its time may take to send its answer to a server's end.
const stopTime = 5 * time.Second

// watchEvery is how often the folders are looked at.
const watchEvery = time.Second

func newServe(p *places) *cobra.Command {
	job := server{places: p}
	cmd := &cobra.Command{
		Use:     "serve IDX…|VERSION",
		Short:   "Show indexes as pages and a JSON API",
		Long:    serveHelp,
		Example: "  similar serve idx\n  similar serve papers notes -listen :9000 -log json\n  similar serve idx -tokens tokens.txt\n  similar serve /data/papers-7 -shard 3",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return cli.Usagef("serve takes an index, or several")
			case job.options.Name != "" && len(args) > 1:
				return cli.Usagef("-name is for one index; several have the names of their folders")
			case job.table != "" && job.tokens != "":
				return cli.Usagef("-table and -tokens: a table is of documents that stay as they are; leave one of the two out")
			}
			if err := job.checkVersion(args); err != nil {
				return err
			}
			return job.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if isVersion(args[0]) {
				return job.runVersion(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0])
			}
			return job.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&job.tokens, "tokens", "", "`file` of tokens that let clients write (default: none may)")
	flags.StringVar(&job.table, "table", "", "`file` of the statistics of a collection that the index is a shard of, for similar front")
	flags.IntVar(&job.shard, "shard", -1, "`number` of the shard of a version to serve, for similar front (default: all shards)")
	job.flags(cmd)
	return cmd
}

// flags adds the flags of commands that serve.
func (job *server) flags(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &job.options
	flags.StringVar(&job.listen, "listen", "localhost:8080", "`address` to listen at")
	flags.BoolVar(&job.public, "public", false, "allow an address that other machines reach")
	flags.DurationVar(&job.drain, "drain", 0, "`time` to go on after an interrupt, while /readyz says 503, so that balancers and fronts leave")
	flags.StringVar(&job.log, "log", "", "log requests to standard error in a `form`: text or json")
	flags.StringVar(&o.Name, "name", "", "what the pages call the index (default: the folder's name)")
	flags.IntVar(&o.Searches, "searches", 0, "`number` of searches at a time (default: as many as processors)")
	flags.IntVar(&o.Costly, "costly", 0, "`number` of costly searches at a time: by documents, with conditions, maps, long lists (default: half of -searches)")
	flags.DurationVar(&o.Timeout, "timeout", 10*time.Second, "longest `time` that a request may take")
}

// check says what is wrong with the command line.
func (job *server) check() error {
	o := job.options
	switch {
	case o.Searches < 0 || o.Costly < 0 || o.Timeout < 0 || job.drain < 0:
		return cli.Usagef("-searches, -costly, -timeout and -drain must not be negative")
	case o.Quorum < 0 || o.Quorum > 1:
		return cli.Usagef("-quorum %v: want more than 0, and 1 at most", o.Quorum)
	case job.log != "" && job.log != "text" && job.log != "json":
		return cli.Usagef("-log %s: want text or json", job.log)
	case page.Public(job.listen) && !job.public:
		return cli.Usagef("-listen %s: other machines may reach that address; allow it with -public", job.listen)
	}
	return nil
}

func (job *server) run(ctx context.Context, stdout, stderr io.Writer, dirs []string) (err error) {
	m := newMetrics(job.shard)
	o := job.withLog(m, stderr)
	if job.table != "" {
		if o.Table, err = tableOf(ctx, job.table); err != nil {
			return err
		}
	}
	if job.tokens != "" {
		if o.Tokens, err = readFile(ctx, job.tokens, page.ReadTokens); err != nil {
			return err
		}
		o.Sync = func(ctx context.Context, dir string) (page.Synced, error) { return syncFolder(ctx, dir, stderr) }
	}
	var sources []page.Source
	for _, dir := range dirs {
		name := o.Name
		if name == "" {
			name = folderName(dir)
		}
		sources = append(sources, page.Source{Name: name, Dir: dir})
	}
	site, err := page.NewSite(ctx, o, sources...)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; make an index with: similar index SOURCE -o FOLDER", err)
	}
	if err != nil {
		return err
	}
	m.register.MustRegister(newShelves(site.Health))
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		site.Watch(ctx, watchEvery)
	}()
	err = job.serve(ctx, site, func(url string) {
		fmt.Fprintf(stdout, "%s at %s\n", count.Of(site.Len(), "document"), url)
	})
	stop()
	<-watched
	return errors.Join(err, site.Close())
}

// serve serves a handler until the context ends.
func (job *server) serve(ctx context.Context, h http.Handler, ready func(url string)) error {
	s := &page.Server{Address: job.listen, Handler: h, Ready: ready, Drain: job.drain, Stop: job.options.Timeout + stopTime}
	return s.Serve(ctx)
}

// logger returns what logs requests, nil for nothing.
func (job *server) logger(stderr io.Writer) *slog.Logger {
	switch job.log {
	case "text":
		return slog.New(slog.NewTextHandler(stderr, nil))
	case "json":
		return slog.New(slog.NewJSONHandler(stderr, nil))
	}
	return nil
}

// withLog returns the options of a page that counts and logs its requests.
func (job *server) withLog(m *metrics, stderr io.Writer) page.Options {
	o := job.options
	o.Log = job.logger(stderr)
	o.Observe, o.Extra = m.observe, map[string]http.Handler{"GET /metrics": m.handler()}
	return o
}

// syncFolder makes the index in a folder equal to the sources that it records. What is skipped goes
// to stderr.
func syncFolder(ctx context.Context, dir string, stderr io.Writer) (page.Synced, error) {
	job := &indexer{out: dir, stdout: io.Discard, stderr: stderr}
	job.read.Gone, job.read.Source.MaxFile = true, source.DefaultMaxFile
	r, documents, err := job.update(ctx, nil)
	return page.Synced{
		New: r.New, Changed: r.Changed, Unchanged: r.Unchanged, Deleted: r.Deleted,
		Hidden: r.Hidden, Skipped: r.Skipped, Foreign: r.Foreign, Documents: documents,
	}, err
}

// folderName is the name of a folder, also of one that is named by a path such as "..".
func folderName(dir string) string {
	if u, err := url.Parse(dir); err == nil && u.Host != "" {
		return path.Base(u.Path)
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}
