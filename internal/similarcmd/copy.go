package similarcmd

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/internal/tools/count"
	"github.com/gridstride/gridstride/similar"
	"github.com/spf13/cobra"
)

func newCopy() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "copy IDX -o COPY",
		Short: "Copy an index, also while it is written, or bring a copy up to date",
		Long: `Copy copies the state of an index that was saved last, and compares all checksums. The index may be
searched and written meanwhile. Copying again writes only the files that the copy does not have. A
copy is an index like any other: copied back, it restores what it holds. Only an earlier copy of the
same index is replaced.`,
		Example: "  similar copy idx -o /backup/idx\n  similar copy /backup/idx -o restored",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || to == "" {
				return cli.Usagef("copy takes an index, and -o with the folder of the copy")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := similar.Copy(cmd.Context(), args[0], to)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: there is no index to copy: %w", args[0], err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, generation %d of %s; %s written, %d there before\n",
				to, count.Of(c.Documents, "document"), c.Generation.Number, args[0], count.Of(c.Written, "file"), c.Kept)
			return err
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "", "the `folder` of the copy")
	return cmd
}
