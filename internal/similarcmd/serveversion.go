package similarcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar/page"
	"github.com/gridstride/gridstride/similar/version"
)

// checkVersion says what is wrong with a command line that names a version, or -shard.
func (job *server) checkVersion(args []string) error {
	switch {
	case !slices.ContainsFunc(args, isVersion):
		if job.shard != -1 {
			return cli.Usagef("-shard is for a version, and %s is none; of an index write -table", args[0])
		}
	case len(args) > 1:
		return cli.Usagef("serve takes one version, or several indexes")
	case job.table != "" || job.tokens != "":
		return cli.Usagef("-table and -tokens are for indexes: a version has a table, and never changes")
	case job.shard < -1:
		return cli.Usagef("-shard %d: want 0 or more", job.shard)
	}
	return nil
}

// runVersion serves a version, or one shard of it, and the versions that take its place.
func (job *server) runVersion(ctx context.Context, stdout, stderr io.Writer, name string) (err error) {
	m := newMetrics(job.shard)
	o := job.withLog(m, stderr)
	o.Name = cmp.Or(o.Name, folderName(name))
	v, err := page.NewVersions(ctx, o, &current{job.places, name, job.shard})
	if err != nil {
		return err
	}
	m.register.MustRegister(newShelves(v.Health))
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		v.Watch(ctx, watchEvery)
	}()
	err = job.serve(ctx, v, func(url string) {
		fmt.Fprintf(stdout, "%s at %s\n", count.Of(v.Len(), "document"), url)
	})
	stop()
	<-watched
	return errors.Join(err, v.Close())
}

// current is the version that a name leads to, or a shard of it.
type current struct {
	places *places
	name   string
	shard  int // -1 for all
}

// Place implements page.VersionSource.
func (c *current) Place(context.Context) (string, error) { return placeOf(c.name) }

// Open implements page.VersionSource.
func (c *current) Open(ctx context.Context, place string) (*page.Version, error) {
	var open version.Options
	if c.shard >= 0 {
		open.Shards = []int{c.shard}
	}
	v, closeBoth, err := c.places.version(ctx, place, open)
	if err != nil {
		return nil, err
	}
	opened := &page.Version{Place: place, Sum: v.Sum(), Searcher: v.Searcher, Close: closeBoth}
	if c.shard >= 0 {
		opened.Shard, opened.Of = c.shard, v.Of()
	}
	return opened, nil
}
