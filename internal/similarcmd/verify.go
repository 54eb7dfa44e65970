package similarcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/gridstride/gridstride/similar/version"
	"github.com/spf13/cobra"
)

func newVerify(p *places) *cobra.Command {
	return &cobra.Command{
		Use:   "verify IDX",
		Short: "Read all of an index and compare its checksums",
		Long: `Verify reads all files of an index, compares their checksums, and checks that what they hold agrees.
Other commands check what they read, and no more. A damaged file is an error that names it.`,
		Example: "  similar verify idx",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("verify takes an index")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := p.collection(cmd.Context(), args[0]) // for its error if there is none
			if err != nil {
				return err
			}
			defer x.Close()
			if err := p.verify(cmd.Context(), args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, and all files are whole\n", args[0], count.Of(x.Len(), "document"))
			return err
		},
	}
}

// verify reads all of an index or of a version.
func (p *places) verify(ctx context.Context, name string) error {
	if !isVersion(name) {
		return similar.Verify(ctx, name)
	}
	place, err := placeOf(name)
	if err != nil {
		return err
	}
	s, err := p.store(ctx, place)
	if err != nil {
		return err
	}
	cache, err := p.cacheOf(s)
	if err == nil {
		err = version.Verify(ctx, s.Store, cache)
	}
	return errors.Join(err, s.Close())
}
