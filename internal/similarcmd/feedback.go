package similarcmd

import (
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/gridstride/gridstride/similar"
	"github.com/spf13/cobra"
)

// feedback is the flag that says whether the first answers change the query.
type feedback string

// add makes it a flag of a command.
func (f *feedback) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "feedback", "", "add terms of the first answers to the query: rocchio or rm3")
}

// value is what the flag says as a query has it: nil where it is not given.
func (f feedback) value() (*similar.Feedback, error) {
	switch f {
	case "":
		return nil, nil
	case "rocchio":
		return &similar.Feedback{Method: similar.Rocchio}, nil
	case "rm3":
		return &similar.Feedback{Method: similar.RM3}, nil
	}
	return nil, cli.Usagef("-feedback %s: want rocchio or rm3", f)
}
