package similarcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gridstride/gridstride/internal/tools/atomicfile"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
)

func newTable() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "table IDX|TABLE…",
		Short: "Write the statistics of a collection that is in several indexes",
		Long: `Table adds up the statistics of indexes and of tables, and writes them to a file. The indexes are shards of
one collection: they share no document, and were made with the same options. With the table each
gives a document the score that it has in one index of all: see similar serve -table.`,
		Example: "  similar table shard0 shard1 -o all.table",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || out == "" {
				return cli.Usagef("table takes indexes or tables, and the file to write: -o FILE")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeTable(cmd.Context(), cmd.OutOrStdout(), out, args)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write")
	return cmd
}

func writeTable(ctx context.Context, stdout io.Writer, out string, names []string) error {
	var list []*similar.Table
	for _, name := range names {
		t, err := tableOf(ctx, name)
		if err != nil {
			return err
		}
		list = append(list, t)
	}
	all, err := similar.MergeTables(list...)
	if err != nil {
		return err
	}
	err = atomicfile.Stream(out, func(w io.Writer) error {
		_, err := all.WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %s, %s\n", out, count.Of(int(all.Collection().Documents), "document"), count.Of(all.Len(), "term"))
	return err
}

// tableOf reads the table of an index, or in a file.
func tableOf(ctx context.Context, name string) (*similar.Table, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		t, err := readFile(ctx, name, similar.ReadTable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return t, nil
	}
	x, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	t, err := x.Table(ctx)
	return t, errors.Join(err, x.Close())
}
