package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/internal/language/vet"
	"github.com/gridstride/gridstride/internal/tools/cli"
	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis/unitchecker"
)

const vetHelp = `Vet finds mistakes in kernels, in the functions they call and in launches, without
running them:

%s It looks at the packages named as for the go command (default: the one in the current folder). It
is "go vet" with this program as its tool, so Go's build cache keeps the results. The flags, the
output and the exit status (1 for findings) are go vet's. --barrier=false leaves an analyzer out,
--barrier runs that one alone, and --json writes JSON.

"go vet -vettool=$(which gridstride) ./..." does the same.

A comment //gpu:allow vet with a reason, at the end of a line or above it, suppresses its findings.`

func newVet() *cobra.Command {
	var list strings.Builder
	for _, a := range vet.Analyzers {
		summary, _, _ := strings.Cut(a.Doc, "\n")
		fmt.Fprintf(&list, "  %-11s %s\n", a.Name, summary)
	}
	return &cobra.Command{
		Use:                "vet [flags of go vet] [packages]",
		Short:              "Find mistakes in kernels without running them",
		Long:               fmt.Sprintf(vetHelp, &list),
		Example:            "  gridstride vet ./...",
		DisableFlagParsing: true, // go vet asks this program for them
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" }) {
				return cmd.Help()
			}
			return goVet(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// goVet runs the go command, which runs this program on one package after the other.
func goVet(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-vettool=" + self}, args...)...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = 5 * time.Second
	apart(cmd)
	cmd.Cancel = func() error { return interrupt(cmd) }
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return &cli.StatusError{Status: exit.ExitCode(), Err: nil}
	}
	return err
}

// isVetTool reports whether it is the go command that runs this program, as the tool of go vet: it
// asks for a version and for flags, then hands over one package after the other, described by a
// file. One program serves both that and people, as then there is only one to install; no command
// line of a person is such a one.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := len(args) - 1
	if strings.HasSuffix(args[last], ".cfg") {
		return !slices.ContainsFunc(args[:last], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	}
	return len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags")
}

// vetTool answers the go command, and ends the program.
func vetTool() { unitchecker.Main(vet.Analyzers...) }
