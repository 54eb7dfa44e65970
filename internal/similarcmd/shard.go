package similarcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/version"
)

// writeShard reads the documents of a shard of the sources, and writes them to a version.
func (job *indexer) writeShard(ctx context.Context, sources []string) (err error) {
	start := time.Now()
	store, err := job.places.store(ctx, job.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	x, err := job.create()
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.SetMemory(int64(job.memory)); err != nil {
		return err
	}
	x.SetBulk()
	p := newProgress(job.stderr, "documents", 0)
	defer p.end()
	job.read.Keep = func(id string) bool { return similar.ShardOf(id, job.shard.of) == job.shard.shard }
	report, err := job.readInto(ctx, x, p, sources)
	if err == nil {
		err = version.WriteShard(ctx, store.Store, x, version.ShardOptions{Shard: job.shard.shard, Of: job.shard.of})
	}
	if err != nil {
		return fmt.Errorf("shard %s: %w", &job.shard, err)
	}
	fmt.Fprintf(job.stdout, "%s: %s in shard %s; %d skipped, %d of no form that is read, %d with another's id; %.1f s\n",
		job.out, count.Of(x.Len(), "document"), &job.shard, report.Skipped, report.Foreign, report.Hidden, time.Since(start).Seconds())
	if report.Skipped > 0 || report.Hidden > 0 {
		return &cli.StatusError{Status: statusLost}
	}
	return nil
}
