package similarcmd

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar/catalog"
	"github.com/spf13/cobra"
)

func newDelete() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "delete IDX ID…",
		Short: "Delete documents from an index",
		Long: `Delete deletes documents from an index, by their ids. With an id that no document has, nothing is
deleted. A document whose source still has it comes back when that is read again. -source deletes
all documents of a source instead, which the index no longer records then.`,
		Example: "  similar delete idx papers/draft.md\n  similar delete idx -source papers",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || (len(args) == 1) == (from == "") {
				return cli.Usagef("delete takes an index, and ids of documents or -source with a source")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			if err := x.Lock(args[0]); err != nil {
				return err
			}
			var n int
			if from != "" {
				n, err = catalog.Forget(cmd.Context(), x, from)
			} else {
				n, err = catalog.Delete(x, args[1:]...)
			}
			if err == nil {
				err = x.Save(cmd.Context(), args[0])
			}
			if err != nil {
				return fmt.Errorf("%w; nothing was deleted", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d deleted\n", args[0], count.Of(x.Len(), "document"), n)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "source", "", "delete the documents of this `source`")
	return cmd
}
