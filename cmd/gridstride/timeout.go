package main

import (
	"time"

	"github.com/gridstride/gridstride/internal/machine/check"
	"github.com/spf13/cobra"
)

// timeout is the flag that says how long a launch on a simulated device may take.
type timeout time.Duration

// add makes it a flag of a command.
func (t *timeout) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar((*time.Duration)(t), "timeout", check.DefaultTimeLimit,
		"longest `time` that a launch may take on a simulated device, such as 90s or 10m; 0 for no limit "+
			"(nothing can end a kernel on a GPU)")
}

// limit is the flag's value as options have it, where a limit below 0 is none.
func (t timeout) limit() (time.Duration, error) {
	switch {
	case t < 0:
		return 0, usagef("--timeout %v: must not be negative", time.Duration(t))
	case t == 0:
		return -1, nil
	}
	return time.Duration(t), nil
}
