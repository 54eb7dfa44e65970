package similarcmd

import (
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/spf13/cobra"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema IDX",
		Short: "Say which types the fields of an index have",
		Long: `Schema writes a schema for the documents of an index, as JSON: what the index was made with, and for
other fields what their values are. A field is of numbers or of dates if all its values are, and of
keywords if its values are short and each comes twice in the mean. Other fields are text.

The index stays as it is. Write the schema to a file, change it, and index the documents with -fields.`,
		Example: "  similar schema idx > fields.json\n  similar index papers -fields fields.json -o typed",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("schema takes an index")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer x.Close()
			fields, err := x.Learn(cmd.Context())
			if err != nil {
				return err
			}
			return similar.WriteFields(cmd.OutOrStdout(), fields)
		},
	}
}
