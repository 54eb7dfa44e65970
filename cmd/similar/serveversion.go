package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// runVersion serves a version, or one shard of it.
func (job *server) runVersion(ctx context.Context, stdout, stderr io.Writer, name string) (err error) {
	store, err := storeOf(name)
	if err != nil {
		return err
	}
	var open version.Options
	if job.shard >= 0 {
		open.Shards = []int{job.shard}
	}
	v, err := version.Open(ctx, store, open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	o := job.withLog(newMetrics(), stderr)
	o.Name, o.Version = cmp.Or(o.Name, folderName(name)), v.Sum()
	h, err := page.New(v.Searcher, o)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	for pattern, extra := range o.Extra {
		mux.Handle(pattern, extra)
	}
	health := page.Health{Status: "ok", Indexes: []page.IndexHealth{{Name: o.Name, Documents: v.Len()}}}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(health) // an error is of the client's connection
	})
	return page.Serve(ctx, job.listen, mux, func(url string) {
		fmt.Fprintf(stdout, "%s at %s\n", count.Of(v.Len(), "document"), url)
	})
}
