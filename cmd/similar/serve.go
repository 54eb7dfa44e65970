package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar/page"
	"github.com/spf13/cobra"
)

const serveHelp = `Serve shows an index as a page and a JSON API, until it is interrupted. It can be reached from
this machine alone; -listen 0.0.0.0:8080 opens it to others, and nothing asks them who they are.`

func newServe() *cobra.Command {
	var listen string
	var o page.Options
	cmd := &cobra.Command{
		Use:     "serve IDX",
		Short:   "Show the index as a page and a JSON API",
		Long:    serveHelp,
		Example: "  similar serve idx\n  similar serve idx -listen :9000 -name papers",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("serve takes one index")
			}
			if o.Searches < 0 || o.Costly < 0 || o.Timeout < 0 {
				return cli.Usagef("-searches, -costly and -timeout must not be negative")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			if o.Name == "" {
				o.Name = filepath.Base(filepath.Clean(args[0]))
			}
			h, err := page.New(x, o)
			if err != nil {
				return err
			}
			return page.Serve(cmd.Context(), listen, h, func(url string) {
				fmt.Fprintf(cmd.OutOrStdout(), "%s at %s\n", count.Of(x.Len(), "document"), url)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&listen, "listen", "localhost:8080", "`address` to listen at")
	flags.StringVar(&o.Name, "name", "", "what the page calls the index (default: the folder's name)")
	flags.IntVar(&o.Searches, "searches", 0, "`number` of searches at a time (default: as many as processors)")
	flags.IntVar(&o.Costly, "costly", 0, "`number` of costly searches at a time: by documents, with conditions, maps, long lists (default: half of -searches)")
	flags.DurationVar(&o.Timeout, "timeout", 10*time.Second, "longest `time` that a request may take")
	return cmd
}
