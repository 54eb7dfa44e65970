package similarcmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar/page"
)

const frontHelp = `Front shows one collection, whose documents are in the indexes of several servers, as a page and a JSON
API, until it is interrupted. Each server is similar serve IDX -table FILE, with the table of all (similar
table). The front asks all and merges their answers, which are those of one index of all documents.

-shards lists the shards with commas between them. Each is the address of its server, or of several with
the same documents and bars between them, of which the soonest answers. dns:NAME stands for the servers
that the DNS has under a name (SRV).

When the servers get a new version, requests see it once all shards have it, each by -quorum of its
servers. A request never sees two versions.

A shard that does not answer is named in the answers (missing) and on the pages. /healthz says how the
shards are, /readyz has the status 200 while all answer, and /metrics counts for Prometheus.`

// A fronter runs the command.
type fronter struct {
	server
	list string
}

func newFront() *cobra.Command {
	var job fronter
	cmd := &cobra.Command{
		Use:     "front -shards LIST",
		Short:   "Show a collection that is in shards of several servers",
		Long:    frontHelp,
		Example: "  similar front -shards 'http://a:8080|http://a2:8080,http://b:8080'\n  similar front -shards dns:_http._tcp.shard-0.example.org,dns:_http._tcp.shard-1.example.org",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 || job.list == "" {
				return cli.Usagef("front takes no index; it takes servers: -shards http://a:8080,http://b:8080")
			}
			if job.options.Quorum == 0 {
				return cli.Usagef("-quorum 0: want more than 0, and 1 at most")
			}
			return job.check()
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			shards, err := page.ParseShards(job.list)
			if err != nil {
				return cli.Usagef("-shards: %v", err)
			}
			return job.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), shards)
		},
	}
	cmd.Flags().StringVar(&job.list, "shards", "", "`list` of shards: commas between them, bars between the servers of one")
	cmd.Flags().Float64Var(&job.options.Quorum, "quorum", 0.5, "`part` of a shard's servers that must have a new version before requests see it")
	job.flags(cmd)
	return cmd
}

func (job *fronter) run(ctx context.Context, stdout, stderr io.Writer, shards [][]string) error {
	m := newMetrics(-1)
	o := job.withLog(m, stderr)
	asked := newShardMetrics(m)
	f, err := page.NewFront(shards, o, asked.observe)
	if err != nil {
		return err
	}
	m.register.MustRegister(newMissing(f.Health))
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		f.Watch(ctx)
	}()
	err = job.serve(ctx, f, func(url string) {
		fmt.Fprintf(stdout, "%s at %s\n", count.Of(len(shards), "shard"), url)
	})
	stop()
	<-watched
	return err
}
