// Gridstride compiles kernels written in Go to PTX, and runs PTX.
//
//	gridstride build [-check] [-v] [packages]   write kernels_gen.go and kernels_gen.ptx beside the kernels
//	gridstride ptx [package] Kernel             show a kernel's Go lines and the PTX of each
//	gridstride run file.ptx [flags]             run a kernel of a PTX file, from whichever compiler
//	gridstride check [packages]                 find races, bad accesses, divergent barriers in what tests launch
//	gridstride check file.ptx [flags]           … and in a kernel of a PTX file
//	gridstride profile [packages]               count what the kernels do that tests launch, by source line
//	gridstride profile file.ptx [flags]         … and a kernel of a PTX file
//	gridstride profile -- program               … and the kernels that a program launches
//	gridstride vet [packages]                   find mistakes in kernels without running them
//	gridstride bench dot|reduce|matmul          time the variants of a kernel side by side
//	gridstride doctor                           say which driver and GPUs there are, or why none
//	gridstride version                          say which version this is
//
// "gridstride help run" explains the flags of a command. The exit status is 1 for a failure and 2
// for a command line that makes no sense; that of check is 1 for findings and 2 where it could not
// decide, and that of profile is 2 also where it was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/gridstride/gridstride/internal/compile"
	"github.com/spf13/cobra"
)

func main() {
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once

	root := newRoot()
	root.SetArgs(longFlags(args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if s, ok := errors.AsType[*statusError](err); ok {
		if s.err != nil {
			printError(stderr, s.err)
		}
		return s.status
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	printError(stderr, err)
	if _, usage := errors.AsType[*usageError](err); usage {
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "gridstride",
		Short:         "CUDA kernels in plain Go",
		Long:          "Gridstride compiles kernels written in Go to PTX, and runs PTX on a simulator or a GPU.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%q is no command; there are build, ptx, run, check, profile, vet, bench, doctor, "+
					"version and help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v; see gridstride help %s", err, cmd.Name())
	})
	root.AddCommand(newBuild(), newPTX(), newRun(), newCheck(), newProfile(), newVet(), newBench(), newDoctor(),
		newVersion())
	return root
}

// statusError ends the command with an exit status of its own. Its err is nil where all has been
// said.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// printError prints an error for people. Errors in source code are printed as the go command prints
// them, one a line, so that editors find the positions.
func printError(w io.Writer, err error) {
	if list, ok := errors.AsType[compile.ErrorList](err); ok {
		fmt.Fprintln(w, list)
		return
	}
	fmt.Fprintf(w, "gridstride: %s\n", strings.TrimSpace(err.Error()))
}

// longFlags lets long flags be written with one dash, as Go's own tools write them: -check is
// --check.
func longFlags(args []string) []string {
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if len(arg) > 2 && arg[0] == '-' && (arg[1] >= 'a' && arg[1] <= 'z') {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}
